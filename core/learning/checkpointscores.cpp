// SPDX-License-Identifier: GPL-3.0-or-later
// Shares and means over tasks, resampled.
#include "core/learning/checkpointscores.h"

#include "core/store/project.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace cudal1::learning {

namespace {

constexpr int resamples = 2000;

} // namespace

base::Interval bootstrapMean(const std::vector<double>& values, std::uint64_t seed)
{
    if (values.empty())
        return {};
    const double count = double(values.size());
    std::mt19937_64 random(seed);
    std::vector<double> means;
    for (int i = 0; i < resamples; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < values.size(); ++j)
            sum += values[random() % values.size()];
        means.push_back(sum / count);
    }
    return {std::accumulate(values.begin(), values.end(), 0.0) / count, base::quantile(means, 0.025),
            base::quantile(means, 0.975)};
}

void CheckpointScores::add(const std::vector<bool>& correct, const std::vector<double>& rewards)
{
    if (correct.empty() || correct.size() != rewards.size())
        return;
    ++tasks;
    const double count = double(correct.size());
    const auto good = std::count(correct.begin(), correct.end(), true);
    const auto faster = std::count_if(rewards.begin(), rewards.end(),
                                      [](double one) { return one > store::TaskRow::leastGain; });
    m_successAtOne.push_back(double(good) / count);
    m_successAtMany.push_back(good > 0);
    m_fasterAtOne.push_back(double(faster) / count);
    m_fasterAtMany.push_back(faster > 0);
    m_reward.push_back(std::accumulate(rewards.begin(), rewards.end(), 0.0) / count);
    m_best.push_back(*std::max_element(rewards.begin(), rewards.end()));
}

void CheckpointScores::finish(std::uint64_t seed)
{
    successAtOne = bootstrapMean(m_successAtOne, seed);
    successAtMany = bootstrapMean(m_successAtMany, seed);
    fasterAtOne = bootstrapMean(m_fasterAtOne, seed);
    fasterAtMany = bootstrapMean(m_fasterAtMany, seed);
    reward = bootstrapMean(m_reward, seed);
    best = bootstrapMean(m_best, seed);
}

} // namespace cudal1::learning
