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

/// Empty where `node` is no norm, or one that the framework or another kernel computes well.
std::optional<NormSite> normSite(const Graph& graph, const GraphNode& node);

} // namespace cudal1::policy
