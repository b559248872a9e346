// SPDX-License-Identifier: GPL-3.0-or-later
// Timelines and kernels of the variants shown.
#include "core/report/recordedfacts.h"

#include "core/taskfacts/taskfacts.h"

#include <algorithm>

namespace cudal1::report {

namespace {

/// Calls `take(task, variant)`, which gives a status, for each variant whose recordings the report has.
template<class Take> base::Status forEachRecorded(const ReportFacts& facts, Take take)
{
    if (facts.scope.shape == Template::Paper || facts.scope.shape == Template::Claims)
        return {};
    for (const ReportedTask& task : facts.tasks)
        for (std::size_t at = 0; at < task.variants.size(); ++at)
            if (at == task.shown || facts.scope.kind == ReportScope::Kind::Comparison)
                if (const base::Status taken = take(task, task.variants[at].row.id); !taken)
                    return taken;
    return {};
}

} // namespace

base::Status readTimelines(const store::Project& project, ReportFacts& facts)
{
    return forEachRecorded(facts, [&](const ReportedTask& task, base::VariantId variant) -> base::Status {
        const auto records = project.timelines(task.row.id);
        if (!records)
            return records.error();
        const auto found = std::find_if(records->begin(), records->end(), [&](const store::TimelineRecord& record) {
            return record.variant == variant && record.taskHash == task.row.hash;
        });
        if (found == records->end())
            return {};
        const auto answer = project.timeline(found->id);
        if (!answer)
            return answer.error();
        facts.timelines.push_back({*found, timeline::modelOf(answer->reference),
                                   answer->candidate ? timeline::modelOf(*answer->candidate) : nullptr});
        return {};
    });
}

base::Status readKernels(const store::Project& project, ReportFacts& facts)
{
    return forEachRecorded(facts, [&](const ReportedTask& task, base::VariantId variant) -> base::Status {
        auto stored = counters::storedCounters(project, task.row.id, variant);
        if (!stored)
            return stored.error();
        if (!*stored || !(*stored)->counters.candidate)
            return {};
        ReportedKernels kernels{task.row.id, variant, std::move(**stored), {}};
        if (const auto record = project.task(task.row.id))
            kernels.costs = taskfacts::gather({*record, {}, kernels.stored.counters.device}, &project).costs;
        facts.kernels.push_back(std::move(kernels));
        return {};
    });
}

} // namespace cudal1::report
