// SPDX-License-Identifier: GPL-3.0-or-later
// Attention in a graph: scores as products of queries and keys, what is done with each score, softmax or ReLU along the
// keys, and the product with the values.
#pragma once

#include "core/policy/graph.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cudal1::policy {

/// Where the elements of a batch of matrices lie. Strides are in elements.
struct MatrixBatch {
    int value = -1;
    /// Extent and stride of each axis before the last two, the first of which changes slowest; together as many
    /// matrices as the attention has. The stride along which something is the same is 0.
    std::vector<std::pair<std::int64_t, std::int64_t>> batch;
    std::int64_t row = 0, column = 0;
};

/// What is done with a score, in float32.
struct ScoreStep {
    enum class Kind {
        Scale, ///< times `number`
        Times, ///< times an element of `operand`
        Plus,  ///< plus an element of `operand`
        Mask   ///< minus infinity where `operand`, of bools, is true; always the last step
    };
    Kind kind = Kind::Scale;
    double number = 1;
    MatrixBatch operand;
};

struct Attention {
    std::set<int> nodes;            ///< ids of all operators that are replaced
    MatrixBatch query, key, values; ///< rows are queries or keys
    MatrixBatch result;
    std::vector<ScoreStep> steps;
    bool softmax = true; ///< otherwise ReLU
    bool causal = false; ///< query i sees keys 0 to i
    /// The framework's own operator gives zeros to a query that sees no key; a softmax that is written out gives NaN.
    bool ofLibrary = false;
    std::int64_t batch = 0, queries = 0, keys = 0;
    std::int64_t depth = 0, width = 0; ///< columns of queries and keys, and of values
    double replaced_ns = 0;            ///< what the operators took when they were measured
    double expected_ns = 0;            ///< what a kernel of ours is guessed to take without TF32

    std::string text() const; ///< "1024 times 512 queries and 512 keys of 96 numbers"
};

/// Whether a mask has a bool of its own for each query and key, so that it may hide tiles of scores as a whole.
bool masksTiles(const Attention& attention);
/// All that a kernel of ours would take less time for, in order.
std::vector<Attention> attentionsOf(const Graph& graph);

} // namespace cudal1::policy
