// SPDX-License-Identifier: GPL-3.0-or-later
// Element-wise operators around another operator, which its kernel can compute too.
#pragma once

#include "core/policy/kernelprogram.h"

#include <functional>
#include <optional>
#include <vector>

namespace cudal1::policy {

/// Operators that run behind `from`, each once, and the program that they are.
struct Chain {
    std::vector<const GraphNode*> nodes;
    std::optional<KernelProgram> program; ///< of one output; empty where there is no operator
    int from = -1, result = -1;

    std::optional<int> input() const; ///< place of `from` in the program's inputs
};

/// All runs of operators behind `from` of which nothing but one result is read by others and for which `fits` holds,
/// from the shortest on; the first has no operator.
std::vector<Chain> chainsBehind(const Graph& graph, int from,
                                const std::function<bool(const std::optional<KernelProgram>&)>& fits);

/// The longest run of element-wise operators that makes `value` of one tensor of its shape and of numbers and vectors
/// over images and channels, where nothing but `reader` reads the result and nothing else what is between.
Chain chainBefore(const Graph& graph, int value, int reader);

} // namespace cudal1::policy
