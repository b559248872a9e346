// SPDX-License-Identifier: GPL-3.0-or-later
// A number with three digits and the unit that fits: what the texts of times, bytes and rates share.
#pragma once

#include <cmath>
#include <cstdio>
#include <span>
#include <string>

namespace cudal1::base {

struct Unit {
    double size;
    const char* name;
};

/// The unit is chosen by what the rounded text will be, so that 999.6 ns are "1.00 µs" and 1023.6 KiB "1.00 MiB". Of a
/// unit of size 1 there are no parts. A minus sign stands in front; empty for what is no number.
inline std::string withUnit(double value, std::span<const Unit> units)
{
    if (!std::isfinite(value))
        return {};
    const double size = std::abs(value);
    std::size_t at = 0;
    while (at + 1 < units.size() && size >= 0.9995 * units[at + 1].size)
        ++at;
    const double count = size / units[at].size;
    const int decimals = units[at].size == 1 || count >= 99.95 ? 0 : count >= 9.995 ? 1 : 2;
    char out[400]; // the largest double has 309 digits
    std::snprintf(out, sizeof out, "%s%.*f %s", value < 0 ? "-" : "", decimals, count, units[at].name);
    return out;
}

} // namespace cudal1::base
