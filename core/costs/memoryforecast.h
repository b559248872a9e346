// SPDX-License-Identifier: GPL-3.0-or-later
// How much memory judging a task will need on a device, before anything runs.
#pragma once

#include "core/costs/costs.h"

namespace cudal1::costs {

/// Bytes by who holds them. All are there at once while a candidate that behaves as the reference does is checked.
struct MemoryForecast {
    double arena_bytes = 0;     ///< shared by all: inputs twice, parameters once, outputs once
    double reference_bytes = 0; ///< weights, drawn inputs twice, expected outputs, intermediates, what comparing takes
    double timed_bytes = 0;     ///< the reference that is timed: weights and intermediates
    double candidate_bytes = 0; ///< weights, intermediates, results that are held at the same time
    double contexts_bytes = 0;  ///< what the processes take before they compute anything
    bool lowerBound = false;    ///< the operator list ends early: at least this much

    double total_bytes() const
    {
        return arena_bytes + reference_bytes + timed_bytes + candidate_bytes + contexts_bytes;
    }
};

/// Intermediates are those of the reference as written; a candidate may need more or less. Libraries' workspaces are
/// not in it.
MemoryForecast forecast(const Costs& costs, bool gpu);

/// False only where the device's memory is known and less than the forecast.
bool fits(const MemoryForecast& forecast, double memory_bytes);

} // namespace cudal1::costs
