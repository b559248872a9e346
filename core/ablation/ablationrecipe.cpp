// SPDX-License-Identifier: GPL-3.0-or-later
// From what is known of combinations to what is left to judge.
#include "core/ablation/ablationrecipe.h"

namespace cudal1::ablation {

base::Result<batch::Recipe> recipeFor(const store::Project& project, const store::AblationRecord& record,
                                      const std::vector<CombinationRow>& rows, batch::BatchOptions& options, bool again)
{
    options.selection = selectionOf(record, again);
    auto unfinished = batch::BatchRun::unfinished(project, options);
    if (!unfinished)
        return unfinished.error();
    batch::Recipe out;
    out.unfinished = std::move(*unfinished);
    if (!out.unfinished || !again)
        out.variants = toJudge(rows, again);
    return out;
}

} // namespace cudal1::ablation
