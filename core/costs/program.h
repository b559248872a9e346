// SPDX-License-Identifier: GPL-3.0-or-later
// One forward pass of a task as a list of costed operators, from a traced graph or from a row of the suite's facts.
//
// Plain values; building one takes milliseconds for most tasks and some tens of them for a recurrence of 80,000
// operators, so a window builds it on a worker.
#pragma once

#include "core/base/result.h"
#include "core/costs/operation.h"
#include "core/protocol/messages.h"

#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

namespace cudal1::costs {

struct NamedTensor {
    std::string name;
    Tensor tensor;
};

/// One call of an operator.
struct Call {
    int operation = 0; ///< index into Program::operations
    int module = 0;    ///< index into Program::modulePaths
    double time_ns = 0;
};

struct Program {
    std::vector<NamedTensor> inputs, parameters, buffers;
    std::vector<Tensor> outputs;
    std::vector<Operation> operations;                        ///< each distinct one once
    std::vector<std::string> modulePaths{""};                 ///< "" is the model itself
    std::vector<std::pair<std::string, std::string>> modules; ///< leaf modules: path and what they print as
    std::vector<Call> calls;                                  ///< in the order of execution
    double intermediates_bytes = 0; ///< most that results and intermediates hold at once; no workspaces of libraries
    double forward_ns = 0;          ///< one forward, measured; 0 when it was not
    bool timed = false;             ///< calls have times
    bool truncated = false;         ///< the list ends early, and so do all sums over it
    bool randomised = false;
};

Program programOf(const protocol::OperatorGraph& graph);

/// From a row of kernelbench/facts.jsonl (core/judge/witness/facts.py makes such rows). A row does not say which tensor
/// an argument is, nor which module runs an operator; both are inferred: a tensor by its shape (the newest result that
/// was not read yet, then the next unread parameter, then the newest result), a module by the parameters that are read.
/// Unreadable for anything that is no such row.
base::Result<Program> programOf(const nlohmann::json& factsRow);

/// Calls [first, first + length), `repeat` times in a row.
struct Fold {
    std::size_t first = 0, length = 1, repeat = 1;
};

/// The calls in order, with what repeats at least four times in a row (a recurrence) folded.
std::vector<Fold> folded(const Program& program);

} // namespace cudal1::costs
