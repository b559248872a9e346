// SPDX-License-Identifier: GPL-3.0-or-later
// A variant that was named on the command line, with all its evaluations.
#pragma once

#include "core/protocol/messages.h"
#include "core/store/lineage.h"
#include "core/store/project.h"

#include <QString>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace cudal1::cli {

struct VariantFacts {
    base::VariantId id;
    store::VariantRecord variant;
    std::vector<store::EvaluationSummary> summaries; ///< newest first
    std::vector<protocol::Evaluation> evaluations;   ///< in the same order
};

/// InvalidArgument when `text` is no number of a variant.
base::Result<base::VariantId> variantId(const QString& text);
base::Result<VariantFacts> readVariant(const store::Project& project, base::VariantId id);

/// "3 → 7 → 12" with what was made from it, and the same as JSON: from the first ancestor on, see store::lineage().
base::Result<std::vector<store::LineageNode>> lineageOf(const store::Project& project, const VariantFacts& facts);
std::string lineageText(const std::vector<store::LineageNode>& nodes, base::VariantId of);
nlohmann::json toJson(const std::vector<store::LineageNode>& nodes);

/// Writes the raw pairs of the newest timed evaluation of each as CSV, the variant's number first. InvalidArgument when
/// none was timed, Unreadable when the file cannot be written.
base::Status writePairs(const QString& path, const std::vector<const VariantFacts*>& variants);

} // namespace cudal1::cli
