// SPDX-License-Identifier: GPL-3.0-or-later
// Buckets by score, softmax over their means.
#include "core/language/bucketsampler.h"

#include "core/language/draws.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace cudal1::language {

std::vector<Bucket> BucketSampler::buckets(const std::vector<Scored>& scored) const
{
    std::map<std::int64_t, Bucket> byIndex;
    for (std::size_t at = 0; at < scored.size(); ++at) {
        // 1.2 / 0.1 is 11.999999999999998: a score that was rounded to two decimals belongs where its text says.
        const auto index = static_cast<std::int64_t>(std::floor(scored[at].score / m_width + 1e-9));
        Bucket& bucket = byIndex[index];
        bucket.index = index;
        bucket.members.push_back(at);
        bucket.mean += scored[at].score;
    }
    std::vector<Bucket> out;
    std::vector<double> means;
    for (auto& [index, bucket] : byIndex) {
        bucket.mean /= static_cast<double>(bucket.members.size());
        means.push_back(bucket.mean);
        out.push_back(std::move(bucket));
    }
    const std::vector<double> weights = softmaxWeights(means, m_temperature);
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::size_t at = 0; at < out.size(); ++at)
        out[at].probability = weights[at] / sum;
    return out;
}

std::vector<std::size_t> BucketSampler::sample(const std::vector<Scored>& scored, int most, std::uint64_t seed) const
{
    const std::vector<Bucket> all = buckets(scored);
    std::vector<double> weights;
    for (const Bucket& bucket : all)
        weights.push_back(bucket.probability);
    Draws draws(seed);
    std::vector<std::size_t> out;
    for (const std::size_t at : draws.weightedWithoutRepeats(weights, static_cast<std::size_t>(std::max(0, most))))
        out.push_back(all[at].members[draws.below(all[at].members.size())]);
    return out;
}

} // namespace cudal1::language
