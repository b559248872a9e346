// SPDX-License-Identifier: GPL-3.0-or-later
// Pieces of the CUDA text of a recurrence, which recurrenceText() puts together behind the numbers of its layers.
#pragma once

#include <string>

namespace cudal1::policy::recurrencetext {

extern const std::string common; ///< weights in registers, values in shared memory, products of the two, sigmoid(v)

extern const std::string oneDirection;        ///< results that say by themselves that they are there, and barriers
extern const std::string stepsOfOneDirection; ///< a kernel's body: all layers at once, each half of a block for itself

extern const std::string twoDirections;        ///< wait_for(counter, least)
extern const std::string stepsOfTwoDirections; ///< a kernel's body: one layer after the other

} // namespace cudal1::policy::recurrencetext
