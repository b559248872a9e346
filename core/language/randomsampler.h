// SPDX-License-Identifier: GPL-3.0-or-later
// Exemplars by chance alone: what the paper compares its sampler with ("random" in tables 5 and 11).
#pragma once

#include "core/language/exemplarsampler.h"

namespace cudal1::language {

/// Every set of `most` variants is as likely as any other, in any order.
class RandomSampler : public ExemplarSampler {
public:
    std::string name() const override { return "random"; }
    std::vector<std::size_t> sample(const std::vector<Scored>& scored, int most, std::uint64_t seed) const override;
};

} // namespace cudal1::language
