// SPDX-License-Identifier: GPL-3.0-or-later
// Walks a row by pixels: what shares a pixel is skipped by a search that doubles its steps.
#include "core/timeline/blocks.h"

#include <algorithm>
#include <cmath>

namespace cudal1::timeline {

namespace {

/// The first event in [from, last) that begins at or after `time_ns`; most often about `near` events further.
EventIndex firstFrom(const Model& model, EventIndex from, EventIndex last, double time_ns, EventIndex near)
{
    EventIndex low = from, step = std::max<EventIndex>(1, near);
    while (low + step < last && static_cast<double>(model.begin_ns[low + step]) < time_ns) {
        low += step;
        step *= 2;
    }
    const auto begin = model.begin_ns.begin();
    return static_cast<EventIndex>(
        std::lower_bound(begin + low, begin + std::min(last, low + step), time_ns,
                         [](std::int64_t at_ns, double wanted_ns) { return static_cast<double>(at_ns) < wanted_ns; }) -
        begin);
}

} // namespace

void blocksOf(const Model& model, const Model::Row& row, const Scale& scale, std::vector<EventBlock>& out)
{
    const auto end = model.end_ns.begin();
    auto at = static_cast<EventIndex>(
        std::upper_bound(end + row.first, end + row.last, scale.from_ns,
                         [](double from_ns, std::int64_t end_ns) { return from_ns < static_cast<double>(end_ns); }) -
        end);
    const double to_ns = scale.to_ns();
    int free = 0;        // the first pixel that no block has
    EventIndex jump = 1; // neighbouring pixels hold about as many events
    while (at < row.last && static_cast<double>(model.begin_ns[at]) < to_ns) {
        const double x0 = scale.x(static_cast<double>(model.begin_ns[at])),
                     x1 = scale.x(static_cast<double>(model.end_ns[at]));
        int left = std::max(0, static_cast<int>(std::floor(std::max(x0, 0.0))));
        if (x1 - x0 >= 1) {
            left = std::max(left, free);
            const int right = std::min(
                scale.width, std::max(left + 1, static_cast<int>(std::floor(std::min(x1, double(scale.width))))));
            if (left < scale.width)
                out.push_back({at, at + 1, left, right, 1, model.misplacedBefore[at + 1] > model.misplacedBefore[at]});
            free = right;
            ++at;
            continue;
        }
        // All that begins in this pixel and is shorter than one; a longer one gets a block of its own.
        const double pixelEnd_ns = scale.time_ns(left + 1);
        EventIndex next = std::max(at + 1, firstFrom(model, at, row.last, pixelEnd_ns, jump));
        jump = next - at;
        if (next - at > 1 && static_cast<double>(model.duration_ns(next - 1)) >= scale.perPixel_ns)
            --next; // only the last that begins here can reach beyond a whole pixel
        const double busy_ns = static_cast<double>(model.before_ns[next] - model.before_ns[at]);
        const bool misplaced = model.misplacedBefore[next] > model.misplacedBefore[at];
        const auto filled = static_cast<float>(std::min(1.0, busy_ns / scale.perPixel_ns));
        if (left >= free) {
            out.push_back({at, next, left, left + 1, filled, misplaced});
            free = left + 1;
        } else if (!out.empty()) {
            // The pixel is full: of a longer event that was moved there because its own was taken.
            out.back().misplaced = out.back().misplaced || misplaced;
        }
        at = next;
    }
}

} // namespace cudal1::timeline
