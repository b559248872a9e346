// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of an experiment waited for: a live line, Ctrl+C, the outcome.
#pragma once

#include "app/cli/experimentmodels.h"
#include "core/models/ledger.h"

#include <algorithm>
#include <vector>

namespace cudal1::cli {

/// What an experiment came to, as far as it went.
struct ExperimentOutcome {
    std::vector<experiment::Arm> arms;
    std::vector<experiment::CellResult> results;
    base::Status ended;            ///< why it did not come to its end
    models::Ledger::Totals ledger; ///< of all processes that have worked at it

    std::int64_t done() const
    {
        return std::count_if(results.begin(), results.end(),
                             [](const experiment::CellResult& one) { return one.done; });
    }
};

/// Makes the models that the rows need, and then the runs that are not done: one at a time on each of the `devices`
/// that the client judges on, or eight and more if models draw elsewhere, which draw for several tasks together.
ExperimentOutcome makeExperiment(Context& context, store::Project& project, Client& client, Interrupt& interrupt,
                                 const experiment::ExperimentRecord& record,
                                 const std::vector<store::TaskRecord>& tasks, ExperimentModels& models,
                                 const std::vector<protocol::DeviceInfo>& devices);

} // namespace cudal1::cli
