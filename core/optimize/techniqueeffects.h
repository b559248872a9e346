// SPDX-License-Identifier: GPL-3.0-or-later
// What techniques bring, over the tasks of a project: pairs of variants that differ by one technique alone.
#pragma once

#include "core/base/ids.h"
#include "core/base/statistics.h"
#include "core/store/project.h"

#include <string>
#include <vector>

namespace cudal1::optimize {

struct TechniqueEffect {
    std::string technique;
    std::vector<base::TaskId> tasks; ///< that have a pair
    int pairs = 0;
    /// Geometric mean over tasks of the speed-up with it over the speed-up without it. Its interval is Student's over
    /// tasks, or that of the measurement where there is one task.
    base::Interval ratio;
};

/// Of the groups on one device model; the reference stands for the variant that uses no technique. Largest first.
std::vector<TechniqueEffect> techniqueEffects(const std::vector<store::ResultGroup>& groups,
                                              const std::string& deviceModel);

} // namespace cudal1::optimize
