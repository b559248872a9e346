// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers in the texts of labels and reasons.
#pragma once

#include <string>

namespace cudal1::judge {

/// A number as text, by a printf format for one double: "3.14". At most 63 characters; the rest is cut off.
std::string number(double value, const char* format);

} // namespace cudal1::judge
