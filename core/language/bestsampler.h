// SPDX-License-Identifier: GPL-3.0-or-later
// The best variants as exemplars, without any chance.
#pragma once

#include "core/language/exemplarsampler.h"

namespace cudal1::language {

/// Highest scores first, of equal ones the older.
class BestSampler : public ExemplarSampler {
public:
    std::string name() const override { return "best"; }
    std::vector<std::size_t> sample(const std::vector<Scored>& scored, int most, std::uint64_t seed) const override;
};

} // namespace cudal1::language
