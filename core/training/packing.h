// SPDX-License-Identifier: GPL-3.0-or-later
// Which sequences are computed together, and by which process.
#pragma once

#include "core/training/sequence.h"

#include <cstddef>
#include <span>
#include <vector>

namespace cudal1::training {

/// Sequences that go through the model at once, one behind the other without a gap, by their numbers.
using Pass = std::vector<std::size_t>;

/// Packs sequences of these lengths into passes of at most `limit` tokens; a longer sequence gets a pass of its own.
/// The longest are placed first, each into the first pass with room (first-fit decreasing). Within a pass the numbers
/// ascend. The same for the same lengths.
std::vector<Pass> packed(std::span<const std::size_t> lengths, std::size_t limit);

/// Sequences with equal prompts, which are computed once for all of them; the numbers are places in `sequences`. A
/// bundle has at most `limit` tokens to compute, or a single sequence. In the order of their first numbers.
std::vector<Pass> bundles(std::span<const Sequence> sequences, std::span<const std::size_t> numbers, std::size_t limit);
/// Tokens that a bundle has to compute: those of its prompt once, and those of every reply.
std::size_t computedTokens(std::span<const Sequence> sequences, const Pass& bundle);

/// Shares sequences out so that all processes get about the same number of tokens: the longest first, each to the
/// process with the fewest so far. Returns the numbers of each process, ascending.
std::vector<std::vector<std::size_t>> sharedOut(std::span<const std::size_t> lengths, std::size_t processes);

} // namespace cudal1::training
