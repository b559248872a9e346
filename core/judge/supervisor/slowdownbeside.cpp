// SPDX-License-Identifier: GPL-3.0-or-later
// Rounds of the reference alone, against those beside the candidate.
#include "core/judge/supervisor/slowdownbeside.h"

#include "core/base/statistics.h"
#include "core/judge/wire/steadyclock.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

namespace cudal1::judge {

double slowdownBeside(RoundMaker& rounds, const TimedPairs& pairs)
{
    constexpr std::size_t mostRounds = 9;
    constexpr double longEnough_s = 3, unseen = 0.05; // a virtual machine's speed drifts by some per cent in a second
    std::vector<double> beside, alone;
    for (const protocol::PairSamples& pair : pairs.samples)
        if (!pair.dropped)
            beside.push_back(std::log(base::roundTime(pair.reference_ns)));
    // Where other work wants the cores too, one round tells little of another; the label says so.
    if (!rounds.onCpu() || beside.size() < leastRounds || pairs.cannotBeCharged() ||
        pairs.wall().speedup.low <= 1 + unseen)
        return 0;
    const RoundShape& shape = rounds.shape();
    const double begun = secondsNow();
    for (std::size_t made = 0; made < mostRounds && (alone.size() < leastRounds || secondsNow() - begun < longEnough_s);
         ++made) {
        // As long as the candidate's rounds were: threads that have rested are slower than those that go on.
        std::this_thread::sleep_for(
            std::chrono::duration<double, std::nano>(std::min(shape.mostTimed_ns + shape.warmup_ns, 0.1e9)));
        const RoundMaker::Round one = rounds.make(nullptr, 0, false, false);
        if (!one.crowded)
            alone.push_back(std::log(base::roundTime(one.wall_ns)));
    }
    if (alone.size() < leastRounds)
        return 0;
    const auto [slow, slowError] = meanOf(beside);
    const auto [fast, fastError] = meanOf(alone);
    return slow - fast - 2.5 * std::hypot(slowError, fastError) > unseen ? slow - fast : 0;
}

} // namespace cudal1::judge
