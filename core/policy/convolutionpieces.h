// SPDX-License-Identifier: GPL-3.0-or-later
// Pieces of the CUDA text of a convolution, which convolutionText() puts together behind a plan's numbers, and the
// Python that orders the weight for it.
#pragma once

#include <string>

namespace cudal1::policy {

namespace convolutiontext {

extern const std::string halvesOfTwo;   ///< halves(first, second) of two numbers, and rest_of(word, first, second)
extern const std::string powerOfTwo;    ///< power_of_two(exponent), as a float
extern const std::string products;      ///< multiply(d, a, b0, b1) by tensor cores, and the halves that it takes
extern const std::string unitOfHalves;  ///< unit_of(v), four channels of a place as tensor cores take them
extern const std::string unitOfPairs;   ///< the same where products are exact
extern const std::string head;          ///< from the opening brace to the loop over tiles
extern const std::string tileLoop;      ///< opens it, up to the loop over phases
extern const std::string phaseSums;     ///< opens the loops over phases and sums their products up
extern const std::string oneProduct;    ///< one product of halves a step
extern const std::string threeProducts; ///< three products of halves a step, for one of float32
extern const std::string sumsEnd;       ///< the end of the sums of a phase
extern const std::string places;        ///< where the results of a thread go
extern const std::string stageChannels; ///< stage_channels(done, n), eight channels by way of shared memory
extern const std::string
    turnChannels; ///< gather(done, turned), all channels of a place for one thread; uses the former
extern const std::string storedPlaces;  ///< where they lie in memory
extern const std::string writeTurned;   ///< stores `turned[words][channel_tiles * 16]`
extern const std::string writeChannels; ///< stores all channels; a loop over a channel's results is open behind it
extern const std::string writeRows;     ///< stores one result a place, in `reduced[words]`
extern const std::string sumPart;       ///< Part, a sum of numbers that a thread has, and Joined
extern const std::string momentPart;    ///< Part, the moments of such numbers, and Joined; Moments stand before it
extern const std::string noParts;       ///< parts[channel_tiles * sharing / 2] and `have`, before the loop over tiles
extern const std::string addParts;      ///< adds the results of a phase to `parts`
extern const std::string addTurned;     ///< the same of `turned`
extern const std::string writeParts;    ///< stores the parts at the end of a run of tiles

} // namespace convolutiontext

/// Python text of `packed_taps(weight, groups, transposed, stride, padding, dilation, chunk, channels, exact,
/// window=None)`.
const std::string& packedTapsHelper();

} // namespace cudal1::policy
