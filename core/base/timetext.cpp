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

/// 999.6 of a unit would be written as 1e+03 of it.
std::string withUnit(double value, std::span<const Unit> units)
{
    std::size_t at = 0;
    while (at + 1 < units.size() && value >= 0.9995 * units[at + 1].size)
        ++at;
    char out[32];
    std::snprintf(out, sizeof out, "%.3g %s", value / units[at].size, units[at].name);
    return out;
}

} // namespace

std::string timeText(double ns)
{
    constexpr Unit units[]{{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}};
    return withUnit(ns, units);
}

std::string rateText(double bytesPerSecond)
{
    constexpr Unit units[]{{1e9, "GB/s"}, {1e12, "TB/s"}};
    return bytesPerSecond > 0 ? withUnit(bytesPerSecond, units) : std::string();
}

} // namespace cudal1::base
