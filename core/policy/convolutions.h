// SPDX-License-Identifier: GPL-3.0-or-later
// Convolutions of a graph as numbers, and the element-wise steps behind them that a pool can change places with.
#pragma once

#include "core/policy/graph.h"

#include <functional>
#include <optional>
#include <set>
#include <vector>

namespace cudal1::policy {

/// A convolution or transposed convolution whose weight and bias belong to the module, in float32; the weight may be
/// prepared from one that does. The vectors have one element for each spatial axis.
struct Convolution {
    int node = -1; ///< id of its node
    int x = -1, weight = -1, result = -1;
    std::optional<int> bias;
    bool transposed = false;
    std::int64_t groups = 1;
    Shape kernel, stride, padding, dilation, outputPadding;
    Shape in, out; ///< places along each spatial axis of x and of the result

    std::size_t axes() const { return kernel.size(); }
    bool dilated() const;
    /// Multiplications of one pair of an input and an output channel, for each element of the batch.
    double multiplications() const;
};

/// Empty where the node is none, or where any of the above does not hold.
std::optional<Convolution> convolutionOf(const Graph& graph, const GraphNode& node);

/// Element-wise steps, in order. They read `root` alone, apart from parameters and numbers, and nothing else reads what
/// they compute or `root`.
struct ElementwiseSteps {
    int root = -1;
    std::vector<GraphNode> nodes;

    /// The ids of these steps and of `others`: what a rewrite takes out of the graph.
    std::set<int> idsWith(std::set<int> others) const;
};

/// Follows `value` upwards while `passes(step)` holds, as far as its results keep the shape of `value`.
ElementwiseSteps stepsBefore(const Graph& graph, int value, const std::function<bool(const GraphNode&)>& passes);

/// The same steps on `from`, a tensor of another shape with the same rank; the last one computes `result`, which has
/// that shape. There must be at least one.
std::vector<GraphNode> movedTo(Graph& graph, const ElementwiseSteps& steps, int from, int result);

/// Whether a step adds, subtracts, multiplies or divides by a number, or by a parameter that is the same at all places
/// of an image: a mean over places and the step can change places.
bool sameAtAllPlaces(const Graph& graph, const GraphNode& step);

/// A convolution whose results reach a value through such steps alone, and are read by nothing else.
struct ScaledConvolution {
    Convolution convolution;
    GraphNode node;
    ElementwiseSteps steps;
};
std::optional<ScaledConvolution> scaledConvolutionBefore(const Graph& graph, int value);

/// A max or an average pool over images or volumes. Nobody reads where the maxima are.
struct Pool {
    int x = -1, result = -1;
    bool mean = false;
    Shape window, stride, padding, dilation; ///< one element for each spatial axis
    bool countsPadding = true;               ///< a mean divides by the places of the whole window
    bool rounded = false;                    ///< up: windows may end behind the image

    /// Without padding and dilation, and all windows lie within the image.
    bool plain() const;
};
/// Empty where the node is none.
std::optional<Pool> poolOf(const Graph& graph, const GraphNode& node);
std::optional<Pool> plainPoolOf(const Graph& graph, const GraphNode& node); ///< the same, where it is plain()

/// Whether `node` takes averages over places of one channel of one image each, with as many dimensions as before.
bool averagesPlaces(const Graph& graph, const GraphNode& node);
/// Whether `node` takes the mean over all places of each channel of each image, with or without these dimensions.
bool averagesAllPlaces(const Graph& graph, const GraphNode& node);

/// Whether a step is element-wise and never decreasing in the tensor it reads, NaN staying NaN, and the same at all
/// places of an image: a maximum over places and the step can change places.
bool neverDecreasing(const Graph& graph, const GraphNode& step);

} // namespace cudal1::policy
