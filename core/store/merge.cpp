// SPDX-License-Identifier: GPL-3.0-or-later
// Another project's records taken into this one. Its numbers mean nothing here: each record is found again by what it is, and
// added under a number of this project's when it is new.
#include "core/store/tables.h"

#include <unordered_map>

namespace cudal1::store {

namespace {

template<class Map, class Id> Id mapped(const Map& map, Id theirs)
{
    const auto found = map.find(theirs.value);
    return found == map.end() ? Id() : Id(found->second);
}

class Merge {
public:
    Merge(Database& ours, const Database& theirs) : m_ours(ours), m_theirs(theirs) {}

    MergeCounts all()
    {
        tasks();
        runs();
        m_theirs.each("SELECT id FROM variants ORDER BY id", {}, [&](const QSqlQuery& row) { variant({number(row, 0)}); });
        claims();
        timelines();
        ablations();
        return m_counts;
    }

private:
    /// A task that is here keeps its text, so that nothing measured here goes stale.
    void tasks()
    {
        m_theirs.each("SELECT id FROM tasks", {}, [&](const QSqlQuery& row) {
            TaskRecord task = readTask(m_theirs, {text(row, 0)});
            const base::TaskId theirs = task.id;
            task.id = keptAs(m_ours, task);
            m_tasks[theirs.value] = task.id;
            if (TaskRow known; readVersion(m_ours, task.id, known))
                return;
            putTask(m_ours, task);
            ++m_counts.tasks;
        });
    }

    /// A run that goes on there, or may, is not gone on with here: its queue stays behind.
    void runs()
    {
        const std::vector<RunRecord> theirs = readRuns(m_theirs, {});
        for (auto run = theirs.rbegin(); run != theirs.rend(); ++run) { // oldest first
            RunRecord own = *run;
            own.task = taskOf(run->task);
            const QVariant known = m_ours.scalar("SELECT id FROM runs WHERE kind = ? AND created_ms = ? AND parameters = ? AND coalesce(task, '') = ?",
                                                 {bound(own.kind), bound(own.created_ms), bound(own.parameters), bound(own.task.value)});
            if (known.isValid()) {
                m_runs[run->id.value] = {known.toLongLong()};
                continue;
            }
            if (own.state != RunState::Finished) {
                own.state = RunState::Finished;
                own.message = "Imported as far as it had come in " + m_theirs.path().filename().string();
            }
            m_runs[run->id.value] = startRun(m_ours, own);
        }
    }

    void variant(base::VariantId theirs)
    {
        VariantRecord record = readVariant(m_theirs, theirs);
        record.task = taskOf(record.task);
        record.run = mapped(m_runs, record.run);
        record.parent = mapped(m_variants, record.parent);
        const bool known = findVariant(m_ours, record.task, record.taskHash, record.source).has_value();
        const base::VariantId own = addVariant(m_ours, record);
        m_variants[theirs.value] = own;
        if (!known)
            ++(record.baseline.empty() ? m_counts.variants : m_counts.baselines);
        evaluations(theirs, own);
        if (!readExchange(m_ours, own))
            if (const auto exchange = readExchange(m_theirs, theirs))
                putExchange(m_ours, own, *exchange);
        for (const KernelsRecord& kernels : readKernels(m_theirs, theirs))
            if (m_ours.scalar("SELECT coalesce(max(created_ms), 0) FROM kernels WHERE variant = ? AND device_model = ?",
                              {bound(own), bound(kernels.kernels.device.model)}).toLongLong() < kernels.created_ms)
                putKernels(m_ours, own, kernels.kernels, kernels.created_ms);
    }

    void evaluations(base::VariantId theirs, base::VariantId own)
    {
        std::vector<EvaluationSummary> summaries = readEvaluations(m_theirs, theirs);
        for (auto summary = summaries.rbegin(); summary != summaries.rend(); ++summary) { // oldest first
            const bool known = m_ours.scalar("SELECT 1 FROM evaluations WHERE variant = ? AND created_ms = ? AND device_model = ?",
                                             {bound(own), bound(summary->created_ms), bound(summary->deviceModel)}).isValid();
            if (known)
                continue;
            addEvaluation(m_ours, own, {*summary, m_theirs.scalar("SELECT json_zlib FROM evaluation_samples WHERE evaluation = ?",
                                                                  {bound(summary->id)}).toByteArray()});
            ++m_counts.evaluations;
        }
    }

    void claims()
    {
        for (ClaimRecord& claim : readClaims(m_theirs)) {
            claim.task = taskOf(claim.task);
            claim.variant = mapped(m_variants, claim.variant);
            if (m_ours.scalar("SELECT 1 FROM claims WHERE source = ? AND key = ?", {bound(claim.source), bound(claim.key)}).isValid())
                continue;
            putClaim(m_ours, claim);
            ++m_counts.claims;
        }
    }

    void timelines()
    {
        std::vector<TimelineRecord> records = readTimelines(m_theirs, {});
        for (auto record = records.rbegin(); record != records.rend(); ++record) {
            const base::TaskId task = taskOf(record->task);
            const base::VariantId variant = mapped(m_variants, record->variant);
            if (m_ours.scalar("SELECT 1 FROM timelines WHERE task = ? AND coalesce(variant, 0) = ? AND created_ms = ? AND seed = ?",
                              {bound(task.value), bound(variant.value), bound(record->created_ms), bound(std::to_string(record->seed))}).isValid())
                continue;
            addTimeline(m_ours, task, variant, {*record, m_theirs.scalar("SELECT json_zlib FROM timelines WHERE id = ?", {bound(record->id)}).toByteArray()});
            ++m_counts.timelines;
        }
    }

    void ablations()
    {
        std::vector<AblationRecord> records = readAblations(m_theirs, {});
        const auto count = [&] { return m_ours.scalar("SELECT count(*) FROM ablations").toInt(); };
        const int before = count();
        for (auto record = records.rbegin(); record != records.rend(); ++record) {
            record->variant = mapped(m_variants, record->variant);
            record->run = mapped(m_runs, record->run);
            for (AblationRow& row : record->rows)
                row.variant = mapped(m_variants, row.variant);
            addAblation(m_ours, *record);
        }
        m_counts.ablations = count() - before;
    }

    base::TaskId taskOf(const base::TaskId& theirs) const
    {
        const auto found = m_tasks.find(theirs.value);
        return found == m_tasks.end() ? base::TaskId() : found->second;
    }

    Database& m_ours;
    const Database& m_theirs;
    std::unordered_map<std::string, base::TaskId> m_tasks;
    std::unordered_map<std::int64_t, base::RunId> m_runs;
    std::unordered_map<std::int64_t, base::VariantId> m_variants;
    MergeCounts m_counts;
};

} // namespace

std::string MergeCounts::text() const
{
    const std::pair<int, const char*> parts[] = {{tasks, "task"}, {variants, "variant"}, {baselines, "baseline"}, {evaluations, "evaluation"},
                                                 {claims, "claim"}, {timelines, "timeline"}, {ablations, "ablation"}};
    std::string out;
    for (const auto& [number, what] : parts)
        if (number > 0)
            out += (out.empty() ? "" : ", ") + std::to_string(number) + " " + what + (number == 1 ? "" : "s");
    return out.empty() ? "nothing new" : out;
}

MergeCounts merge(Database& ours, const Database& theirs)
{
    return Merge(ours, theirs).all();
}

} // namespace cudal1::store
