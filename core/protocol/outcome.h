// SPDX-License-Identifier: GPL-3.0-or-later
// An evaluation without its samples: what tables of many evaluations show of each.
#pragma once

#include "core/protocol/messages.h"

#include <string>
#include <vector>

namespace cudal1::protocol {

struct Outcome {
    Verdict verdict = Verdict::ReferenceFailed;
    ClockSpeedup wall, event, gpuBusy; ///< invalid unless correct and timed
    std::string marks;                 ///< protocol::marksOf()
    Reason reason;                     ///< the first; empty when correct
    std::vector<std::string> labels;   ///< codes
    double seconds = 0;                ///< that the evaluation took
};

Outcome outcomeOf(const Evaluation& evaluation);

/// Why measuring stopped, in words: "the interval was narrow enough" of "interval". What is not known stays as it is.
/// Beside what messages.h lists there is "clear": wider than wanted, but far from 1.
std::string stopText(const std::string& stopReason);

} // namespace cudal1::protocol
