// SPDX-License-Identifier: GPL-3.0-or-later
// Operators that write in place, in an operator graph.
#pragma once

#include "core/policy/graph.h"

#include <string>

namespace cudal1::policy {

/// Makes each operator that writes its first argument one that returns a new tensor. One that only restates the strides
/// of axes with one element goes. Counters among the buffers of the module stay as they are. Returns why that cannot be
/// proven right, as a phrase for a person, or nothing; where it returns something, `graph` may be half changed.
std::string dropInPlace(protocol::OperatorGraph& graph);

/// Makes a node read `to` where it reads `from`.
void readInstead(GraphNode& node, int from, int to);

} // namespace cudal1::policy
