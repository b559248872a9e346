// SPDX-License-Identifier: GPL-3.0-or-later
// Takes the parts of an evaluation that a table shows.
#include "core/protocol/outcome.h"

#include "core/protocol/marks.h"

namespace cudal1::protocol {

Outcome outcomeOf(const Evaluation& evaluation)
{
    Outcome out;
    out.verdict = evaluation.verdict;
    if (out.verdict == Verdict::Correct) {
        out.wall = evaluation.speedup.wall;
        out.event = evaluation.speedup.event;
        out.gpuBusy = evaluation.speedup.gpuBusy;
    }
    out.marks = marksOf(evaluation);
    if (!evaluation.reasons.empty())
        out.reason = evaluation.reasons.front();
    for (const Reason& label : evaluation.labels)
        out.labels.push_back(label.code);
    out.seconds = evaluation.seconds.total;
    return out;
}

std::string stopText(const std::string& stopReason)
{
    if (stopReason == "interval")
        return "the interval was narrow enough";
    if (stopReason == "clear")
        return "it lies far enough from 1";
    if (stopReason == "budget")
        return "the time allowed was used up";
    if (stopReason == "slower")
        return "it is slower, and cannot win";
    if (stopReason == "instances")
        return "only more processes would have told more";
    return stopReason == "not_timed" ? "not timed" : stopReason;
}

} // namespace cudal1::protocol
