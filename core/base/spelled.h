// SPDX-License-Identifier: GPL-3.0-or-later
// Identifiers as people read them.
#pragma once

#include <algorithm>
#include <string>

namespace cudal1::base {

/// A technique or a toggle in a table, a sentence, a chart: "cuda graph" for "cuda_graph". JSON, CSV and command lines
/// have the identifier.
inline std::string spelled(std::string id)
{
    std::replace(id.begin(), id.end(), '_', ' ');
    return id;
}

} // namespace cudal1::base
