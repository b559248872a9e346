// SPDX-License-Identifier: GPL-3.0-or-later
// Statistics of timings.
#include "core/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

namespace cudal1::base {

namespace {

/// Median that may reorder its argument.
double medianInPlace(std::vector<double>& values)
{
    if (values.empty())
        return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1)
        return *middle;
    return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

double interquartileMeanInPlace(std::vector<double>& values)
{
    const std::size_t count = values.size();
    if (count < 3)
        return count == 0 ? 0 : (values.front() + values.back()) / 2;
    const std::size_t border = count / 4;
    const auto low = values.begin() + static_cast<std::ptrdiff_t>(border),
               high = values.end() - 1 - static_cast<std::ptrdiff_t>(border);
    std::nth_element(values.begin(), low, values.end());
    std::nth_element(low + 1, high, values.end());
    const double part = 1 -
                        (static_cast<double>(count) / 4 - static_cast<double>(border)); // of each value on the border
    return (std::accumulate(low + 1, high, 0.0) + part * (*low + *high)) / (static_cast<double>(count) / 2);
}

/// Uniform index below n; spelled out so that the same seed gives the same interval with every standard library.
std::size_t indexBelow(std::mt19937_64& generator, std::size_t n)
{
    return static_cast<std::size_t>(generator() % n);
}

/// Half width, in logarithms, of what the choice of processes adds. Half of the known variance is the reference's,
/// whose process is the same for all instances; the other half counts as eight instances of the candidate.
double betweenProcesses(const std::map<int, std::vector<double>>& byInstance, double knownSpread)
{
    if (knownSpread <= 0)
        return 0;
    constexpr double known = 8;
    constexpr double t = 2.26; // 97.5 % quantile of Student's distribution with about nine degrees of freedom
    std::vector<double> centres;
    double sum = 0;
    for (const auto& [instance, logRatios] : byInstance) {
        centres.push_back(interquartileMean(logRatios));
        sum += centres.back();
    }
    const double count = static_cast<double>(centres.size());
    double squares = 0;
    for (const double centre : centres)
        squares += (centre - sum / count) * (centre - sum / count);
    const double ofReference = knownSpread * knownSpread / 2;
    const double ofCandidate = (known * ofReference + squares) / (known + count - 1);
    return t * std::sqrt(ofReference + ofCandidate / count);
}

} // namespace

Comparison compare(const Interval& speedup)
{
    if (speedup.low > 1)
        return Comparison::Faster;
    if (speedup.high < 1)
        return Comparison::Slower;
    return speedup.low >= 0.99 && speedup.high <= 1.01 ? Comparison::Same : Comparison::Unclear;
}

Interval ratioOf(const Interval& a, const Interval& b)
{
    if (!a.valid() || !b.valid() || a.low <= 0 || b.low <= 0)
        return {};
    const double estimate = a.estimate / b.estimate;
    const double below = std::hypot(std::log(a.estimate / a.low), std::log(b.high / b.estimate));
    const double above = std::hypot(std::log(a.high / a.estimate), std::log(b.estimate / b.low));
    return {estimate, estimate * std::exp(-below), estimate * std::exp(above)};
}

double median(std::span<const double> values)
{
    std::vector<double> copy(values.begin(), values.end());
    return medianInPlace(copy);
}

double quantile(std::span<const double> values, double q)
{
    if (values.empty())
        return 0;
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const auto above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (sorted[above] - sorted[below]) * (position - static_cast<double>(below));
}

double roundTime(std::span<const double> calls_ns)
{
    if (calls_ns.empty())
        return 0;
    std::vector<double> faster(calls_ns.begin(), calls_ns.end());
    const std::size_t count = (faster.size() + 2) / 3;
    const auto end = faster.begin() + static_cast<std::ptrdiff_t>(count);
    std::nth_element(faster.begin(), end - 1, faster.end());
    return std::accumulate(faster.begin(), end, 0.0) / static_cast<double>(count);
}

double geometricMean(std::span<const double> values)
{
    if (values.empty())
        return 0;
    double sum = 0;
    for (double value : values)
        sum += std::log(value);
    return std::exp(sum / static_cast<double>(values.size()));
}

double interquartileMean(std::span<const double> values)
{
    std::vector<double> copy(values.begin(), values.end());
    return interquartileMeanInPlace(copy);
}

Interval pairedSpeedup(std::span<const PairTimes> pairs, std::uint64_t seed, double instanceSpread, int resamples)
{
    std::map<int, std::vector<double>> byInstance;
    std::vector<double> all;
    for (const PairTimes& pair : pairs) {
        if (pair.reference_ns <= 0 || pair.candidate_ns <= 0)
            continue;
        const double logRatio = std::log(pair.reference_ns / pair.candidate_ns);
        byInstance[pair.instance].push_back(logRatio);
        all.push_back(logRatio);
    }
    if (all.empty())
        return {};
    const double estimate = std::exp(interquartileMean(all));
    if (all.size() == 1)
        return {estimate, estimate / 2, estimate * 2};

    std::vector<const std::vector<double>*> instances;
    instances.reserve(byInstance.size());
    for (const auto& [instance, logRatios] : byInstance)
        instances.push_back(&logRatios);
    std::mt19937_64 generator(seed);
    std::vector<double> estimates;
    estimates.reserve(static_cast<std::size_t>(resamples));
    std::vector<double> draw;
    for (int i = 0; i < resamples; ++i) {
        draw.clear();
        for (std::size_t j = 0; j < instances.size(); ++j) {
            const auto& logRatios = *instances[instanceSpread > 0 ? j : indexBelow(generator, instances.size())];
            for (std::size_t k = 0; k < logRatios.size(); ++k)
                draw.push_back(logRatios[indexBelow(generator, logRatios.size())]);
        }
        estimates.push_back(interquartileMeanInPlace(draw));
    }
    const double centre = std::log(estimate);
    const double between = betweenProcesses(byInstance, instanceSpread);
    const double below = std::hypot(std::max(0.0, centre - quantile(estimates, 0.025)), between);
    const double above = std::hypot(std::max(0.0, quantile(estimates, 0.975) - centre), between);
    return {estimate, std::exp(centre - below), std::exp(centre + above)};
}

double roundTowardOne(double speedup)
{
    // The tolerance keeps 1.12 from becoming 1.11 because 1.12 * 100 is 111.99999999999999.
    const double hundredths = speedup * 100;
    return (speedup >= 1 ? std::floor(hundredths + 1e-9) : std::ceil(hundredths - 1e-9)) / 100;
}

} // namespace cudal1::base
