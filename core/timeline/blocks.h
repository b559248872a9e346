// SPDX-License-Identifier: GPL-3.0-or-later
// What of a row can be seen at some zoom: events that are a pixel or more wide, and for each pixel with shorter ones
// how much of it they fill. The work grows with the pixels and not with the events.
#pragma once

#include "core/timeline/model.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace cudal1::timeline {

/// The part of time that is shown, and how wide.
struct Scale {
    double from_ns = 0;
    double perPixel_ns = 1;
    int width = 0; ///< pixels

    double x(double time_ns) const { return (time_ns - from_ns) / perPixel_ns; }
    double time_ns(double x) const { return from_ns + x * perPixel_ns; }
    double to_ns() const { return time_ns(width); }
};

/// The distance of the ruler's marks: 1, 2 or 5 times a power of ten, at least `least_ns`.
inline double rulerStep_ns(double least_ns)
{
    const double power = std::pow(10, std::floor(std::log10(std::max(least_ns, 1.0))));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= least_ns)
            return factor * power;
    return 10 * power;
}

/// One event, or several that share one pixel.
struct EventBlock {
    EventIndex first = 0, last = 0; ///< events [first, last)
    int left = 0, right = 0;        ///< pixels [left, right), within the width, at least one
    float filled = 1;               ///< of the pixel, for several events
    bool misplaced = false;         ///< something in it is not Place::Inside

    bool isOne() const { return last - first == 1; }
};

/// Blocks of a row from left to right, appended to `out`. A pixel belongs to one block at most.
void blocksOf(const Model& model, const Model::Row& row, const Scale& scale, std::vector<EventBlock>& out);

} // namespace cudal1::timeline
