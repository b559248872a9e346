// SPDX-License-Identifier: GPL-3.0-or-later
// A variant that was named on the command line, with all its evaluations.
#pragma once

#include "core/protocol/messages.h"
#include "core/store/project.h"

#include <QString>

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

} // namespace cudal1::cli
