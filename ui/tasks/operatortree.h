// SPDX-License-Identifier: GPL-3.0-or-later
// The operators of a task as a tree: modules, repeats, calls, each with its sums.
#pragma once

#include "core/costs/program.h"

#include <memory>
#include <string>
#include <vector>

namespace cudal1::ui {

/// A row. Groups hold the sums of what is in them; below a repeat stands one pass of it.
struct OperatorNode {
    enum class Kind { Module, Repeat, Call };
    Kind kind = Kind::Call;
    std::string name;      ///< operator, or the module's path
    std::string module;    ///< path, of a call; what the module is, of a module
    std::string shapes;    ///< of a call: "[2,3], [3,4] → [2,4]"
    std::string arguments; ///< of a call, all of them
    int repeat = 1;        ///< of a repeat
    int calls = 1;         ///< all below, repeats counted
    double flops = 0, bytes = 0, time_ns = 0;
    int parent = -1, row = 0; ///< -1: top level
    std::vector<int> children;
};

struct OperatorTree {
    std::vector<OperatorNode> nodes;
    std::vector<int> top;
    bool timed = false;
};

/// Calls in the order of execution. A module is a row when more than one call in a row is in it; what repeats at least
/// four times in a row is folded.
OperatorTree operatorTree(const costs::Program& program);

} // namespace cudal1::ui
