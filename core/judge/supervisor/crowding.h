// SPDX-License-Identifier: GPL-3.0-or-later
// Which pairs of rounds to leave out because other work on the machine wanted the cores.
#pragma once

#include <span>
#include <vector>

namespace cudal1::judge {

/// Which rounds of a pair were crowded: for more than a tenth of the round a thread of the timed process, or the
/// witness, was ready to run and had no core, and what they ran themselves does not explain it.
struct Crowding {
    bool reference = false, candidate = false;
    double waited_ns = 0; ///< of the candidate's round: how long it had no core
    double others_ns = 0; ///< of the candidate's round: CPU time of its threads other than the main one
};

/// The candidate's rounds were crowded more than twice as often as the reference's. The machine's other work wants
/// cores in the rounds of both, so this is probably the candidate's doing.
bool crowdedAlone(std::span<const Crowding> pairs);

/// It is its own threads that leave the candidate without a core, so what they cost it is its own work: crowdedAlone(),
/// and in its crowded rounds they have run for half of the time that it waited.
bool crowdsItself(std::span<const Crowding> pairs);

struct Uncrowded {
    std::vector<bool> drop; ///< of each pair
    int good = 0;           ///< how many pairs are not crowded
};

/// A pair is crowded when its reference's round was, or its candidate's, unless that crowds itself. Nothing is dropped
/// where fewer than a quarter of the pairs would be left: a candidate must not choose the few that count.
Uncrowded withoutCrowded(std::span<const Crowding> pairs);

} // namespace cudal1::judge
