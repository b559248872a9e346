// SPDX-License-Identifier: GPL-3.0-or-later
// Linear layers and convolutions with everything after them that only scales and shifts their channels.
#pragma once

#include "core/policy/technique.h"

#include <set>
#include <string>
#include <vector>

namespace cudal1::policy {

/// root: cudal1.linear or aten.convolution.default. `result` = scale * root + shift, channel by channel, where scale
/// and shift are made of constants and of the module's parameters. Nodes in between serve nothing else.
struct AffineChain {
    const GraphNode* root = nullptr;
    std::set<int> nodes;                ///< ids: the root and all that is folded
    std::vector<std::string> operators; ///< names of what is folded, in order
    int result = -1;
    double scale = 1;         ///< constant part of the scale
    std::string scaleFactors; ///< " * p0 * p1": parts of the scale that are parameters, one for each channel
    double shift = 0;
    std::string shiftTerms;      ///< " + 2.0 * p0": parts of the shift that are parameters
    std::vector<int> parameters; ///< values of p0, p1, ...
    std::size_t channelRank = 0; ///< rank of the weight

    bool trivial() const { return nodes.size() == 1; }
    /// Python of the folded weight from `weight`; `p0`... are vectors over channels.
    std::string weightExpression() const;
    /// Python of the folded bias from `bias`, or from `without` where the root has none.
    std::string biasExpression(const std::string& without) const;
    /// Adds `def STEM_ID(self, weight[, bias], p0, ...)` and returns its name.
    std::string addMethod(Source& source, const std::string& stem, const std::string& body) const;
    /// The node that reads what the method made, kept until a weight changes.
    GraphNode prepare(const Graph& graph, const std::string& method, const std::vector<int>& outputs) const;
    bool hasBias() const { return !root->args[2].is_null(); }
};

/// One for each linear or convolution whose weight belongs to the module, with the longest chain behind it.
std::vector<AffineChain> affineChains(const Graph& graph);

} // namespace cudal1::policy
