// SPDX-License-Identifier: GPL-3.0-or-later
// Rewards by the paper's rule.
#include "core/serve/trainerreward.h"

#include "core/protocol/marks.h"
#include "core/protocol/reward.h"

namespace cudal1::serve {

using protocol::Verdict;

Reward rewardOf(const protocol::Evaluation& evaluation)
{
    if (evaluation.verdict == Verdict::ReferenceFailed)
        return {{}, {}, "The reference failed, which says nothing of the candidate"};
    if (evaluation.verdict == Verdict::Cancelled)
        return {{}, {}, "The evaluation was cancelled"};
    if (evaluation.verdict != Verdict::Correct)
        return {0, 0, {}};
    Reward out;
    const auto& wall = evaluation.speedup.wall;
    const std::string labels = protocol::labelCodes(evaluation);
    const auto byWall = protocol::rewardOf(evaluation.verdict, wall.speedup, labels);
    if (byWall)
        out.estimate = wall.speedup.estimate;
    if (!evaluation.paper) {
        out.paper = byWall;
        if (!byWall)
            out.why = protocol::timesSayLittle(labels) ? "Other work wanted the cores for as long as it was timed"
                                                       : "The candidate is correct but was not timed";
        return out;
    }
    const protocol::PaperClock& clock = evaluation.paper->deciding();
    if (!clock.valid())
        out.why = "The paper's protocol gave no number";
    else if (!evaluation.paper->accepted)
        out.why = clock.gatePassed ? "The paper's verification did not confirm the measurement"
                                   : "The paper's gate discarded the measurement: its buckets vary too much";
    else
        out.paper = clock.reported;
    return out;
}

void addReward(nlohmann::json& object, const Reward& reward)
{
    const auto orNull = [](const std::optional<double>& value) {
        return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
    };
    object["reward"] = orNull(reward.paper);
    object["reward_estimate"] = orNull(reward.estimate);
    if (!reward.why.empty())
        object["reward_why"] = reward.why;
}

} // namespace cudal1::serve
