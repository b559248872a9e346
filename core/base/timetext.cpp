// SPDX-License-Identifier: GPL-3.0-or-later
// Times by their size.
#include "core/base/timetext.h"

#include <cstdio>
#include <utility>

namespace cudal1::base {

std::string timeText(double ns)
{
    char out[32];
    const auto [scale, unit] = ns < 1e3 ? std::pair(1.0, "ns") : ns < 1e6 ? std::pair(1e3, "µs") : ns < 1e9 ? std::pair(1e6, "ms") : std::pair(1e9, "s");
    std::snprintf(out, sizeof out, "%.3g %s", ns / scale, unit);
    return out;
}

} // namespace cudal1::base
