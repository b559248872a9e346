// SPDX-License-Identifier: GPL-3.0-or-later
// Pieces of the text of a kernel for attention, which AttentionText (attentionkernel.cpp) puts together. They read the
// constants that stand before them: exact, softmax, queries, keys, depth, width, threads, tile and so on.
#pragma once

#include <string>

namespace cudal1::policy {

/// Products of tensor cores, copies to shared memory, sums over the threads that share a row.
extern const std::string attentionFunctions;
/// Begins the body: where a block's queries are, and what a thread keeps of them. The loop over tiles follows.
extern const std::string headOfAttention;
extern const std::string scoresOfTile;  ///< waits for a tile of keys and multiplies it; the steps of a score follow
extern const std::string softmaxOfTile; ///< makes the scores exponentials, and brings what was summed to one base
extern const std::string reluOfTile;
extern const std::string endOfTile; ///< waits for the tile's values and adds their products; ends the loop
extern const std::string storesOfAttention;
/// A kernel KINDS that says which tiles of a mask hide nothing (1), all (0) or a part (2).
extern const std::string kindsOfTiles;

} // namespace cudal1::policy
