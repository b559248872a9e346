// SPDX-License-Identifier: GPL-3.0-or-later
// Shares as percentages for people.
#pragma once

#include "core/base/statistics.h"

#include <string>

namespace cudal1::base {

/// "12 %" of 0.12, without decimals.
std::string percentText(double share);
/// The same with a decimal where the text is below 10 %: "4.2 %", "12 %"; "0 %" for none.
std::string finePercentText(double share);
/// The same with one decimal always, for columns: "4.2 %", "12.0 %".
std::string tenthsText(double share);
/// "4–12 %".
std::string percentRangeText(const Interval& share);

} // namespace cudal1::base
