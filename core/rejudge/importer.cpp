// SPDX-License-Identifier: GPL-3.0-or-later
// From rows of a publication to rows of a project.
#include "core/rejudge/importer.h"

#include "core/base/sha256.h"
#include "core/tasks/sizes.h"

#include <optional>

namespace cudal1::rejudge {

namespace {

/// Enough of a SHA-256 to tell the versions of one task apart.
constexpr std::size_t shownHash = 8;

/// LEVEL/ID as the project has it, else as the suite has it.
std::optional<store::TaskRecord> knownTask(const store::Project& project, const tasks::Suite& suite,
                                           const base::TaskId& id)
{
    if (auto task = project.task(id))
        return std::move(*task);
    const tasks::Task* task = suite.find(id);
    if (!task)
        return {};
    return store::TaskRecord{task->id, task->name, task->suite, task->level, task->source, task->hash};
}

store::TaskRecord ownTask(const tasks::PublishedItem& item, const std::optional<store::TaskRecord>& known)
{
    store::TaskRecord task;
    task.hash = base::sha256Hex(item.reference);
    task.id.value = std::to_string(item.level) + "/" + std::to_string(item.number) + "@" +
                    task.hash.substr(0, shownHash);
    task.name = known ? known->name : "Task " + std::to_string(item.number);
    task.suite = "imported";
    task.level = item.level;
    task.source = item.reference;
    return task;
}

} // namespace

base::Result<ImportReport> importPublication(store::Project& project, const tasks::Suite& suite,
                                             const tasks::Publication& publication, bool ownTasks)
{
    ImportReport report;
    report.problems = publication.problems;
    std::vector<store::ImportRow> rows;
    for (const tasks::PublishedItem& item : publication.items) {
        ++report.rows;
        for (const tasks::Irregularity& one : item.irregularities)
            report.named.push_back({item.key, item.line, one.code, one.text});
        if (item.has("repeated")) {
            ++report.repeated;
            continue;
        }
        item.candidate.empty() ? ++report.noCode : ++report.withCode;

        const base::TaskId id{std::to_string(item.level) + "/" + std::to_string(item.number)};
        const auto known = knownTask(project, suite, id);
        if (item.reference.empty() && !known) {
            ++report.noTask;
            report.named.push_back(
                {item.key, item.line, "no_task", "no reference came with it and the suite has no task " + id.value});
            continue;
        }
        const bool own = !item.reference.empty() &&
                         (ownTasks || !known || tasks::sizesOf(item.reference) != tasks::sizesOf(known->source));
        own ? ++report.ownTasks : ++report.suiteTasks;

        store::ImportRow& row = rows.emplace_back();
        row.task = own ? ownTask(item, known) : *known;
        if (!item.candidate.empty()) {
            store::VariantRecord& variant = row.variant.emplace();
            variant.task = row.task.id;
            variant.taskHash = row.task.hash;
            variant.source = item.candidate;
            variant.origin = publication.source;
        }
        row.claim.source = publication.source;
        row.claim.key = item.key;
        row.claim.correct = item.claimedCorrect;
        row.claim.speedup = item.claimedSpeedup;
        row.claim.referenceHash = item.reference.empty() ? std::string() : base::sha256Hex(item.reference);
        for (const tasks::Irregularity& one : item.irregularities)
            row.claim.irregularities.push_back(one.code + ": " + one.text);
        row.claim.details = item.details;
    }
    const auto stored = project.importRows(rows);
    if (!stored)
        return stored.error();
    report.stored = *stored;
    return report;
}

} // namespace cudal1::rejudge
