// SPDX-License-Identifier: GPL-3.0-or-later
// Rewards to advantages.
#include "core/learning/rewardadvantage.h"

#include <cmath>

namespace cudal1::learning {

std::vector<std::optional<double>> advantagesFor(const std::vector<std::optional<double>>& rewards,
                                                 const protocol::GrpoSettings& settings)
{
    double sum = 0, squares = 0, n = 0;
    for (const auto& reward : rewards)
        if (reward) {
            sum += *reward;
            ++n;
        }
    std::vector<std::optional<double>> out(rewards.size());
    if (n < 2)
        return out;
    for (const auto& reward : rewards)
        squares += reward ? (*reward - sum / n) * (*reward - sum / n) : 0;
    const double deviation = std::sqrt(squares / (n - 1));
    for (std::size_t i = 0; i < rewards.size(); ++i) {
        if (!rewards[i])
            continue;
        const bool others = settings.baseline == protocol::RewardBaseline::LeaveOneOut;
        const double value = *rewards[i] - (others ? (sum - *rewards[i]) / (n - 1) : sum / n);
        out[i] = deviation < 1e-6 ? 0 : settings.dividesByDeviation ? value / deviation : value;
    }
    return out;
}

} // namespace cudal1::learning
