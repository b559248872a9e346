// SPDX-License-Identifier: GPL-3.0-or-later
// Kernel by kernel, where the time of one side went in another.
#pragma once

#include "core/protocol/counters.h"

#include <string>
#include <vector>

namespace cudal1::counters {

/// What has one name on either side; times are of a call.
struct KernelChange {
    std::string name;
    double aLaunches = 0, bLaunches = 0;
    double a_ns = 0, b_ns = 0;
    double share = 0; ///< of the change of a call's time; 0 where that did not change

    double gained_ns() const { return a_ns - b_ns; } ///< above 0: B takes less
};

/// Kernels of both sides by name, those with the largest difference first. The last row, "(host and gaps)", has what is
/// left of the calls; all rows together have the calls' times. Where kernels run side by side it is below 0.
std::vector<KernelChange> changesOf(const protocol::CounterSide& a, const protocol::CounterSide& b);

} // namespace cudal1::counters
