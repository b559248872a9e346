// SPDX-License-Identifier: GPL-3.0-or-later
// Interval analysis: bounds of every value of a graph that hold for all finite inputs and parameters.
#pragma once

#include "core/policy/graph.h"

#include <limits>
#include <vector>

namespace cudal1::policy {

struct Bounds {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    bool operator==(const Bounds&) const = default;
};

/// One per value of the graph, by id; unbounded where nothing is known.
std::vector<Bounds> boundsOf(const Graph& graph);

} // namespace cudal1::policy
