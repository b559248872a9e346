// SPDX-License-Identifier: GPL-3.0-or-later
// What effects are computed from: the speed-ups of combinations, all at one speed of the host
// (core/protocol/hostspeed.h), since each was measured at another time.
#pragma once

#include "core/ablation/ablation.h"
#include "core/ablation/effects.h"

#include <span>
#include <string>
#include <vector>

namespace cudal1::ablation {

/// The clock by which effects are computed.
enum class EffectClock { Wall, Event };

struct JudgedCombination {
    std::uint32_t on = 0;
    protocol::Outcome outcome;
};

/// Of those that are correct and were timed.
std::vector<Measured> measuredOf(std::span<const JudgedCombination> judged, EffectClock clock);
std::vector<Measured> measuredOf(const std::vector<CombinationRow>& rows, EffectClock clock);

/// A sentence where the reference's time changed by more than a tenth from one combination to another; else empty.
std::string driftText(const std::vector<CombinationRow>& rows);

} // namespace cudal1::ablation
