// SPDX-License-Identifier: GPL-3.0-or-later
// The speed-up of pairs of rounds.
#pragma once

#include "core/protocol/messages.h"

#include <vector>

namespace cudal1::judge {

enum class TimedClock { Wall, Event };
/// The speed-up over pairs that were not dropped, with its interval.
protocol::ClockSpeedup speedupOf(const std::vector<protocol::PairSamples>& pairs, TimedClock clock,
                                 double instanceSpread);

} // namespace cudal1::judge
