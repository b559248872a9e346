// SPDX-License-Identifier: GPL-3.0-or-later
// Times and rates for people.
#pragma once

#include <string>

namespace cudal1::base {

/// "12.3 µs" of nanoseconds, with three digits and the unit that fits, "ns" to "s"; whole nanoseconds, or "under 1 ns".
std::string timeText(double ns);
/// "1.23 TB/s", with three digits; empty for none.
std::string rateText(double bytesPerSecond);

} // namespace cudal1::base
