// SPDX-License-Identifier: GPL-3.0-or-later
// The rules of what counts as crowded.
#include "core/judge/supervisor/crowding.h"

#include <algorithm>

namespace cudal1::judge {

bool crowdedAlone(std::span<const Crowding> pairs)
{
    const auto reference = std::count_if(pairs.begin(), pairs.end(),
                                         [](const Crowding& pair) { return pair.reference; });
    const auto candidate = std::count_if(pairs.begin(), pairs.end(),
                                         [](const Crowding& pair) { return pair.candidate; });
    return candidate > 2 * reference;
}

bool crowdsItself(std::span<const Crowding> pairs)
{
    double waited_ns = 0, others_ns = 0;
    for (const Crowding& pair : pairs) {
        waited_ns += pair.candidate ? pair.waited_ns : 0;
        others_ns += pair.candidate ? pair.others_ns : 0;
    }
    return crowdedAlone(pairs) && others_ns > waited_ns / 2;
}

Uncrowded withoutCrowded(std::span<const Crowding> pairs)
{
    const bool itself = crowdsItself(pairs);
    Uncrowded out;
    for (const Crowding& pair : pairs)
        out.drop.push_back(pair.reference || (pair.candidate && !itself));
    out.good = static_cast<int>(std::count(out.drop.begin(), out.drop.end(), false));
    if (out.good * 4 < static_cast<int>(pairs.size()))
        out.drop.assign(pairs.size(), false);
    return out;
}

} // namespace cudal1::judge
