// SPDX-License-Identifier: GPL-3.0-or-later
// From what is known of baselines to what is left to measure.
#include "core/baselines/baselinerecipe.h"

namespace cudal1::baselines {

base::Result<batch::Recipe> recipeFor(store::Project& project, const std::vector<store::TaskRecord>& tasks,
                                      const std::vector<BaselineRow>& rows, const batch::BatchOptions& options,
                                      bool again, int limit)
{
    batch::Recipe out;
    auto unfinished = batch::BatchRun::unfinished(project, options);
    if (!unfinished)
        return unfinished.error();
    out.unfinished = std::move(*unfinished);
    if (out.unfinished && (again || limit > 0))
        return out; // more would be too much
    auto variants = prepare(project, tasks, rows, again, limit);
    if (!variants)
        return variants.error();
    out.variants = std::move(*variants);
    return out;
}

} // namespace cudal1::baselines
