// SPDX-License-Identifier: GPL-3.0-or-later
// Where the techniques of a variant stand in its source: its toggles, what they switch, and uses that need no toggle.
#pragma once

#include <string>
#include <vector>

namespace cudal1::policy {

/// Lines of a text, 1-based, both ends included.
struct SourceLines {
    int first = 0, last = 0;

    bool operator==(const SourceLines&) const = default;
};

struct NamedTechnique {
    std::string id;     ///< "cuda_graph"
    std::string title;  ///< "CUDA graph"
    std::string toggle; ///< "USE_CUDA_GRAPH"; empty where the source has none for it
    bool on = true;     ///< the toggle's value in the source
    /// In the order of the source: the toggle's assignment, the statements that read it, and the blocks that these
    /// guard. Without a toggle: the places that use what the technique is known by. Empty where nothing was found.
    std::vector<SourceLines> lines;
};

/// First the module-level toggles `USE_… = True/False` in the order of the source, then those of `ids` (techniques that
/// the variant is said to use) without a toggle, then what else the source is seen to use. Text that is no Python has
/// no toggles.
std::vector<NamedTechnique> namedTechniques(const std::string& source, const std::vector<std::string>& ids = {});

/// Ids of the techniques that a source is seen to use and does not switch off.
std::vector<std::string> techniquesIn(const std::string& source);

} // namespace cudal1::policy
