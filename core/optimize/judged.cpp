// SPDX-License-Identifier: GPL-3.0-or-later
// Exemplars from the store.
#include "core/optimize/judged.h"

#include "core/protocol/marks.h"

#include <algorithm>

namespace cudal1::optimize {

namespace {

bool better(const JudgedVariant& a, const JudgedVariant& b)
{
    const bool correctA = a.exemplar.verdict == protocol::Verdict::Correct;
    const bool correctB = b.exemplar.verdict == protocol::Verdict::Correct;
    if (correctA != correctB)
        return correctA;
    return protocol::isBetter(a.exemplar.wall, a.marks, b.exemplar.wall, b.marks);
}

} // namespace

base::Result<JudgedList> JudgedList::load(const store::Project& project, const store::TaskRecord& task,
                                          const std::string& deviceModel, protocol::Precision precision,
                                          base::RunId run, int rounds)
{
    JudgedList list;
    const auto rows = project.variantRows(task.id);
    if (!rows)
        return rows.error();
    for (const store::VariantRow& row : *rows) {
        if (!row.evaluation)
            continue;
        const auto evaluations = project.evaluations(row.id);
        if (!evaluations)
            return evaluations.error();
        const auto fits = std::find_if(evaluations->begin(), evaluations->end(),
                                       [&](const store::EvaluationSummary& one) {
                                           return one.deviceModel == deviceModel && one.precision == precision;
                                       });
        if (fits == evaluations->end())
            continue;
        auto variant = project.variant(row.id);
        if (!variant)
            return variant.error();
        if (variant->taskHash != task.hash)
            continue; // judged against another text of the task
        const auto samples = project.samples(row.id);
        if (!samples)
            return samples.error();
        const auto ofRun = [&](const store::SampleRecord& one) { return one.run == run && one.round < rounds; };
        if (run && std::none_of(samples->begin(), samples->end(), ofRun))
            continue;
        list.m_items.push_back(
            {row.id,
             {std::move(variant->source), variant->techniques, fits->verdict, fits->wall, fits->firstReason, row.id,
              variant->origin, samples->empty() ? std::vector<base::VariantId>() : samples->front().shown},
             fits->marks});
    }
    std::stable_sort(list.m_items.begin(), list.m_items.end(), better);
    return list;
}

void JudgedList::add(const store::VariantRecord& variant, const protocol::Evaluation& evaluation,
                     const std::vector<base::VariantId>& shown)
{
    insert({variant.id,
            {variant.source, variant.techniques, evaluation.verdict, evaluation.speedup.wall.speedup,
             evaluation.reasons.empty() ? std::string() : evaluation.reasons.front().text, variant.id, variant.origin,
             shown},
            protocol::marksOf(evaluation)});
}

void JudgedList::insert(JudgedVariant judged)
{
    std::erase_if(m_items, [&](const JudgedVariant& one) { return one.variant == judged.variant; });
    m_items.insert(std::upper_bound(m_items.begin(), m_items.end(), judged, better), std::move(judged));
}

std::vector<policy::Exemplar> JudgedList::exemplars() const
{
    std::vector<policy::Exemplar> out;
    out.reserve(m_items.size());
    for (const JudgedVariant& one : m_items)
        out.push_back(one.exemplar);
    return out;
}

const JudgedVariant* JudgedList::best() const
{
    if (m_items.empty() || m_items.front().exemplar.verdict != protocol::Verdict::Correct ||
        !m_items.front().exemplar.wall.valid())
        return nullptr;
    return &m_items.front();
}

std::optional<double> JudgedList::bestOf(const std::string& origin) const
{
    std::optional<double> best;
    for (const JudgedVariant& one : m_items)
        if (const policy::Exemplar& exemplar = one.exemplar;
            exemplar.origin == origin && exemplar.verdict == protocol::Verdict::Correct && exemplar.wall.valid())
            best = std::max(best.value_or(0), exemplar.wall.estimate);
    return best;
}

} // namespace cudal1::optimize
