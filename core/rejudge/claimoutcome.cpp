// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the table.
#include "core/rejudge/claimoutcome.h"

namespace cudal1::rejudge {

std::string ClaimOutcome::word() const
{
    if (!hasCode())
        return "no_code";
    if (stale)
        return "stale";
    return found ? std::string(protocol::toString(found->verdict)) : "not_judged";
}

RejudgeResult foundOf(base::EvaluationId id, const protocol::Evaluation& evaluation)
{
    RejudgeResult found;
    found.id = id;
    found.verdict = evaluation.verdict;
    if (evaluation.verdict == protocol::Verdict::Correct) {
        found.event = evaluation.speedup.event.speedup;
        found.wall = evaluation.speedup.wall.speedup;
    }
    found.reasons = evaluation.reasons;
    for (const protocol::Reason& label : evaluation.labels)
        found.labels.push_back(label.code);
    found.seconds = evaluation.seconds.total;
    return found;
}

} // namespace cudal1::rejudge
