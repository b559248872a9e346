// SPDX-License-Identifier: GPL-3.0-or-later
// Rows from claims and variants.
#include "core/rejudge/rejudgeselection.h"

#include <algorithm>
#include <map>
#include <set>

namespace cudal1::rejudge {

namespace {

bool passes(const Filter& filter, const std::string& origin, const base::TaskId& task, int level)
{
    if (!filter.origin.empty() && origin.find(filter.origin) == std::string::npos)
        return false;
    if (filter.level > 0 && filter.level != level)
        return false;
    return filter.tasks.empty() ||
           std::any_of(filter.tasks.begin(), filter.tasks.end(), [&](const std::string& wanted) {
               return task.value == wanted || task.value.starts_with(wanted + "@");
           });
}

} // namespace

base::Result<std::vector<ClaimOutcome>> select(const store::Project& project, const Filter& filter,
                                               const RejudgeSettings& settings)
{
    const auto tasks = project.taskRows();
    if (!tasks)
        return tasks.error();
    const auto variants = project.variantRows();
    if (!variants)
        return variants.error();
    const auto claims = project.claims();
    if (!claims)
        return claims.error();

    struct TaskPlace {
        std::size_t place = 0; ///< in the project's order of tasks
        const store::TaskRow* row = nullptr;
    };
    std::map<base::TaskId, TaskPlace> places;
    for (std::size_t at = 0; at < tasks->size(); ++at)
        places[(*tasks)[at].id] = {at, &(*tasks)[at]};
    std::map<base::VariantId, const store::VariantRow*> byId;
    for (const store::VariantRow& variant : *variants)
        byId[variant.id] = &variant;

    std::vector<ClaimOutcome> rows;
    std::set<base::VariantId> claimed;
    for (const store::ClaimRecord& claim : *claims) {
        const TaskPlace place = places[claim.task];
        if (!place.row || !passes(filter, claim.source, claim.task, place.row->level))
            continue;
        ClaimOutcome& row = rows.emplace_back();
        row.source = claim.source;
        row.key = claim.key;
        row.task = claim.task;
        row.taskName = place.row->name;
        row.suite = place.row->suite;
        row.variant = claim.variant;
        row.claimed = claim.speedup;
        row.claimedCorrect = claim.correct;
        row.irregularities = claim.irregularities;
        claimed.insert(claim.variant);
    }
    if (!filter.origin.empty())
        for (const store::VariantRow& variant : *variants) {
            const TaskPlace place = places[variant.task];
            if (!place.row || claimed.contains(variant.id) ||
                !passes(filter, variant.origin, variant.task, place.row->level))
                continue;
            ClaimOutcome& row = rows.emplace_back();
            row.source = variant.origin;
            row.key = "variant " + std::to_string(variant.id.value);
            row.task = variant.task;
            row.taskName = place.row->name;
            row.suite = place.row->suite;
            row.variant = variant.id;
        }
    std::stable_sort(rows.begin(), rows.end(), [&](const ClaimOutcome& a, const ClaimOutcome& b) {
        return places[a.task].place < places[b.task].place;
    });

    for (ClaimOutcome& row : rows) {
        const auto variant = byId.find(row.variant);
        if (variant == byId.end())
            continue;
        row.stale = variant->second->stale;
        if (!variant->second->evaluation)
            continue;
        const auto found = project.findWholeEvaluation(row.variant, settings.deviceModel, settings.precision,
                                                       settings.preset);
        if (!found)
            return found.error();
        if (*found)
            row.found = foundOf((*found)->id, (*found)->evaluation);
    }
    return rows;
}

std::vector<base::VariantId> toJudge(const std::vector<ClaimOutcome>& rows, const Filter& filter, bool again)
{
    std::vector<base::VariantId> out;
    std::set<base::VariantId> seen;
    for (const ClaimOutcome& row : rows) {
        if (filter.limit > 0 && int(out.size()) >= filter.limit)
            break;
        if (row.hasCode() && !row.stale && (again || !row.found) && seen.insert(row.variant).second)
            out.push_back(row.variant);
    }
    return out;
}

} // namespace cudal1::rejudge
