// SPDX-License-Identifier: GPL-3.0-or-later
// How much a candidate's process slows the reference down while it lives.
#pragma once

#include "core/judge/supervisor/roundmaker.h"
#include "core/judge/supervisor/timedpairs.h"

namespace cudal1::judge {

/// On a CPU, when the candidate's process is gone: times the reference once more, alone, and returns ln of how much
/// longer it took beside the candidate, in `pairs`. 0 where that is within 5 % or may be chance, without a gain of 5 %,
/// where the machine was too crowded, and on a GPU. The machine's own speed drifts too, so one finding proves nothing.
/// Throws what RoundMaker::make throws.
double slowdownBeside(RoundMaker& rounds, const TimedPairs& pairs);

} // namespace cudal1::judge
