// SPDX-License-Identifier: GPL-3.0-or-later
// Baselines of tasks with what was found, and which of them are still to be measured.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/baselines/baselinekinds.h"
#include "core/protocol/outcome.h"
#include "core/store/project.h"

#include <optional>
#include <string>
#include <vector>

namespace cudal1::baselines {

/// What makes an evaluation count as the one that was asked for.
struct BaselineSettings {
    std::string deviceModel; ///< "NVIDIA H200"
    protocol::Precision precision = protocol::Precision::Kernelbench;
    protocol::Preset preset = protocol::Preset::Quick;
};

/// An evaluation without its samples. Speed-ups are over the reference, which is eager; without one it was not timed.
struct BaselineResult : protocol::Outcome {
    base::EvaluationId id;
    std::string nulls; ///< "zeros passed 20 trials": what passes this task without any work; empty for none
    std::string deviceModel;
};

/// One baseline of one task.
struct BaselineRow {
    const BaselineKind* kind = nullptr;
    base::TaskId task;
    std::string taskName;
    std::string suite;       ///< and version, as the task is pinned; empty for a single file
    int level = 0;           ///< 0 for a single file
    base::VariantId variant; ///< none where the project does not have it yet
    std::optional<BaselineResult> found;

    bool correct() const { return found && found->verdict == protocol::Verdict::Correct; }
    /// "correct", "does_not_build", "not_measured"
    std::string word() const;
};

/// A row for each task and kind, task by task, so that a task's reference serves all its baselines. `found` is the
/// newest evaluation with these settings of this very program for this very text of the task.
base::Result<std::vector<BaselineRow>> rowsOf(const store::Project& project,
                                              const std::vector<store::TaskRecord>& tasks,
                                              const std::vector<const BaselineKind*>& kinds,
                                              const BaselineSettings& settings);

/// What the project has of one task in its present text, one row a kind: its newest program, with its newest evaluation
/// on any device. Kinds without an evaluation are left out.
base::Result<std::vector<BaselineRow>> latestOf(const store::Project& project, const base::TaskId& task);
/// The same with the variant that each is, and its whole evaluation.
struct Latest : BaselineRow {
    store::VariantRow measured;
    protocol::Evaluation evaluation;
};
base::Result<std::vector<Latest>> latestInFull(const store::Project& project, const base::TaskId& task);

/// The rows that have nothing found (all of them with `again`), the first `limit` of them (0: all), as variants that
/// the project then has, in the order of the rows; their task comes in with them.
base::Result<std::vector<base::VariantId>> prepare(store::Project& project, const std::vector<store::TaskRecord>& tasks,
                                                   const std::vector<BaselineRow>& rows, bool again, int limit);

} // namespace cudal1::baselines
