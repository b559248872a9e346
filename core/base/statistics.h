// SPDX-License-Identifier: GPL-3.0-or-later
// Statistics of timings: medians, bootstrap intervals of paired log-ratios, the paper's conservative rounding.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cudal1::base {

/// An estimate with its 95 % interval. A speed-up is reference time / candidate time, so above 1 is faster.
struct Interval {
    double estimate = 0;
    double low = 0;
    double high = 0;

    bool valid() const { return estimate > 0; }
    /// Half of the width relative to the estimate; measuring stops at 0.01.
    double relativeHalfWidth() const { return estimate > 0 ? (high - low) / 2 / estimate : 1e9; }
    bool operator==(const Interval&) const = default;
};

/// What an interval of a ratio says: never forced where it straddles 1.
enum class Comparison {
    Faster,  ///< low above 1
    Slower,  ///< high below 1
    Same,    ///< straddles 1 and lies within 0.99 to 1.01
    Unclear, ///< straddles 1 and is wider than that
};

Comparison compare(const Interval& speedup);

/// a / b of two quantities that were measured independently, both positive: the intervals' ends are joined in
/// quadrature, of logarithms. Invalid when either is.
Interval ratioOf(const Interval& a, const Interval& b);

/// Median of unordered values (mean of the middle two for an even count); 0 for none.
double median(std::span<const double> values);

/// Linear-interpolated quantile, q in [0, 1]; 0 for none.
double quantile(std::span<const double> values, double q);

/// Geometric mean of positive values; 0 for none.
double geometricMean(std::span<const double> values);

/// Mean of the middle half of unordered values, values on the border count in part; 0 for none. As deaf to outliers as
/// a median, and a sixth less uncertain where most values are well behaved.
double interquartileMean(std::span<const double> values);

/// What stands for a round: the mean of the faster third of its calls, since what disturbs a call adds to it; 0 for
/// none.
double roundTime(std::span<const double> calls_ns);

/// Times of one pair of rounds, one instance of the candidate process: roundTime() of both sides in nanoseconds.
struct PairTimes {
    double reference_ns = 0;
    double candidate_ns = 0;
    int instance = 0;
};

/// Speed-up of paired rounds: exp of the interquartile mean of ln(reference / candidate) over pairs. The 95 % interval
/// is the percentile bootstrap over instances and, within an instance, over pairs, seeded so that it is reproducible.
/// `instanceSpread` is the standard deviation of ln(ratio) between two processes of the reference and of the candidate
/// where it is known for this kind of work: then the bootstrap is over the pairs of each instance, joined (in
/// quadrature, of logarithms) with that spread. Half of its variance is the reference's, whose process is the same in
/// all pairs, so that more instances do not make it smaller. The other half is the candidate's; with more instances,
/// their measured spread replaces it step by step. So the interval of a single instance is honest too. With one pair
/// the interval is [estimate/2, estimate*2]: one pair proves nothing about spread.
Interval pairedSpeedup(std::span<const PairTimes> pairs, std::uint64_t seed, double instanceSpread = 0,
                       int resamples = 2000);

/// The paper's reward rounding: to two decimals toward 1 (1.118 -> 1.11, 0.992 -> 1.00, 0.987 -> 0.99).
double roundTowardOne(double speedup);

} // namespace cudal1::base
