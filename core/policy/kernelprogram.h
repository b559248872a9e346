// SPDX-License-Identifier: GPL-3.0-or-later
// A group of element-wise operators and reductions as one loop nest, from which kernels for CPUs and GPUs are written.
//
// The domain is the shape over which all operators of the group run. Its axes fall into three runs: outer, reduced and
// inner ones. A value is full (one number for each point of the domain) or a row value (one for each outer and inner
// index). A reduction makes a row value from a full one. All tensors are float32.
#pragma once

#include "core/policy/graph.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::policy {

/// A step of the computation at one point of the domain.
struct KernelExpr {
    enum class Kind { Input, Scalar, Constant, Operation, Reduction };
    Kind kind = Kind::Constant;
    int index = 0;         ///< Input and Scalar: its place in KernelProgram::inputs or ::scalars
    double value = 0;      ///< Constant: the number
    std::string op;        ///< Operation: "add", "gelu"; Reduction: "sum", "prod", "max" or "min"
    std::vector<int> args; ///< Operation and Reduction: places in KernelProgram::exprs of what it takes
    bool full = false;     ///< its value is full, else a row value
    int stage = 0; ///< how many passes over the reduced axis come before it; of a reduction, the number of its own pass
};

/// One axis of the loop nest. Neighbouring axes of the domain are one here when every input steps through them alike.
struct KernelAxis {
    std::int64_t extent = 1;           ///< how many indices it has
    std::vector<std::int64_t> strides; ///< for each input: elements between one index and the next; 0 where it repeats
};

/// A result that the kernel stores.
struct KernelOutput {
    int value = -1;    ///< its id in the graph
    int expr = -1;     ///< its place in KernelProgram::exprs
    bool full = false; ///< one number for each point of the domain, else a row value
};

struct KernelProgram {
    std::vector<KernelExpr> exprs;    ///< each stands behind those that it takes
    std::vector<int> inputs;          ///< ids in the graph of the tensors that the kernel reads
    std::vector<std::string> scalars; ///< names that numbers have in the Python text of forward
    std::vector<KernelOutput> outputs;
    std::vector<std::string> operators;            ///< short names of the fused operators, in order: "softmax"
    Shape domain;                                  ///< before axes are joined
    std::vector<KernelAxis> outer, reduced, inner; ///< from the outermost to the innermost; empty runs have extent 1
    /// The axes in the order of memory where images lie with their channels innermost: of programs without reductions
    /// over images whose inputs have that order too or are the same at all places; else empty.
    std::vector<KernelAxis> channelsInnermost;
    int stages = 0;   ///< how many passes over the reduced axes make reductions; one more pass stores full results
    int inPlace = -1; ///< the input whose memory the only output takes over; -1 where the output has memory of its own

    // How many indices all axes of a run have together.
    std::int64_t outerExtent() const;
    std::int64_t reducedExtent() const;
    std::int64_t innerExtent() const;
    bool reduces() const { return stages > 0; }
    std::vector<KernelAxis> axes() const;    ///< of all three runs, from the outermost to the innermost
    std::vector<int> roots(bool full) const; ///< expressions of the outputs that are full, or of those that are not
};

/// True for operators that kernels can be made of.
bool canFuse(const Graph& graph, const GraphNode& node);

/// The program that computes `nodes`, which stand in the order of execution. Empty where they do not run over one
/// domain, reduce different axes, or hold an operator that kernels cannot be made of. `results` are the ids of those
/// values of the nodes that something else reads: they become the outputs.
std::optional<KernelProgram> buildProgram(const Graph& graph, const std::vector<const GraphNode*>& nodes,
                                          const std::vector<int>& results);

} // namespace cudal1::policy
