// SPDX-License-Identifier: GPL-3.0-or-later
// The toggles of a candidate: module-level assignments `USE_… = True/False` in its Python text. They are found and set
// without running the text.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cudal1::policy {

/// A name at module level whose last assignment, outside of any block, is the literal True or False.
struct Toggle {
    std::string name;      ///< "USE_CUDA_GRAPH"
    bool on = false;       ///< its value in the source
    std::size_t begin = 0; ///< where the literal begins, in bytes of the source …
    std::size_t end = 0;   ///< … and the byte behind its end
    int line = 0;          ///< counted from 1
};

/// All toggles whose names begin with USE_, in the order of the source; empty when there is none. `USE_A: bool = True`
/// counts. Text that only looks like an assignment does not: in strings and comments, in functions, classes and blocks,
/// and as a default or keyword argument. Fails with Unreadable and the line for text that is not valid Python.
base::Result<std::vector<Toggle>> findToggles(const std::string& source);

/// All toggles, whatever their names begin with: those with USE_ first, then the others, each group in the order of the
/// source.
base::Result<std::vector<Toggle>> findSwitches(const std::string& source);

/// The toggles with these names, whatever they begin with, in the order of `names`, each once. Fails with NotFound for
/// a name that is no toggle of the source.
base::Result<std::vector<Toggle>> findToggles(const std::string& source, const std::vector<std::string>& names);

/// The source with toggle i set to bit i of `on`, counted from the lowest. Only literals that must change are changed.
std::string withToggles(const std::string& source, const std::vector<Toggle>& toggles, std::uint32_t on);

/// "cuda_graph" for "USE_CUDA_GRAPH", and for "cuda graph", as people read it. In a source that the technique library
/// has written, this is the technique's id.
std::string techniqueOf(const std::string& toggle);

} // namespace cudal1::policy
