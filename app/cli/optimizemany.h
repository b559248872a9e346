// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 optimize` over several tasks or devices.
#pragma once

#include "app/cli/context.h"
#include "core/language/policychoice.h"
#include "core/optimize/search.h"

#include <vector>

namespace cudal1::cli {

/// Searches over `tasks` on the devices of the settings ("cuda:0,cuda:1"), one search at a time on each; prints a row a
/// task. Each search has a policy of its own by `choice`; all share the ledger of `sources`, and the first limit of it
/// that is reached stops them. Returns the exit status.
int optimizeMany(Context& context, const optimize::SearchOptions& options, const language::PolicyChoice& choice,
                 const models::ModelSources& sources, const std::vector<store::TaskRecord>& tasks, bool fresh);

} // namespace cudal1::cli
