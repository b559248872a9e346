// SPDX-License-Identifier: GPL-3.0-or-later
// An experiment as the project keeps it: a run of a kind of its own, with what its file says and where it was begun.
//
// The runs of its policies, methods, tasks and seeds are found by their parameters, so an experiment holds no list of
// them, and two experiments that share a run share its result.
#pragma once

#include "core/experiment/experimentplan.h"
#include "core/experiment/experimentrows.h"
#include "core/models/ledger.h"
#include "core/optimize/options.h"

namespace cudal1::experiment {

inline constexpr const char* runKind = "experiment";

struct ExperimentTask {
    base::TaskId id;
    std::string hash;
    int level = 0;
    bool heldOut = false; ///< nothing is learned from it: by the rule of its suite, or since the file says so
};

struct ExperimentRecord {
    base::RunId id;      ///< none: not kept yet
    std::string name;    ///< of its file, without the ending
    ExperimentPlan plan; ///< its tasks are `tasks`, whatever the file named them by
    std::vector<ExperimentTask> tasks;
    std::vector<std::string> storedNames; ///< of the plan's policies, as runs and samples have them
    std::string evaluator;                ///< as optimize::SearchOptions has it
    std::string device, deviceModel;
    protocol::Precision precision = protocol::Precision::Kernelbench;
    protocol::Preset preset = protocol::Preset::Standard;
    // As last read.
    store::RunState state = store::RunState::Stopped;
    bool running = false; ///< by its row, and so is its process
    std::string message;  ///< why it stopped or failed
    std::int64_t created_ms = 0;

    /// Every combination, none of them begun; in the order in which they are made.
    std::vector<CellResult> cells() const;
    /// What the run of a combination is asked for; its task has no source.
    optimize::SearchOptions optionsOf(const CellResult& cell) const;
    const std::string& policyOf(const CellResult& cell) const; ///< as the run's row names it
};

/// `heldOut`: the tasks that the plan's list of that name came to, which are among `tasks` too.
/// Tasks and names are filled in from `tasks` and from the plan. InvalidArgument for a policy that is several, and what
/// PolicyChoice says of names; a recording is read for the name of its model.
base::Result<ExperimentRecord> recordOf(ExperimentPlan plan, std::string name,
                                        const std::vector<store::TaskRecord>& tasks,
                                        const std::vector<base::TaskId>& heldOut = {});
/// "sft.1a2b3c4d" of a model of the experiment's own: what makes it another model makes this another name.
std::string ownModelName(const ExperimentRecord& record, const std::string& model);
/// Fills in the id: of the row with the same plan, tasks, device, precision and preset, else of a new one. Name and
/// limits are of the last time.
base::Status keep(store::Project& project, ExperimentRecord& record);
/// The row that keep() would find; none where it would make one.
base::Result<base::RunId> knownAs(const store::Project& project, const ExperimentRecord& record);
/// Newest first; what a later version has written is left out.
base::Result<std::vector<ExperimentRecord>> experimentsOf(const store::Project& project);
base::Result<ExperimentRecord> experimentOf(const store::Project& project, base::RunId id);

/// One for each of cells(), with the run of each among those that the project has and what it came to so far.
base::Result<std::vector<CellResult>> resultsOf(const store::Project& project, const ExperimentRecord& record);

} // namespace cudal1::experiment
