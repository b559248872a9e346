// SPDX-License-Identifier: GPL-3.0-or-later
// The paper's choice of exemplars (section 2.4.3): competitive ones that differ in speed.
#pragma once

#include "core/language/exemplarsampler.h"

namespace cudal1::language {

/// Variants whose scores lie in [index * width, (index + 1) * width).
struct Bucket {
    std::int64_t index = 0;
    std::vector<std::size_t> members; ///< places, in the order given
    double mean = 0;                  ///< of the members' scores
    double probability = 0;           ///< to be drawn first
};

/// Equation 1: bucket i is drawn with P(i) = exp((mean_i - mu) / tau) / sum over j of exp((mean_j - mu) / tau), where
/// mu is the mean of the buckets' means. N different buckets are drawn one after the other, each by its share of those
/// that are left, and one variant of each, all equally likely. N is `most`, 2 in the paper. Where there are fewer
/// buckets there are fewer exemplars: two of one bucket would show no difference.
///
/// The paper does not say how wide its buckets are, nor its temperature. Ours are 0.1 and 0.5: variants that differ by
/// less than 10 % of the reference's speed are alike, and one unit of speed-up makes a bucket e^2 times as likely.
class BucketSampler : public ExemplarSampler {
public:
    explicit BucketSampler(double width = 0.1, double temperature = 0.5) : m_width(width), m_temperature(temperature) {}

    std::string name() const override { return "bucket"; }
    std::vector<std::size_t> sample(const std::vector<Scored>& scored, int most, std::uint64_t seed) const override;
    /// By ascending index; none of them empty.
    std::vector<Bucket> buckets(const std::vector<Scored>& scored) const;

private:
    double m_width, m_temperature; ///< both above 0
};

} // namespace cudal1::language
