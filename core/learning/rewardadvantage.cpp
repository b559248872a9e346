// SPDX-License-Identifier: GPL-3.0-or-later
// Rewards to advantages.
#include "core/learning/rewardadvantage.h"

#include "core/protocol/advantages.h"

namespace cudal1::learning {

std::vector<std::optional<double>> advantagesFor(const std::vector<std::optional<double>>& rewards,
                                                 const protocol::GrpoSettings& settings)
{
    std::vector<double> known;
    for (const auto& reward : rewards)
        if (reward)
            known.push_back(*reward);
    std::vector<std::optional<double>> out(rewards.size());
    if (known.size() < 2)
        return out;
    const auto advantages = protocol::advantagesOf(known, {settings.baseline, settings.dividesByDeviation});
    std::size_t next = 0;
    for (std::size_t i = 0; i < rewards.size(); ++i)
        if (rewards[i])
            out[i] = advantages.values[next++];
    return out;
}

} // namespace cudal1::learning
