// SPDX-License-Identifier: GPL-3.0-or-later
// The best variants as exemplars.
#include "core/language/bestsampler.h"

#include <algorithm>
#include <numeric>

namespace cudal1::language {

std::vector<std::size_t> BestSampler::sample(const std::vector<Scored>& scored, int most, std::uint64_t) const
{
    std::vector<std::size_t> order(scored.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return scored[a].score != scored[b].score ? scored[a].score > scored[b].score
                                                  : scored[a].variant < scored[b].variant;
    });
    order.resize(std::min(order.size(), static_cast<std::size_t>(std::max(0, most))));
    return order;
}

} // namespace cudal1::language
