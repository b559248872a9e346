// SPDX-License-Identifier: GPL-3.0-or-later
// What a side did around its samples on a CPU, while the clock did not run, and how both sides are compared.
#pragma once

#include "core/judge/wire/modulemessages.h"

#include <optional>
#include <utility>
#include <vector>

namespace cudal1::judge {

inline constexpr std::size_t leastRounds = 3; ///< with fewer rounds of a side nothing is concluded

/// The mean of rounds and its standard error, without the lowest and the highest tenth. There must be a round.
std::pair<double, double> meanOf(const std::vector<double>& rounds);

/// What the rounds of one side take beyond those of the other, on average: more, or less where negative.
struct MeanDifference {
    double mean_ns = 0;
    double sure_ns = 0; ///< without 2.5 standard errors, so that what is left is no chance

    bool exceeds(double limit_ns) const { return sure_ns > limit_ns; }
};
/// How much of a difference may be chance.
enum class Chance {
    AsTheyVary, ///< as far as the rounds of both sides vary
    /// But the candidate's at most four times as far: it could make them vary. So that one round of it which something
    /// else made slow is not charged, the slowest fifth of the rounds of either side does not count.
    AsTheReference,
};
/// `own` are the candidate's rounds and `theirs` the reference's. Empty where a side has fewer than `leastRounds`.
std::optional<MeanDifference> meanDifference(const std::vector<double>& own, const std::vector<double>& theirs,
                                             Chance chance);

/// Adds up what is too little to be charged in each of several places.
class SmallDifferences {
public:
    void add(const MeanDifference& more); ///< nothing where the candidate took less
    MeanDifference sum() const;

private:
    double m_mean_ns = 0, m_squaredErrors = 0;
};

/// What a round takes beside its samples by the witness's clock, in nanoseconds for each of its calls. Empty where the
/// reply says nothing of it.
std::optional<double> timeAround(const RunRound::Reply& reply);

struct AroundCalls {
    std::vector<double> rounds, crowded; ///< timeAround() of quiet rounds, and of crowded ones (crowding.h)
    int threads = 1000;                  ///< the fewest of all rounds; a thousand before the first

    void add(const RunRound::Reply& reply, bool isCrowded);
};

/// What the candidate took around its samples beyond these rounds of the reference, a call. Empty where a side has
/// fewer than `leastRounds`. `crowdedAlone` (crowding.h): its crowded rounds count too, since it could prepare in them
/// what it needs in the others.
std::optional<MeanDifference> aroundCalls(const AroundCalls& candidate, const std::vector<double>& reference,
                                          bool crowdedAlone);

/// How many threads that sleep the reference must be given before the candidate is charged, since stopping a process
/// may take the longer the more threads it has: as many as the candidate has more, at most as many as a pool has on
/// this machine (four at least).
int threadsToEqual(const AroundCalls& candidate, const AroundCalls& reference);

} // namespace cudal1::judge
