// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a variant with all its evaluations.
#include "app/cli/variantfacts.h"

namespace cudal1::cli {

base::Result<base::VariantId> variantId(const QString& text)
{
    bool good = false;
    const base::VariantId id{text.toLongLong(&good)};
    if (!good || id.value <= 0)
        return base::Error{base::ErrorCode::InvalidArgument, "\"" + text.toStdString() + "\" is no number of a variant", {},
                           "`cudal1 variants TASK` lists them"};
    return id;
}

base::Result<VariantFacts> readVariant(const store::Project& project, base::VariantId id)
{
    auto variant = project.variant(id);
    if (!variant)
        return variant.error();
    auto summaries = project.evaluations(id);
    if (!summaries)
        return summaries.error();
    VariantFacts facts{id, std::move(*variant), std::move(*summaries), {}};
    for (const store::EvaluationSummary& summary : facts.summaries) {
        auto evaluation = project.evaluation(summary.id);
        if (!evaluation)
            return evaluation.error();
        facts.evaluations.push_back(std::move(*evaluation));
    }
    return facts;
}

} // namespace cudal1::cli
