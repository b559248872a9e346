// SPDX-License-Identifier: GPL-3.0-or-later
// A variant with all its evaluations, and what a comparison of two says.
#pragma once

#include "core/protocol/versus.h"
#include "core/store/lineage.h"
#include "core/store/project.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace cudal1::store {

struct VariantFacts {
    base::VariantId id;
    VariantRecord variant;
    std::vector<EvaluationSummary> summaries;      ///< newest first
    std::vector<protocol::Evaluation> evaluations; ///< in the same order
};

base::Result<VariantFacts> readVariant(const Project& project, base::VariantId id);
/// From the first ancestor on, see lineage().
base::Result<std::vector<LineageNode>> lineageOf(const Project& project, const VariantFacts& facts);
/// What `cudal1 compare --json` prints. Both have an evaluation.
nlohmann::json comparisonJson(const VariantFacts& first, const std::vector<LineageNode>& firstLineage,
                              const VariantFacts& second, const std::vector<LineageNode>& secondLineage,
                              const protocol::Versus& versus);

/// The largest speed-up of a correct variant in these rows on this device model with this precision, by events where
/// there are any, as the paper counts (protocol::PaperRules); 0 when there is none.
double bestSoFar(const std::vector<VariantRow>& rows, const std::string& deviceModel, protocol::Precision precision);

} // namespace cudal1::store
