// SPDX-License-Identifier: GPL-3.0-or-later
// What a report says of a task by its variants.
#include "core/report/reportedtask.h"

#include "core/protocol/versus.h"

#include <algorithm>

namespace cudal1::report {

std::optional<store::EvaluationSummary> evaluationOfRun(const store::Project& project, base::VariantId variant,
                                                        const store::RunRecord& run, bool byTime)
{
    const auto all = project.evaluations(variant); // newest first
    if (!all)
        return {};
    const auto found = std::find_if(all->begin(), all->end(), [&](const store::EvaluationSummary& one) {
        return byTime ? one.created_ms >= run.created_ms && one.created_ms <= run.updated_ms
                      : one.precision == all->back().precision;
    });
    return found == all->end() ? std::nullopt : std::optional(*found);
}

std::vector<store::VariantRow> ReportedTask::rowsOfBest() const
{
    const ReportedVariant* best = row.bestVariant ? shownVariant() : nullptr;
    if (!best)
        return {};
    std::vector<store::VariantRow> rows{best->row};
    for (const ReportedVariant& variant : variants)
        rows.push_back(variant.row);
    return rows;
}

std::optional<store::Rival> ReportedTask::rival() const
{
    return store::rivalOf(rowsOfBest());
}

std::optional<store::SlowHost> ReportedTask::slowHost() const
{
    return store::slowHostOf(rowsOfBest());
}

base::Interval ReportedTask::bestOver(const ReportedBaseline& baseline) const
{
    const ReportedVariant* best = row.bestVariant ? shownVariant() : nullptr;
    if (!best || !best->evaluation || !baseline.measured.evaluation)
        return {};
    const auto versus = protocol::versus(*best->evaluation, *baseline.measured.evaluation);
    return versus ? versus->wall : base::Interval();
}

void ReportedTask::judgeByVariants()
{
    using State = store::TaskRow::State;
    row.best = {};
    row.bestVariant = {};
    row.deviceModel = {};
    row.variants = int(variants.size());
    bool judged = false;
    for (const ReportedVariant& variant : variants) {
        const auto& evaluation = variant.row.evaluation;
        if (!evaluation || variant.row.stale)
            continue;
        judged = true;
        if (evaluation->verdict != protocol::Verdict::Correct)
            continue;
        if (!row.bestVariant || protocol::isBetter(evaluation->wall, evaluation->marks, row.best, row.marks)) {
            row.best = evaluation->wall;
            row.bestVariant = variant.row.id;
            row.deviceModel = evaluation->deviceModel;
            row.marks = evaluation->marks;
        }
    }
    row.state = row.best.low > store::TaskRow::leastGain ? State::Improved
              : row.bestVariant                          ? State::NoGain
              : judged                                   ? State::Failed
                                                         : State::NotTried;
}

void ReportedTask::chooseShown()
{
    shown.reset();
    for (std::size_t at = 0; at < variants.size(); ++at) {
        const store::VariantRow& variant = variants[at].row;
        if (variant.id == row.bestVariant) {
            shown = at;
            return;
        }
        if (!shown && variant.evaluation && !variant.stale)
            shown = at;
    }
}

} // namespace cudal1::report
