// SPDX-License-Identifier: GPL-3.0-or-later
// Times for people.
#pragma once

#include <string>

namespace cudal1::base {

/// "12.3 µs" of nanoseconds, with three digits and the unit that fits, "ns" to "s".
std::string timeText(double ns);

} // namespace cudal1::base
