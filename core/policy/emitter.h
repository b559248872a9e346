// SPDX-License-Identifier: GPL-3.0-or-later
// Writes an operator graph as the statements of a Python function, and joins several versions of it by toggles.
#pragma once

#include "core/policy/graph.h"

#include <string>
#include <vector>

namespace cudal1::policy {

/// Statements without indentation, one a line; ends with `return`. Total: an operator without a spelling of its own is
/// called through torch.ops. Tensors of the module are read from `self`.
std::vector<std::string> emitStatements(const Graph& graph);

/// One version of a function: which toggles are on (in the order of `toggles`), and its statements.
struct Version {
    std::vector<bool> on;
    std::vector<std::string> statements;
};

/// One function body that does, for every setting of the toggles, exactly what that setting's version says. `versions`
/// holds all 2^k of them, in the order of the binary number whose highest bit is the first toggle. Statements that
/// versions share are written once.
std::vector<std::string> mergeVersions(const std::vector<std::string>& toggles, const std::vector<Version>& versions);

/// "self.network[0].weight" for "network.0.weight".
std::string attributePath(const std::string& name);

} // namespace cudal1::policy
