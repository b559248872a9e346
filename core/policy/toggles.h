// SPDX-License-Identifier: GPL-3.0-or-later
// Toggles of a candidate: module-level `USE_… = True/False` in its Python text, found and set without running it.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cudal1::policy {

/// A name at module level whose last assignment there, outside of any block, is the literal True or False.
struct Toggle {
    std::string name;      ///< "USE_CUDA_GRAPH"
    bool on = false;       ///< as it stands in the source
    std::size_t begin = 0; ///< of the literal, in bytes of the source
    std::size_t end = 0;
    int line = 0;          ///< 1-based
};

/// All names that begin with USE_, in the order of the source; empty when there is none. What only looks like an assignment
/// (in strings, comments, functions, classes and blocks, as a default or keyword argument) is none; `USE_A: bool = True` is.
/// Unreadable, with the line, for text that no Python would accept.
base::Result<std::vector<Toggle>> findToggles(const std::string& source);

/// All that can be switched, whatever they begin with: those of USE_ first, each part in the order of the source.
base::Result<std::vector<Toggle>> findSwitches(const std::string& source);

/// Those named, whatever they begin with, in the order named, each once. NotFound for a name that is no toggle of the source.
base::Result<std::vector<Toggle>> findToggles(const std::string& source, const std::vector<std::string>& names);

/// The source with toggle i set to bit i of `on`; nothing but the literals that have to change is changed.
std::string withToggles(const std::string& source, const std::vector<Toggle>& toggles, std::uint32_t on);

/// "cuda_graph" of "USE_CUDA_GRAPH": a technique's id where the source is of the technique library.
std::string techniqueOf(const std::string& toggle);

} // namespace cudal1::policy
