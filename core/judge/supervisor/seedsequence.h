// SPDX-License-Identifier: GPL-3.0-or-later
// Seeds for all that a judgement draws, from the seed of the run.
#pragma once

#include <cstdint>

namespace cudal1::judge {

/// A sequence of independent seeds for one purpose, below 2^53. A candidate is told the seed of initialisation, and
/// std::seed_seq can be undone from it: the first words of the SHA-256 of seed, purpose and index cannot, so that
/// nothing follows for other purposes unless the seed of the run is so small that all can be tried.
class SeedSequence {
public:
    /// What the sequences of a judgement are for. A number that changed would give a run with a known seed other
    /// inputs. PaperRounds and TimelineInputs share one, since no request uses both.
    enum Purpose : std::uint32_t {
        Initialisation = 1,  ///< constructing the modules of both sides
        FirstInputs = 2,     ///< the draw that a task is loaded with, and the first trial where its result is kept
        TrafficInputs = 5,   ///< MeasureTraffic::seed
        TrafficForwards = 6, ///< MeasureTraffic::forwardSeed
        BusyCalls = 7,       ///< calls whose busy time is recorded
        TimedInputs = 11,    ///< draws that the contents of timed calls are made of
        TrialInputs = 21,
        OtherWeights = 23,
        TimedWeights = 24,   ///< values of parameters that start with one value everywhere, while calls are timed
        SecondLook = 31,     ///< the seed of the whole second look
        PaperRounds = 41,    ///< the seed that an attempt by the paper's protocol is timed with
        TimelineInputs = 41, ///< calls of a timeline
        TimelineForwards = 42,
        Verification = 51, ///< the seed of the paper's second measurement
    };

    SeedSequence(std::uint64_t seed, std::uint32_t purpose) : m_seed(seed), m_purpose(purpose) {}
    std::uint64_t next();

private:
    std::uint64_t m_seed;
    std::uint32_t m_purpose, m_index = 0;
};

} // namespace cudal1::judge
