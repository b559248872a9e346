// SPDX-License-Identifier: GPL-3.0-or-later
// Which variants a variant was made from, and which were made from it.
#pragma once

#include "core/store/project.h"

#include <vector>

namespace cudal1::store {

struct LineageNode {
    base::VariantId id;
    int depth = 0;         ///< 0 for the first ancestor
    bool ancestor = false; ///< lies on the path to the variant that was asked for
};

/// The path from the first ancestor among `rows` (variants of one task) to `variant`, then everything made from it,
/// depth first and older before newer. At least the variant itself.
std::vector<LineageNode> lineage(const std::vector<VariantRow>& rows, base::VariantId variant);

} // namespace cudal1::store
