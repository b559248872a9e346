// SPDX-License-Identifier: GPL-3.0-or-later
// Norms of which the statistics are worth a kernel of their own, and what of them is left to do then.
#pragma once

#include "core/policy/momentskernel.h"
#include "core/policy/technique.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cudal1::policy {

struct NormSite {
    std::set<int> nodes; ///< ids: the norm, and the counter of calls of a batch norm
    std::string kind;    ///< "batch norm"
    int x = -1, result = -1;
    MomentsKernel moments;
    std::vector<int> read;     ///< values that the function of the moments takes
    Shape statistics;          ///< shape of mean and scale, which broadcasts to x
    std::optional<int> weight; ///< that is multiplied by behind the scale
    std::optional<int> bias;   ///< that is added at last
    bool channels = false;     ///< weight and bias have a number for each channel
    double replaced_ns = 0;    ///< time of the operators
    double expected_ns = 0;    ///< time of what takes their place, by its bytes
};

/// Empty where `node` is no norm of float32 by its own statistics that a kernel could compute.
std::optional<NormSite> anyNormSite(const Graph& graph, const GraphNode& node);
/// The same, where neither the framework nor another kernel computes the norm well.
std::optional<NormSite> normSite(const Graph& graph, const GraphNode& node);

/// The node that computes a norm's statistics, and what it makes.
struct NormStatistics {
    GraphNode node;
    int centre = -1, scale = -1; ///< of the shape NormSite::statistics
};
/// A call of the function `name`, which addMoments() has added, with the values `read`.
NormStatistics statisticsNode(Graph& graph, const NormSite& site, const std::string& name,
                              const std::vector<int>& read);

/// Averages over places that follow the norm, one after the other: they may come before it, since the average of
/// normalized values is the normalized average.
std::vector<GraphNode> averagesBehind(const Graph& graph, const NormSite& site);

/// What is left of a norm behind its statistics: the operators that make `result` of `x`, a tensor of that shape.
std::vector<GraphNode> normalizing(Graph& graph, const NormSite& site, const NormStatistics& statistics, int x,
                                   int result);

/// Puts `before`, which ends with the node of the statistics, in the place of the norm, and behind it `pools`, which
/// averagesBehind() has returned, and what is left of the norm.
void replaceNorm(Graph& graph, const NormSite& site, const std::vector<GraphNode>& pools, std::vector<GraphNode> before,
                 const NormStatistics& statistics);

} // namespace cudal1::policy
