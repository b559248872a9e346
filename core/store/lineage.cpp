// SPDX-License-Identifier: GPL-3.0-or-later
// Walks up by parent, then down by children.
#include "core/store/lineage.h"

#include <algorithm>
#include <set>

namespace cudal1::store {

namespace {

using Ids = std::set<base::VariantId>;

void addChildren(const std::vector<VariantRow>& rows, base::VariantId of, int depth, Ids& seen,
                 std::vector<LineageNode>& out)
{
    std::vector<base::VariantId> children;
    for (const VariantRow& row : rows)
        if (row.parent == of && seen.insert(row.id).second)
            children.push_back(row.id);
    std::sort(children.begin(), children.end());
    for (const base::VariantId child : children) {
        out.push_back({child, depth, false});
        addChildren(rows, child, depth + 1, seen, out);
    }
}

} // namespace

std::vector<LineageNode> lineage(const std::vector<VariantRow>& rows, base::VariantId variant)
{
    std::vector<LineageNode> out;
    Ids seen;
    for (base::VariantId at = variant; at && seen.insert(at).second;) {
        out.push_back({at, 0, at != variant});
        const auto row = std::find_if(rows.begin(), rows.end(), [at](const VariantRow& one) { return one.id == at; });
        const base::VariantId parent = row == rows.end() ? base::VariantId() : row->parent;
        // A parent that is not among the rows belongs to another task, or is gone.
        at = std::any_of(rows.begin(), rows.end(), [parent](const VariantRow& one) { return one.id == parent; })
               ? parent
               : base::VariantId();
    }
    std::reverse(out.begin(), out.end());
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i].depth = int(i);
    addChildren(rows, variant, int(out.size()), seen, out);
    return out;
}

} // namespace cudal1::store
