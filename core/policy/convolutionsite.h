// SPDX-License-Identifier: GPL-3.0-or-later
// Where a kernel of our own takes the place of a convolution and of operators behind it.
#pragma once

#include "core/policy/convolutionkernel.h"
#include "core/policy/elementwisechains.h"
#include "core/policy/technique.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cudal1::policy {

struct ConvolutionSite {
    Convolution convolution;
    ConvolutionNeeds needs; ///< of the plan
    ConvolutionPlan plan;
    ConvolutionKernel kernel;
    std::vector<GraphNode> after; ///< the operators behind the convolution that the kernel computes too, in order
    int result = -1;              ///< id of the value that the kernel stores, or of the means of what it sums
    std::optional<int> pad;       ///< id of the operator that puts zeros around the input, where the kernel does so
    double replaced_ns = 0;       ///< time of the operators that it replaces
    double expected_ns = 0;       ///< time of the kernel by the plan's model

    std::set<int> ids() const; ///< of all operators that the kernel replaces
    /// "A transposed convolution of [2, 3, 8, 8] with a [3, 4, 3, 3] weight, then tanh and max_pool2d".
    std::string description(const Graph& graph) const;
};

/// Empty where `node` is no convolution, or where no kernel is expected to be faster; else the one that saves most.
std::optional<ConvolutionSite> convolutionSite(const TechniqueContext& context, const Graph& graph,
                                               const GraphNode& node);

/// A kernel that stores the moments of `behind.result`, which is the result of the convolution `node` or of
/// element-wise operators behind it, and not that value itself. The id of the result is left to the caller. Empty where
/// no kernel can do that.
std::optional<ConvolutionSite> momentsSite(const TechniqueContext& context, const Graph& graph, const GraphNode& node,
                                           const Chain& behind);

} // namespace cudal1::policy
