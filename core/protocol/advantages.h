// SPDX-License-Identifier: GPL-3.0-or-later
// How much better a reply is than the others to the same prompt (the paper's equation 4).
#pragma once

#include "core/protocol/training.h"

#include <span>
#include <vector>

namespace cudal1::protocol {

struct AdvantageSettings {
    /// What a reward is compared with: GroupMean is equation 4, the mean of all rewards of the group; LeaveOneOut the
    /// mean of the others, which does not depend on the reply's own.
    RewardBaseline baseline = RewardBaseline::GroupMean;
    bool dividesByDeviation = true; ///< equation 4; else differences of rewards as they are
    double leastDeviation = 1e-6;   ///< a group whose rewards deviate by no more has no variance
};

struct GroupAdvantages {
    std::vector<double> values; ///< one a reply; all 0 where the group has no variance
    double mean = 0;            ///< of the rewards
    double deviation = 0;       ///< of the rewards, with n - 1 in the denominator
    bool hasVariance = false;
};

/// Rewards of one group, of two replies at least.
GroupAdvantages advantagesOf(std::span<const double> rewards, const AdvantageSettings& settings);

} // namespace cudal1::protocol
