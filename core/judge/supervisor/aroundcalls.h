// SPDX-License-Identifier: GPL-3.0-or-later
// What a side did around its samples on a CPU, while the clock did not run, and how much of it is charged.
#pragma once

#include "core/judge/wire/messages.h"

#include <utility>
#include <vector>

namespace cudal1::judge {

inline constexpr std::size_t leastRounds = 3; ///< with fewer rounds of a side nothing is concluded

/// The mean of rounds and its standard error, without the lowest and the highest tenth. There must be a round.
std::pair<double, double> meanOf(std::vector<double> rounds);

struct AroundCalls {
    /// Of each round, shared out among its samples, in nanoseconds: all that is around them, once by the witness's
    /// clock and once with the CPU time of the process where it gets ready.
    struct Rounds {
        std::vector<double> wall_ns, cpu_ns;
    };
    Rounds rounds, crowded; ///< of quiet rounds, and of crowded ones (crowding.h)
    bool oneProcess = true; ///< RunRound::Reply::oneProcess of all rounds
    int threads = 1000;     ///< the least of all rounds; a thousand before the first

    void add(const RunRound::Reply& reply, bool isCrowded);
};

/// Nanoseconds to add to each call of the candidate, of `call_ns`: what it took around its samples beyond the
/// reference, by the clock. 0 where that may be chance or is within the limit. `crowdedAlone` (crowding.h): its
/// crowded rounds count too, since it could prepare in them what it needs in the others.
///
/// Stopping a process takes the longer the more threads it has, which is no work of its own: some 25 us of CPU time for
/// each that waits, and as much again of waiting. So a process without others is allowed that for up to four threads
/// more than the reference has, if both its CPU time and the rest of the difference are within it. The rest is bounded
/// since a process that lives within a round can work meanwhile, and its CPU time is not seen.
double aroundCalls_ns(const AroundCalls& candidate, const AroundCalls& reference, bool crowdedAlone, double call_ns);

} // namespace cudal1::judge
