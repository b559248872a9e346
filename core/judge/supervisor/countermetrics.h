// SPDX-License-Identifier: GPL-3.0-or-later
// Which of the hardware's counters are asked for, by NVIDIA's names, and what they say.
#pragma once

#include "core/protocol/counters.h"

#include <map>
#include <string>
#include <vector>

namespace cudal1::judge {

/// By name, as CUPTI and ncu have them. A chip has some names and not others: what it has is added up.
const std::vector<std::string>& counterMetrics();

/// Of one launch. What its metrics do not say has no value.
protocol::KernelMetrics metricsOf(const std::map<std::string, double>& counted);

/// One launch as it was counted.
struct CountedLaunch {
    std::string kernel; ///< its readable name; empty where who counted does not say
    std::map<std::string, double> metrics;
};

/// How many kernels the last recorded call launched.
std::size_t launchesOfLastCall(const protocol::Timeline& timeline);

/// Gives the rows of a side what was counted in the launches of one call. `timeline` is of the same call, recorded
/// before: by the order of launching it says which launch is of which kernel. Where the two do not fit together the
/// side gets a note instead. True when it got counts.
bool addCounts(protocol::CounterSide& side, const protocol::Timeline& timeline,
               const std::vector<CountedLaunch>& launches);

} // namespace cudal1::judge
