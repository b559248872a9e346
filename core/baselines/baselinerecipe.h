// SPDX-License-Identifier: GPL-3.0-or-later
// What a run over baselines has to do.
#pragma once

#include "core/baselines/baselinerows.h"
#include "core/batch/batchrun.h"

namespace cudal1::baselines {

/// The run's kind in the store.
constexpr const char* runKind = "baselines";

/// The baselines among `rows` that are not measured with these settings, and the unfinished run with these options.
/// With `again` all of them, unless such a run was stopped: then what it has left is all that it was to do. `limit`: at
/// most so many; 0 for all. Adds the programs to the project that are not in it yet.
base::Result<batch::Recipe> recipeFor(store::Project& project, const std::vector<store::TaskRecord>& tasks,
                                      const std::vector<BaselineRow>& rows, const batch::BatchOptions& options,
                                      bool again, int limit);

} // namespace cudal1::baselines
