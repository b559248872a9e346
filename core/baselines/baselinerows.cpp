// SPDX-License-Identifier: GPL-3.0-or-later
// Rows from the store.
#include "core/baselines/baselinerows.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace cudal1::baselines {

namespace {

BaselineResult foundIn(const protocol::Evaluation& evaluation, base::EvaluationId id)
{
    BaselineResult found{protocol::outcomeOf(evaluation), id, {}, {}};
    for (const protocol::Reason& label : evaluation.labels)
        if (label.code == "degenerate_task")
            found.nulls = label.evidence;
    found.deviceModel = evaluation.device.model;
    return found;
}

BaselineRow rowOf(const store::TaskRecord& task, const BaselineKind& kind)
{
    BaselineRow row;
    row.kind = &kind;
    row.task = task.id;
    row.taskName = task.name;
    row.suite = task.suite;
    row.level = task.level;
    return row;
}

} // namespace

std::string BaselineRow::word() const
{
    return found ? std::string(protocol::toString(found->verdict)) : "not_measured";
}

base::Result<std::vector<BaselineRow>> rowsOf(const store::Project& project,
                                              const std::vector<store::TaskRecord>& tasks,
                                              const std::vector<const BaselineKind*>& kinds,
                                              const BaselineSettings& settings)
{
    const auto known = project.baselineRows();
    if (!known)
        return known.error();
    std::map<std::pair<base::TaskId, std::string>, std::vector<base::VariantId>>
        byKind; // more than one where a text changed
    for (const store::VariantRow& row : *known)
        byKind[{row.task, row.baseline}].push_back(row.id);

    std::vector<BaselineRow> rows;
    for (const store::TaskRecord& task : tasks)
        for (const BaselineKind* kind : kinds) {
            BaselineRow& row = rows.emplace_back(rowOf(task, *kind));
            for (const base::VariantId id : byKind[{task.id, std::string(kind->id)}]) {
                const auto variant = project.variant(id);
                if (!variant)
                    return variant.error();
                if (variant->taskHash == task.hash && variant->source == sourceOf(*kind, task.source))
                    row.variant = id;
            }
            if (!row.variant)
                continue;
            const auto found = project.findWholeEvaluation(row.variant, settings.deviceModel, settings.precision,
                                                           settings.preset);
            if (!found)
                return found.error();
            if (*found)
                row.found = foundIn((*found)->evaluation, (*found)->id);
        }
    return rows;
}

base::Result<std::vector<Latest>> latestInFull(const store::Project& project, const base::TaskId& task)
{
    const auto known = project.baselineRows(task);
    if (!known)
        return known.error();
    if (known->empty())
        return std::vector<Latest>();
    const auto record = project.task(task);
    if (!record)
        return record.error();
    std::vector<Latest> rows;
    for (const BaselineKind& kind : kinds()) {
        const auto newest = std::find_if(known->rbegin(), known->rend(), [&](const store::VariantRow& row) {
            return row.baseline == kind.id && !row.stale && row.evaluation;
        });
        if (newest == known->rend())
            continue;
        auto evaluation = project.evaluation(newest->evaluation->id);
        if (!evaluation)
            return evaluation.error();
        Latest& row = rows.emplace_back(Latest{rowOf(*record, kind), *newest, std::move(*evaluation)});
        row.variant = newest->id;
        row.found = foundIn(row.evaluation, newest->evaluation->id);
    }
    return rows;
}

base::Result<std::vector<BaselineRow>> latestOf(const store::Project& project, const base::TaskId& task)
{
    auto full = latestInFull(project, task);
    if (!full)
        return full.error();
    return std::vector<BaselineRow>(std::make_move_iterator(full->begin()), std::make_move_iterator(full->end()));
}

base::Result<std::vector<base::VariantId>> prepare(store::Project& project, const std::vector<store::TaskRecord>& tasks,
                                                   const std::vector<BaselineRow>& rows, bool again, int limit)
{
    std::vector<base::VariantId> out;
    base::TaskId put;
    for (const BaselineRow& row : rows) {
        if (limit > 0 && int(out.size()) >= limit)
            break;
        if (row.found && !again)
            continue;
        const auto task = std::find_if(tasks.begin(), tasks.end(),
                                       [&](const store::TaskRecord& one) { return one.id == row.task; });
        if (task == tasks.end())
            return base::Error{base::ErrorCode::NotFound, "There is no task " + row.task.value, {}, {}};
        if (put != task->id)
            if (const auto status = project.putTask(*task); !status)
                return status.error();
        put = task->id;
        store::VariantRecord variant;
        variant.task = task->id;
        variant.taskHash = task->hash;
        variant.source = sourceOf(*row.kind, task->source);
        variant.origin = "baseline: " + std::string(row.kind->name);
        variant.baseline = row.kind->id;
        const auto id = project.addVariant(variant);
        if (!id)
            return id.error();
        out.push_back(*id);
    }
    return out;
}

} // namespace cudal1::baselines
