// SPDX-License-Identifier: GPL-3.0-or-later
// The table of combinations: its orders, and as comma-separated values.
#pragma once

#include "core/ablation/ablation.h"

#include <string>
#include <string_view>
#include <vector>

namespace cudal1::ablation {

enum class Order {
    Rank,    ///< fastest first, as rankedBy() says
    Design,  ///< as the design has them
    Speedup, ///< by wall, fastest first
    Event,   ///< by events, fastest first
    Call,    ///< by the time of a call, shortest first
    Toggles, ///< by number of toggles that are on
    Verdict, ///< correct first
};
/// "rank", "design", "speedup", "event", "call", "toggles", "verdict"
bool fromString(std::string_view word, Order& out);
/// What tells which combination is faster: Call where the reference's own time changed meanwhile (driftText()), else
/// Speedup.
Order rankedBy(const std::vector<CombinationRow>& rows);

/// What has none of what it goes by comes last; equal rows stay in their order.
void sort(std::vector<CombinationRow>& rows, Order order);

/// A line of column names, then a line a combination: a column of 0 and 1 a toggle, verdict, both clocks with
/// intervals, times in milliseconds, bottleneck, reason. Numbers with a decimal point, empty where there is none.
std::string csvOf(const std::vector<std::string>& toggles, const std::vector<CombinationRow>& rows);

} // namespace cudal1::ablation
