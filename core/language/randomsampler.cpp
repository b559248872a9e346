// SPDX-License-Identifier: GPL-3.0-or-later
// Exemplars by chance alone.
#include "core/language/randomsampler.h"

#include "core/language/draws.h"

#include <algorithm>

namespace cudal1::language {

std::vector<std::size_t> RandomSampler::sample(const std::vector<Scored>& scored, int most, std::uint64_t seed) const
{
    return Draws(seed).weightedWithoutRepeats(std::vector<double>(scored.size(), 1.0),
                                              static_cast<std::size_t>(std::max(0, most)));
}

} // namespace cudal1::language
