// SPDX-License-Identifier: GPL-3.0-or-later
// What a run over the combinations of an ablation has to do.
#pragma once

#include "core/ablation/ablation.h"
#include "core/batch/batchrun.h"

namespace cudal1::ablation {

/// The combinations among `rows` that have no evaluation with these settings, and the unfinished run of this ablation.
/// With `again` all of them, unless such a run was stopped: then what it has left is all that it was to do. Writes into
/// `options` which ablation it is.
base::Result<batch::Recipe> recipeFor(const store::Project& project, const store::AblationRecord& record,
                                      const std::vector<CombinationRow>& rows, batch::BatchOptions& options,
                                      bool again);

} // namespace cudal1::ablation
