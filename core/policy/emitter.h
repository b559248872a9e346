// SPDX-License-Identifier: GPL-3.0-or-later
// Writes an operator graph as statements of a Python function, and merges several versions of a function into one that
// toggles switch.
#pragma once

#include "core/policy/graph.h"

#include <string>
#include <vector>

namespace cudal1::policy {

/// One statement a line, without indentation; the last one is `return`. Works for every graph: an operator that has no
/// spelling of its own is called through torch.ops. Parameters and buffers are read from `self`.
std::vector<std::string> emitStatements(const Graph& graph);

/// One version of a function.
struct Version {
    std::vector<bool> on; ///< one for each toggle, in the order that mergeVersions() is given
    std::vector<std::string> statements;
};

/// Merges versions into one function body. For every setting of the toggles it does exactly what the version of that
/// setting does. `versions` holds all 2^k settings of k toggles, in the order of the binary number whose highest bit is
/// the first toggle. Statements that versions have in common are written once.
std::vector<std::string> mergeVersions(const std::vector<std::string>& toggles, const std::vector<Version>& versions);

/// The Python expression for a parameter's name: "self.network[0].weight" for "network.0.weight".
std::string attributePath(const std::string& name);

} // namespace cudal1::policy
