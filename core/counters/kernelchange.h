// SPDX-License-Identifier: GPL-3.0-or-later
// Kernel by kernel, where the time of one side went in another.
#pragma once

#include "core/protocol/counters.h"

#include <string>
#include <vector>

namespace cudal1::counters {

/// What has one name on either side; times are of a call. Those of kernels that run side by side add up to more than
/// it.
struct KernelChange {
    std::string name;
    double aLaunches = 0, bLaunches = 0;
    double a_ns = 0, b_ns = 0;
    double share = 0;                  ///< of the change of a call's time; 0 where that did not change
    double aCall_ns = 0, bCall_ns = 0; ///< what the call takes as a whole; the same in all rows

    double gained_ns() const { return a_ns - b_ns; } ///< above 0: B takes less
};

/// Kernels of both sides by name, those with the largest difference first; among them copies and memsets as one row,
/// where both sides know of them and one has some. The last row has what is left of the calls: "(host and gaps)", or
/// "(host, copies and gaps)" where a side does not know of its copies. All rows together have the calls' times, but
/// where kernels run side by side and add up to more than the call: there the last row is 0.
std::vector<KernelChange> changesOf(const protocol::CounterSide& a, const protocol::CounterSide& b);

} // namespace cudal1::counters
