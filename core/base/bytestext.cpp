// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of bytes.
#include "core/base/bytestext.h"

#include "core/base/withunit.h"

namespace cudal1::base {

std::string bytesText(double bytes)
{
    constexpr double Ki = 1024;
    constexpr Unit units[]{{1, "B"}, {Ki, "KiB"}, {Ki * Ki, "MiB"}, {Ki * Ki * Ki, "GiB"}, {Ki * Ki * Ki * Ki, "TiB"}};
    return withUnit(bytes, units);
}

std::string rateText(double bytesPerSecond)
{
    constexpr Unit units[]{{1e6, "MB/s"}, {1e9, "GB/s"}, {1e12, "TB/s"}};
    return bytesPerSecond > 0 ? withUnit(bytesPerSecond, units) : std::string();
}

} // namespace cudal1::base
