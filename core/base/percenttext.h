// SPDX-License-Identifier: GPL-3.0-or-later
// Shares as percentages for people.
#pragma once

#include <string>

namespace cudal1::base {

/// "12 %" of 0.12, without decimals.
std::string percentText(double share);
/// The same with a decimal where the text is below 10 %: "4.2 %", "12 %".
std::string finePercentText(double share);

} // namespace cudal1::base
