// SPDX-License-Identifier: GPL-3.0-or-later
// The arithmetic of the paper's measuring protocol.
#include "core/base/paperprotocol.h"

#include "core/base/statistics.h"

#include <cmath>
#include <numeric>

namespace cudal1::base {

namespace {

double mean(std::span<const double> values)
{
    return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

} // namespace

std::vector<double> bucketMeans(std::span<const double> ratios, std::size_t buckets)
{
    std::vector<double> means;
    if (buckets == 0 || ratios.size() < buckets)
        return means;
    for (std::size_t i = 0; i < buckets; ++i) {
        const std::size_t begin = i * ratios.size() / buckets, end = (i + 1) * ratios.size() / buckets;
        means.push_back(mean(ratios.subspan(begin, end - begin)));
    }
    return means;
}

double sampleVariance(std::span<const double> values)
{
    if (values.size() < 2)
        return 0;
    const double centre = mean(values);
    double squares = 0;
    for (const double value : values)
        squares += (value - centre) * (value - centre);
    return squares / static_cast<double>(values.size() - 1);
}

PaperSummary paperSummary(std::span<const double> ratios, const PaperSettings& settings)
{
    PaperSummary out;
    std::span<const double> values = ratios;
    if (settings.inBuckets) {
        out.bucketMeans = bucketMeans(ratios, settings.buckets > 0 ? static_cast<std::size_t>(settings.buckets) : 0);
        values = out.bucketMeans;
    }
    if (values.empty())
        return out;
    out.variance = sampleVariance(out.bucketMeans);
    out.gatePassed = !settings.inBuckets || out.variance <= settings.gate;
    out.measured = settings.byMedian ? median(values) : mean(values);
    out.reported = settings.rounded ? roundTowardOne(out.measured) : out.measured;
    return out;
}

bool needsVerification(double speedup, double bestSoFar)
{
    return speedup > 3 || (bestSoFar > 0 && speedup > 2 * bestSoFar);
}

bool verifies(double first, double second)
{
    // The tolerance keeps 2.2 within 10 % of 2, of which it is 10.000000000000009 % off.
    return first > 0 && second > 0 && std::abs(second / first - 1) <= 0.1 + 1e-9;
}

} // namespace cudal1::base
