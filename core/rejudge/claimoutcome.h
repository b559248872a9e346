// SPDX-License-Identifier: GPL-3.0-or-later
// One published candidate, with what was claimed and what was found, as a row of the table of `cudal1 rejudge`.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/protocol/messages.h"
#include "core/store/project.h"

#include <optional>
#include <string>
#include <vector>

namespace cudal1::rejudge {

/// An evaluation without its samples.
struct RejudgeResult {
    base::EvaluationId id;
    protocol::Verdict verdict = protocol::Verdict::ReferenceFailed;
    base::Interval event; ///< the paper's clock; invalid when not timed, or without a GPU
    base::Interval wall;  ///< ours
    std::vector<protocol::Reason> reasons;
    std::vector<std::string> labels; ///< codes
    double seconds = 0;
};

struct ClaimOutcome {
    std::string source, key;
    base::TaskId task;
    std::string taskName;
    std::string suite;       ///< version of the task that it was judged against
    base::VariantId variant; ///< none for a row without code
    std::optional<double> claimed;
    std::optional<bool> claimedCorrect;
    std::vector<std::string> irregularities;
    bool stale = false; ///< made for another text of the task than the project has now; cannot be judged
    std::optional<RejudgeResult> found;

    bool hasCode() const { return bool(variant); }
    /// Counted in a summary: it was judged against the present text of the task, or there is nothing to judge.
    bool settled() const { return (found.has_value() && !stale) || !hasCode(); }
    bool correct() const { return found && found->verdict == protocol::Verdict::Correct; }
    /// "correct", "no_code", "not_judged", … : a verdict's word, or why there is none.
    std::string word() const;
};

RejudgeResult foundOf(base::EvaluationId id, const protocol::Evaluation& evaluation);

} // namespace cudal1::rejudge
