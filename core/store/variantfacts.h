// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a variant with all its evaluations, and writes the comparison of two variants as JSON.
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
    std::vector<EvaluationSummary> summaries;      ///< as countedFirst() has them
    std::vector<protocol::Evaluation> evaluations; ///< the same evaluations in full, in the same order
};

base::Result<VariantFacts> readVariant(const Project& project, base::VariantId id);
/// The variants that this one was made from and those that were made from it, beginning with the first ancestor, as
/// lineage() orders them.
base::Result<std::vector<LineageNode>> lineageOf(const Project& project, const VariantFacts& facts);
/// The object that `cudal1 compare --json` prints. Both variants must have at least one evaluation.
nlohmann::json comparisonJson(const VariantFacts& first, const std::vector<LineageNode>& firstLineage,
                              const VariantFacts& second, const std::vector<LineageNode>& secondLineage,
                              const protocol::Versus& versus);

/// The largest speed-up that a correct variant of a task has on this device model at this precision; 0 when there is no
/// such variant. The speed-up by events counts where there is one, as in the paper (protocol::PaperRules), and else the
/// one by the wall clock. Variants for other texts of the task do not count.
double bestSoFar(const Project& project, const base::TaskId& task, const std::string& deviceModel,
                 protocol::Precision precision);

} // namespace cudal1::store
