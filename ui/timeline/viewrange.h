// SPDX-License-Identifier: GPL-3.0-or-later
// The part of time that is shown, and how zooming, moving and fitting change it. No widgets.
#pragma once

#include "core/timeline/blocks.h"

#include <algorithm>
#include <cmath>

namespace cudal1::ui {

/// Nanoseconds [from, to); as doubles, since a step of a smooth zoom is no whole number.
struct ViewRange {
    double from_ns = 0, to_ns = 1;

    double length_ns() const { return to_ns - from_ns; }
    bool operator==(const ViewRange&) const = default;
};

/// Where ranges may lie. Every function here gives a range inside `limits` and no shorter than shortest_ns.
inline constexpr double shortest_ns = 20;

inline ViewRange bounded(ViewRange range, const ViewRange& limits)
{
    const double longest = std::max(limits.length_ns(), shortest_ns);
    double length = std::clamp(range.length_ns(), shortest_ns, longest);
    if (!std::isfinite(length))
        length = longest;
    const double middle = std::isfinite(range.from_ns + range.to_ns) ? (range.from_ns + range.to_ns) / 2
                                                                     : limits.from_ns + longest / 2;
    const double from = std::clamp(middle - length / 2, limits.from_ns,
                                   std::max(limits.from_ns, limits.from_ns + longest - length));
    return {from, from + length};
}

/// `factor` below 1 shows less; what is at `at_ns` stays where it is.
inline ViewRange zoomed(const ViewRange& range, double factor, double at_ns, const ViewRange& limits)
{
    const double longest = std::max(limits.length_ns(), shortest_ns);
    const double length = std::clamp(range.length_ns() * factor, shortest_ns, longest);
    const double place = range.length_ns() > 0 ? (at_ns - range.from_ns) / range.length_ns() : 0.5;
    const double from = at_ns - place * length;
    return bounded({from, from + length}, limits);
}

inline ViewRange moved(const ViewRange& range, double by_ns, const ViewRange& limits)
{
    return bounded({range.from_ns + by_ns, range.to_ns + by_ns}, limits);
}

/// `part` with a margin of a tenth on both sides.
inline ViewRange fitted(const ViewRange& part, const ViewRange& limits)
{
    const double margin = std::max(part.length_ns(), 1.0) * 0.1;
    return bounded({part.from_ns - margin, part.to_ns + margin}, limits);
}

/// Moves as little as it must to show `part`, or its begin where there is no room for all of it.
inline ViewRange showing(const ViewRange& range, const ViewRange& part, const ViewRange& limits)
{
    const double margin = range.length_ns() * 0.05;
    if (part.from_ns < range.from_ns + margin || part.length_ns() > range.length_ns())
        return part.from_ns >= range.from_ns && part.from_ns < range.to_ns - margin
                 ? range
                 : moved(range, part.from_ns - margin - range.from_ns, limits);
    if (part.to_ns > range.to_ns - margin)
        return moved(range, part.to_ns + margin - range.to_ns, limits);
    return range;
}

using timeline::rulerStep_ns;

} // namespace cudal1::ui
