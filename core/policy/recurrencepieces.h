// SPDX-License-Identifier: GPL-3.0-or-later
// Pieces of the CUDA text of a recurrence, which stepsText() puts together behind the numbers of its layers.
#pragma once

#include <string>

namespace cudal1::policy::recurrencetext {

extern const std::string oneDirection; ///< weights in registers, results that say by themselves that they are there
extern const std::string stepsOfOneDirection; ///< a kernel's body: all layers at once, each half of a block for itself

extern const std::string twoDirections;        ///< results given to the other blocks of a cluster
extern const std::string stepsOfTwoDirections; ///< a kernel's body: one layer, whose directions work at the same time

} // namespace cudal1::policy::recurrencetext
