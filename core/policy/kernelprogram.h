// SPDX-License-Identifier: GPL-3.0-or-later
// A group of element-wise operators and reductions as one loop nest, from which kernels for CPUs and GPUs are written.
//
// The domain is collapsed to three axes: outer, reduced, inner. A value is full (one number for each point of the
// domain) or a row value (one for each outer and inner index). A reduction makes a row value from a full one.
#pragma once

#include "core/policy/graph.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::policy {

struct KernelExpr {
    enum class Kind { Input, Scalar, Constant, Operation, Reduction };
    Kind kind = Kind::Constant;
    int index = 0;    ///< of the input or scalar
    double value = 0; ///< of a constant
    std::string op;   ///< "add", "gelu"; of a reduction "sum", "prod", "max", "min"
    std::vector<int> args;
    bool full = false;
    int stage = 0; ///< passes over the reduced axis that must be done before; of a reduction, its own pass
};

/// One axis of the loop nest after neighbours that every input walks alike were joined.
struct KernelAxis {
    std::int64_t extent = 1;
    std::vector<std::int64_t> strides; ///< of each input, in elements
};

struct KernelOutput {
    int value = -1;
    int expr = -1;
    bool full = false;
};

struct KernelProgram {
    std::vector<KernelExpr> exprs;    ///< arguments before their users
    std::vector<int> inputs;          ///< values of the graph
    std::vector<std::string> scalars; ///< Python names of forward's numbers
    std::vector<KernelOutput> outputs;
    std::vector<std::string> operators; ///< what was fused, in order
    Shape domain;
    std::vector<KernelAxis> outer, reduced, inner;
    int stages = 0;   ///< passes over the reduced axis before the last one
    int inPlace = -1; ///< input whose memory takes the only full output; -1 for none

    std::int64_t outerExtent() const;
    std::int64_t reducedExtent() const;
    std::int64_t innerExtent() const;
    bool reduces() const { return stages > 0; }
};

/// True for operators that kernels can be made of.
bool canFuse(const Graph& graph, const GraphNode& node);

/// The program of `nodes` (in order), or nothing where they do not share one domain or reduce different axes.
/// `results`: the values that are read outside.
std::optional<KernelProgram> buildProgram(const Graph& graph, const std::vector<const GraphNode*>& nodes,
                                          const std::vector<int>& results);

} // namespace cudal1::policy
