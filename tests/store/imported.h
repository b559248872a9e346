// SPDX-License-Identifier: GPL-3.0-or-later
// Imported variants for tests of what works through many.
#pragma once

#include "core/store/project.h"

#include <QtGlobal>

#include <string>
#include <vector>

namespace cudal1::samples {

/// `count` variants, two a task, whose sources are "candidate 0;", "candidate 1;", …
inline std::vector<base::VariantId> importVariants(store::Project& project, int count)
{
    std::vector<store::ImportRow> rows;
    for (int at = 0; at < count; ++at) {
        store::ImportRow& row = rows.emplace_back();
        const std::string id = "1/" + std::to_string(at / 2 + 1);
        row.task = {{id}, "Task", "suite", 1, "class Model: pass", "hash"};
        row.variant.emplace();
        row.variant->task = {id};
        row.variant->taskHash = "hash";
        row.variant->source = "candidate " + std::to_string(at) + ";";
        row.variant->origin = row.claim.source = "cuda-l1: f";
        row.claim.key = "row " + std::to_string(at);
        row.claim.speedup = 3;
    }
    if (!project.importRows(rows))
        qFatal("the store does not work");
    std::vector<base::VariantId> variants;
    const auto claims = project.claims();
    for (const store::ClaimRecord& claim : *claims)
        variants.push_back(claim.variant);
    return variants;
}

} // namespace cudal1::samples
