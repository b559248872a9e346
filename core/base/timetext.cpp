// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers with the unit that fits.
#include "core/base/timetext.h"

#include <cstdio>
#include <span>

namespace cudal1::base {

namespace {

struct Unit {
    double size;
    const char* name;
};

/// 999.6 of a unit is one of the next. Of `whole` there are no parts.
std::string withUnit(double value, std::span<const Unit> units, double whole)
{
    std::size_t at = 0;
    while (at + 1 < units.size() && value >= 0.9995 * units[at + 1].size)
        ++at;
    const double count = value / units[at].size;
    char out[48];
    std::snprintf(out, sizeof out, "%.*f %s", units[at].size == whole || count >= 99.95 ? 0 : count >= 9.995 ? 1 : 2, count, units[at].name);
    return out;
}

} // namespace

std::string timeText(double ns)
{
    constexpr Unit units[]{{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}};
    return ns > 0 && ns < 0.5 ? "under 1 ns" : withUnit(ns, units, 1);
}

std::string rateText(double bytesPerSecond)
{
    constexpr Unit units[]{{1e9, "GB/s"}, {1e12, "TB/s"}};
    return bytesPerSecond > 0 ? withUnit(bytesPerSecond, units, 0) : std::string();
}

} // namespace cudal1::base
