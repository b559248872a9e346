// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a variant with all its evaluations, and sets two beside each other.
#include "core/store/variantfacts.h"

#include "core/store/storedjson.h"
#include "core/store/storedversus.h"

#include <algorithm>

namespace cudal1::store {

using nlohmann::json;

namespace {

json sideJson(const VariantFacts& facts, const std::vector<LineageNode>& lineage)
{
    const protocol::Evaluation& counts = facts.evaluations.front();
    return {
        {"variant", facts.id.value},
        {"verdict", protocol::toString(counts.verdict)},
        {"reasons", counts.reasons},
        {"labels", counts.labels},
        {"speedup", {{"wall", toJson(counts.speedup.wall.speedup)}, {"event", toJson(counts.speedup.event.speedup)}}},
        {"lineage", toJson(lineage)}};
}

} // namespace

base::Result<VariantFacts> readVariant(const Project& project, base::VariantId id)
{
    auto variant = project.variant(id);
    if (!variant)
        return variant.error();
    auto summaries = countedFirst(project, id);
    if (!summaries)
        return summaries.error();
    VariantFacts facts{id, std::move(*variant), std::move(*summaries), {}};
    for (const EvaluationSummary& summary : facts.summaries) {
        auto evaluation = project.evaluation(summary.id);
        if (!evaluation)
            return evaluation.error();
        facts.evaluations.push_back(std::move(*evaluation));
    }
    return facts;
}

base::Result<std::vector<LineageNode>> lineageOf(const Project& project, const VariantFacts& facts)
{
    const auto rows = project.variantRows(facts.variant.task);
    if (!rows)
        return rows.error();
    return lineage(*rows, facts.id);
}

json comparisonJson(const VariantFacts& first, const std::vector<LineageNode>& firstLineage, const VariantFacts& second,
                    const std::vector<LineageNode>& secondLineage, const protocol::Versus& versus)
{
    const std::string host = protocol::hostText(versus, "#" + std::to_string(first.id.value),
                                                "#" + std::to_string(second.id.value));
    return {{"first", first.id.value},
            {"second", second.id.value},
            {"verdict", protocol::toString(base::compare(versus.wall))},
            {"ratio", {{"wall", toJson(versus.wall)}, {"event", toJson(versus.event)}}},
            {"host", versus.hostChanged ? json(host) : json(nullptr)},
            {"variants", {sideJson(first, firstLineage), sideJson(second, secondLineage)}}};
}

double bestSoFar(const Project& project, const base::TaskId& task, const std::string& deviceModel,
                 protocol::Precision precision)
{
    double best = 0;
    const auto rows = project.rowsMeasured(deviceModel, precision);
    for (const VariantRow& row : rows ? *rows : std::vector<VariantRow>()) {
        const auto& evaluation = row.evaluation;
        if (row.task != task || !row.baseline.empty() || evaluation->verdict != protocol::Verdict::Correct)
            continue;
        best = std::max(best, evaluation->event.valid() ? evaluation->event.estimate : evaluation->wall.estimate);
    }
    return best;
}

} // namespace cudal1::store
