// SPDX-License-Identifier: GPL-3.0-or-later
// The raw pairs of an evaluation as points: what charts draw and tables list.
#pragma once

#include "core/protocol/messages.h"

#include <string>
#include <vector>

namespace cudal1::protocol {

/// One pair of rounds. A time is that of the round (base::roundTime), 0 where a clock has none.
struct PairPoint {
    int number = 0;   ///< 1-based, in the order in which they were measured
    int instance = 0; ///< which process of the candidate
    bool referenceFirst = true;
    bool dropped = false;
    std::string why;                                     ///< of a dropped one
    double reference_ns = 0, candidate_ns = 0;           ///< wall
    double referenceEvent_ns = 0, candidateEvent_ns = 0; ///< events

    double wall() const { return candidate_ns > 0 ? reference_ns / candidate_ns : 0; } ///< speed-up; 0 for none
    double event() const { return candidateEvent_ns > 0 ? referenceEvent_ns / candidateEvent_ns : 0; }
};

std::vector<PairPoint> pairPoints(const Evaluation& evaluation);

/// A header and a line for each pair.
std::string pairsCsv(const std::vector<PairPoint>& points);

} // namespace cudal1::protocol
