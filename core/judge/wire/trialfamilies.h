// SPDX-License-Identifier: GPL-3.0-or-later
// The families of inputs that trials go through.
#pragma once

#include <string_view>

namespace cudal1::judge {

/// In the order of trials, which begin again at the end. "as_given" is the dataset's own and comes first; the witness
/// knows the others (core/judge/witness/inputfamily.h).
inline constexpr std::string_view trialFamilies[] = {"as_given", "scaled",       "rows",     "flipped",
                                                     "shifted",  "large_values", "spiked",   "sparse",
                                                     "blended",  "as_given",     "constant", "tiny"};

} // namespace cudal1::judge
