// SPDX-License-Identifier: GPL-3.0-or-later
// The share of the floor in a variant's time.
#include "core/protocol/floorshare.h"

namespace cudal1::protocol {

double floorShare(const Evaluation& evaluation, double taskFloor_ns)
{
    const ClockSpeedup& wall = evaluation.speedup.wall;
    const double floor_ns = evaluation.floor.time_ns > 0 ? evaluation.floor.time_ns : taskFloor_ns;
    return evaluation.verdict == Verdict::Correct && wall.valid() ? floorShare(floor_ns, wall.candidate_ns) : 0;
}

double floorShare(double floor_ns, double call_ns)
{
    return floor_ns > 0 && call_ns > 0 ? floor_ns / call_ns : 0;
}

} // namespace cudal1::protocol
