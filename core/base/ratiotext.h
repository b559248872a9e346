// SPDX-License-Identifier: GPL-3.0-or-later
// Speed-ups and other ratios for people.
#pragma once

#include "core/base/statistics.h"

#include <string>

namespace cudal1::base {

/// "3.86", "12.3", "449": three digits, and two decimals below 10, so that a small loss shows as 0.97.
std::string threeDigits(double value);
/// "3.86×".
std::string ratioText(double ratio);
/// "3.83–3.89". Where an end would read 1.00 both have a third decimal, and one that then reads 1.000 has more, to show
/// on which side of 1 it lies: "0.989–0.998". Ends that are different and would read alike have one decimal more.
std::string rangeText(const Interval& ratio);
/// "3.86×" with the decimals that stand in the range: never beside its own interval.
std::string estimateText(const Interval& ratio);
/// "3.86× (3.83–3.89)", "0.993× (0.989–0.998)".
std::string ratioText(const Interval& ratio);

} // namespace cudal1::base
