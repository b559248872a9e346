// SPDX-License-Identifier: GPL-3.0-or-later
// Summaries tell which evaluations can be compared.
#include "core/store/storedversus.h"

#include "core/protocol/hostspeed.h"
#include "core/protocol/marks.h"

#include <algorithm>

namespace cudal1::store {

using base::ErrorCode;

namespace {

protocol::Evaluation evaluationOf(const EvaluationSummary& summary)
{
    protocol::Evaluation out;
    out.verdict = summary.verdict;
    out.speedup.wall.speedup = summary.wall;
    out.speedup.event.speedup = summary.event;
    out.device.model = summary.deviceModel;
    out.precision.mode = summary.precision;
    return out;
}

bool isTimed(const VariantRow& row)
{
    return row.evaluation && !row.stale && row.evaluation->verdict == protocol::Verdict::Correct &&
           row.evaluation->reference_ns > 0;
}

protocol::ClockSpeedup wallOf(const EvaluationSummary& one)
{
    return {one.wall, one.reference_ns, one.candidate_ns};
}

} // namespace

base::Result<std::vector<EvaluationSummary>> countedFirst(const Project& project, base::VariantId variant)
{
    auto out = project.evaluations(variant); // newest first
    const auto counted = project.countedPrecision();
    if (!out || !counted)
        return !out ? out.error() : counted.error();
    std::stable_partition(out->begin(), out->end(),
                          [&counted](const EvaluationSummary& one) { return one.precision == counted->counts; });
    return out;
}

base::Result<protocol::Versus> versus(const Project& project, base::VariantId first, base::VariantId second)
{
    const auto a = project.variant(first), b = project.variant(second);
    for (const auto* one : {&a, &b})
        if (!*one)
            return one->error();
    if (a->task != b->task)
        return base::Error{ErrorCode::InvalidArgument,
                           "They are variants of two tasks, " + a->task.value + " and " + b->task.value,
                           {},
                           "Compare variants of one task"};
    if (a->taskHash != b->taskHash)
        return base::Error{ErrorCode::InvalidArgument, "They were made for two texts of the task", a->task.value,
                           "Judge both against the present one"};
    const auto ofFirst = countedFirst(project, first), ofSecond = countedFirst(project, second);
    for (const auto* one : {&ofFirst, &ofSecond})
        if (!*one)
            return one->error();
    for (const auto* one : {&ofFirst, &ofSecond})
        if ((*one)->empty())
            return base::Error{ErrorCode::InvalidArgument, "One of them was not judged yet", {}, "Judge it first"};
    for (const EvaluationSummary& ours : *ofFirst)
        for (const EvaluationSummary& theirs : *ofSecond)
            if (protocol::versus(evaluationOf(ours), evaluationOf(theirs))) {
                const auto one = project.evaluation(ours.id), other = project.evaluation(theirs.id);
                return !one ? one.error() : !other ? other.error() : protocol::versus(*one, *other);
            }
    return protocol::versus(evaluationOf(ofFirst->front()), evaluationOf(ofSecond->front()));
}

base::Interval judgedOn(const Project& project, base::VariantId variant, const std::string& deviceModel,
                        protocol::Precision precision)
{
    const auto evaluations = project.evaluations(variant); // newest first
    for (const EvaluationSummary& one : evaluations ? *evaluations : std::vector<EvaluationSummary>())
        if (one.verdict == protocol::Verdict::Correct && one.deviceModel == deviceModel && one.precision == precision)
            return one.wall;
    return {};
}

std::optional<Rival> rivalOf(const std::vector<VariantRow>& rows)
{
    if (rows.empty() || !isTimed(rows.front()))
        return {};
    const EvaluationSummary& best = *rows.front().evaluation;
    const auto rankOf = [](const EvaluationSummary& one) { return protocol::gainRank(one.wall, one.marks); };
    std::optional<Rival> found;
    for (const VariantRow& row : rows) {
        if (!isTimed(row) || row.evaluation->deviceModel != best.deviceModel ||
            row.evaluation->precision != best.precision || row.evaluation->wall.low > best.wall.low)
            continue;
        const base::Interval ratio = protocol::ratioAtOneSpeed(wallOf(*row.evaluation), row.evaluation->followsHost,
                                                               wallOf(best), best.followsHost);
        if (ratio.low > 1 && (!found || ratio.low > found->ratio.low))
            found = Rival{rows.front().id,
                          row.id,
                          ratio,
                          best.reference_ns,
                          row.evaluation->reference_ns,
                          rankOf(*row.evaluation) < rankOf(best) ? row.evaluation->marks : std::string()};
    }
    return found;
}

std::optional<SlowHost> slowHostOf(const std::vector<VariantRow>& rows)
{
    constexpr double slower = 1.125;
    constexpr std::size_t fewest = 3;
    if (rows.empty() || !isTimed(rows.front()) || rows.front().evaluation->followsHost <= 0)
        return {};
    const EvaluationSummary& best = *rows.front().evaluation;
    std::vector<double> others;
    for (const VariantRow& row : rows)
        if (row.id != rows.front().id && row.baseline.empty() && isTimed(row) &&
            row.evaluation->deviceModel == best.deviceModel && row.evaluation->precision == best.precision)
            others.push_back(row.evaluation->reference_ns);
    if (others.size() < fewest)
        return {};
    const double usual_ns = base::median(others);
    if (best.reference_ns < slower * usual_ns)
        return {};
    return SlowHost{rows.front().id, best.reference_ns, usual_ns,
                    protocol::whileReferenceTakes(usual_ns, wallOf(best), best.followsHost)};
}

} // namespace cudal1::store
