// SPDX-License-Identifier: GPL-3.0-or-later
// The arithmetic of the paper's measuring protocol (CUDA-L1, arXiv 2507.14111, its section on robust measurement).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cudal1::base {

/// Means of `buckets` consecutive parts of the ratios, in order; the sizes of the parts differ by at most one. Empty
/// when there are fewer ratios than buckets, or no bucket.
std::vector<double> bucketMeans(std::span<const double> ratios, std::size_t buckets);

/// Sample variance (divided by n - 1); 0 for fewer than two values. The paper does not say which variance it means;
/// this one is the larger, so the gate is the stricter.
double sampleVariance(std::span<const double> values);

/// What the rules say of an evaluation's ratios (reference time / candidate time, one a round, in order).
struct PaperSettings {
    int buckets = 7;
    double gate = 0.005;   ///< the most that the variance of bucket means may be
    bool inBuckets = true; ///< otherwise every ratio stands for itself, and there is no gate
    bool byMedian = true;  ///< of the bucket means; otherwise their mean
    bool rounded = true;   ///< toward 1, to two decimals
};

struct PaperSummary {
    double measured = 0;             ///< the central value; 0 when there were too few ratios
    double reported = 0;             ///< rounded, where that rule holds
    std::vector<double> bucketMeans; ///< empty without buckets
    double variance = 0;             ///< of the bucket means
    bool gatePassed = false;

    bool valid() const { return measured > 0; }
};

PaperSummary paperSummary(std::span<const double> ratios, const PaperSettings& settings);

/// Above 3, or above twice the best so far (0: none is known).
bool needsVerification(double speedup, double bestSoFar);
/// The second measurement is within 10 % of the first.
bool verifies(double first, double second);

} // namespace cudal1::base
