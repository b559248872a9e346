// SPDX-License-Identifier: GPL-3.0-or-later
// The pairs of rounds that a candidate was timed with, and what is known of their calls.
#pragma once

#include "core/judge/supervisor/crowding.h"
#include "core/judge/supervisor/pairspeedup.h"

#include <vector>

namespace cudal1::judge {

struct TimedPairs {
    /// Of a pair, call by call: 1 where the witness emptied the caches before it.
    struct Outside {
        std::vector<int> reference, candidate;
    };
    std::vector<protocol::PairSamples> samples;
    /// Of a pair: RunRound::Reply::elsewhere_ns.
    struct Elsewhere {
        std::vector<double> reference_ns, candidate_ns;
    };
    std::vector<Outside> outside;     ///< of each pair
    std::vector<Elsewhere> elsewhere; ///< of each pair; of none where rounds were made apart
    std::vector<Crowding> crowding;   ///< of each pair; of none where rounds were made apart
    /// Other work wanted the cores in so many rounds that crowded pairs had to be kept, or took too much of their time
    /// beside the reference.
    bool tooCrowded = false;

    /// Too crowded by the machine's other work, so that what the sides did around calls cannot be compared. A candidate
    /// that was crowded alone may have started what crowded it, and is held to account.
    bool cannotBeCharged() const { return tooCrowded && !crowdedAlone(crowding); }
    /// By the wall clock, over the pairs that were not dropped, with the interval of this measurement alone.
    protocol::ClockSpeedup wall() const { return speedupOf(samples, TimedClock::Wall, 0); }
};

} // namespace cudal1::judge
