// SPDX-License-Identifier: GPL-3.0-or-later
// What an evaluation by our own clock is worth to a policy.
#pragma once

#include "core/protocol/messages.h"

#include <optional>
#include <string_view>

namespace cudal1::protocol {

/// A reward up to which one evaluation with the preset quick is enough; above it the preset standard has to confirm it.
inline constexpr double certainReward = 3;

/// Whether the times of an evaluation with these labels say little, since other work wanted the cores for as long as
/// they were taken: then nothing was charged to the candidate either. `labels` are codes, each followed by a space, as
/// of labelCodes().
bool timesSayLittle(std::string_view labels);

/// The paper's rule (section 2.4.4) by the wall clock: the speed-up, rounded to two decimals toward 1, and 0 for what
/// is not correct. Empty for a correct candidate that was not timed, or whose times say little.
std::optional<double> rewardOf(Verdict verdict, const base::Interval& wall, std::string_view labels);

} // namespace cudal1::protocol
