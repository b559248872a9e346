// SPDX-License-Identifier: GPL-3.0-or-later
// Equation 4 and its variants.
#include "core/protocol/advantages.h"

#include <cmath>
#include <numeric>

namespace cudal1::protocol {

GroupAdvantages advantagesOf(std::span<const double> rewards, const AdvantageSettings& settings)
{
    GroupAdvantages out;
    out.values.assign(rewards.size(), 0);
    const auto count = static_cast<double>(rewards.size());
    if (rewards.size() < 2)
        return out;
    out.mean = std::accumulate(rewards.begin(), rewards.end(), 0.0) / count;
    double squares = 0;
    for (const double reward : rewards)
        squares += (reward - out.mean) * (reward - out.mean);
    out.deviation = std::sqrt(squares / (count - 1));
    out.hasVariance = out.deviation > settings.leastDeviation;
    if (!out.hasVariance)
        return out;
    // The mean of the others is (n mean - r) / (n - 1), so that r minus it is n / (n - 1) times r minus the mean.
    const double scale = (settings.baseline == RewardBaseline::LeaveOneOut ? count / (count - 1) : 1) /
                         (settings.dividesByDeviation ? out.deviation : 1);
    for (std::size_t i = 0; i < rewards.size(); ++i)
        out.values[i] = (rewards[i] - out.mean) * scale;
    return out;
}

} // namespace cudal1::protocol
