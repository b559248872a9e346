// SPDX-License-Identifier: GPL-3.0-or-later
// Whether one variant is faster than another, from what was measured of each against the same reference.
#pragma once

#include "core/base/result.h"
#include "core/protocol/messages.h"

namespace cudal1::protocol {

/// How many times as fast the first is as the second, at one speed of the host (hostspeed.h). Wider than the intervals
/// that it is made of.
struct Versus {
    base::Interval wall, event;                           ///< event is invalid where one of them has none
    double firstReference_ns = 0, secondReference_ns = 0; ///< of the reference's call beside each, by the wall clock
    bool hostChanged = false;                             ///< so that the ratio of the two speed-ups is another
};

/// A sentence where the host changed, else empty. The names are those of the two: "#14", "the second".
std::string hostText(const Versus& versus, const std::string& first, const std::string& second);

/// InvalidArgument, with the reason, when the two cannot be compared: one is not correct, was not timed, or they were
/// measured for another task, on another kind of device or at another precision.
base::Result<Versus> versus(const Evaluation& first, const Evaluation& second);

} // namespace cudal1::protocol
