// SPDX-License-Identifier: GPL-3.0-or-later
// What an evaluation is worth to a trainer.
#pragma once

#include "core/protocol/messages.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace cudal1::serve {

/// Both are 0 for a candidate that failed, and empty where the evaluation says nothing of the candidate: its reference
/// failed, it is correct but was not timed or its times say little, or the paper's rules discarded the measurement.
struct Reward {
    /// The paper's rule (section 2.4.4): the speed-up, rounded toward 1 to two decimals. With the preset `paper` it is
    /// what that protocol reports by its own clock, else the wall clock's estimate.
    std::optional<double> paper;
    std::optional<double> estimate; ///< the speed-up by the wall clock, as estimated
    std::string why;                ///< one sentence, why one of them is empty; else empty
};

Reward rewardOf(const protocol::Evaluation& evaluation);

/// Adds "reward", "reward_estimate" (null where empty) and, where one is empty, "reward_why".
void addReward(nlohmann::json& object, const Reward& reward);

} // namespace cudal1::serve
