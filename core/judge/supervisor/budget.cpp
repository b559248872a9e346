// SPDX-License-Identifier: GPL-3.0-or-later
// The budgets of presets.
#include "core/judge/supervisor/budget.h"

#include <algorithm>
#include <cmath>

namespace cudal1::judge {

Budget budgetOf(protocol::Preset preset, std::string_view device)
{
    Budget budget;
    if (device.starts_with("cuda")) {
        budget.time_s = 0.33;
        budget.mostKept = 2; // a CPU's round has few calls, and whoever is wrong in one of four must be found
    }
    if (preset == protocol::Preset::Standard)
        budget = {.minTrials = 20,
                  .maxTrials = 100,
                  .check_s = 4,
                  .time_s = 10,
                  .instances = 3,
                  .weightSets = 2,
                  .settle_s = 0.3,
                  .ownFlush = false,
                  .mostKept = 4,
                  .halfWidth = 0.01,
                  .clearBy = 0,
                  .paper = {}};
    if (preset == protocol::Preset::Paper)
        return budgetOf(protocol::PaperRules{});
    return budget;
}

Budget budgetOf(const protocol::PaperRules& rules)
{
    Budget budget = budgetOf(protocol::Preset::Standard, {});
    budget.minTrials = budget.maxTrials = rules.trials;
    if (rules.applies(protocol::PaperRule::Window))
        budget.time_s = std::min(budget.time_s, 60 * rules.minutes);
    budget.ownInputsOnly = true;
    budget.paper = rules;
    return budget;
}

Budget budgetOfConfirmation()
{
    return {.maxTrials = 10,
            .check_s = 0.5,
            .time_s = 0.8,
            .settle_s = 0.05,
            .ownFlush = false,
            .mostKept = 4,
            .halfWidth = 0.015,
            .clearBy = 0,
            .paper = {}};
}

bool knownWellEnough(const base::Interval& speedup, const Budget& budget)
{
    if (!speedup.valid() || speedup.low <= 0)
        return false;
    if (speedup.relativeHalfWidth() <= budget.halfWidth)
        return true;
    const double halfWidth = std::log(speedup.high / speedup.low) / 2;
    return budget.clearBy > 0 && halfWidth <= budget.mostHalfWidth &&
           std::abs(std::log(speedup.estimate)) >= budget.clearBy * halfWidth;
}

} // namespace cudal1::judge
