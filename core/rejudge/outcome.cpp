// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the table.
#include "core/rejudge/outcome.h"

namespace cudal1::rejudge {

std::string Outcome::word() const
{
    if (!hasCode())
        return "no_code";
    if (stale)
        return "stale";
    return found ? std::string(protocol::toString(found->verdict)) : "not_judged";
}

Found foundOf(base::EvaluationId id, const protocol::Evaluation& evaluation)
{
    Found found;
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
