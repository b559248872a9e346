// SPDX-License-Identifier: GPL-3.0-or-later
// Pieces of the CUDA text of a convolution, which convolutionText() puts together behind a plan's numbers, and the
// Python that orders the weight for it.
#pragma once

#include <string>

namespace cudal1::policy {

namespace convolutiontext {

extern const std::string products;      ///< multiply(d, a, b0, b1) by tensor cores, and the halves that it takes
extern const std::string head;          ///< from the opening brace to the loop over tiles
extern const std::string tileLoop;      ///< opens it, up to the loop over phases
extern const std::string phaseSums;     ///< opens the loops over phases and sums their products up
extern const std::string oneProduct;    ///< one product of halves a step
extern const std::string threeProducts; ///< three products of halves a step, for one of float32
extern const std::string sumsEnd;       ///< the end of the sums of a phase
extern const std::string places;        ///< where the results of a thread go
extern const std::string writeChannels; ///< stores all channels; a loop over a channel's results is open behind it
extern const std::string writeRows;     ///< stores one result a place
extern const std::string overPlace;     ///< over_place<Op>(v), over the channels of a place
extern const std::string sumPart;       ///< Part, a sum of numbers that a thread has, and Joined
extern const std::string momentPart;    ///< Part, the moments of such numbers, and Joined; Moments stand before it
extern const std::string noParts;       ///< parts[columns * 2] and `have`, before the loop over tiles
extern const std::string addParts;      ///< adds the results of a phase to `parts[columns * 2]`
extern const std::string writeParts;    ///< stores the parts at the end of a run of tiles

} // namespace convolutiontext

/// Python text of `packed_taps(weight, groups, transposed, stride, padding, dilation, chunk, columns, exact,
/// window=None)`.
const std::string& packedTapsHelper();

} // namespace cudal1::policy
