// SPDX-License-Identifier: GPL-3.0-or-later
// Another project's records taken into this one. Its numbers mean nothing here: each record is found again by what it
// is, and added under a number of this project's when it is new.
#include "core/store/tables.h"
#include "core/store/transaction.h"

#include <QThread>

#include <algorithm>
#include <map>
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
        write([&] {
            tasks();
            runs();
        });
        oneByOne("SELECT id FROM variants ORDER BY id", [this](std::int64_t id) { variant({id}); });
        oneByOne("SELECT id FROM samples ORDER BY id", [this](std::int64_t id) { sample({id}); });
        write([&] {
            claims();
            ablations();
            graphs();
        });
        timelines();
        write([&] { counters(); });
        return m_counts;
    }

private:
    template<class Body> void write(Body&& body)
    {
        Transaction transaction(m_ours);
        body();
        transaction.commit();
    }

    /// Takes each of the rows that `ids` selects there, and lets others write in between.
    template<class Take> void oneByOne(const char* ids, Take&& take)
    {
        std::vector<std::int64_t> rows;
        m_theirs.each(ids, {}, [&](const QSqlQuery& row) { rows.push_back(number(row, 0)); });
        constexpr std::size_t atOnce = 200;        // some 100 ms, in which nobody else writes
        constexpr unsigned long forOthers_ms = 20; // who waits for the lock looks for it ten times a second
        for (std::size_t from = 0; from < rows.size(); from += atOnce) {
            if (from > 0)
                QThread::msleep(forOthers_ms);
            write([&] {
                for (std::size_t at = from; at < std::min(from + atOnce, rows.size()); ++at)
                    take(rows[at]);
            });
        }
    }

    /// A task that is here keeps its text, so that nothing measured here goes stale.
    void tasks()
    {
        m_theirs.each("SELECT id FROM tasks", {}, [&](const QSqlQuery& row) {
            TaskRecord task = readTask(m_theirs, {text(row, 0)});
            const base::TaskId theirs = task.id;
            task.id = idHere(task);
            m_tasks[theirs.value] = task.id;
            if (TaskRow known; readVersion(m_ours, task.id, known))
                return;
            putTask(m_ours, task);
            ++m_counts.tasks;
        });
    }

    /// One of another version is "3/41@HASH" in one project and "3/41" in the other.
    base::TaskId idHere(const TaskRecord& task) const
    {
        const std::string plain = task.id.value.substr(0, task.id.value.rfind('@'));
        const QVariant same = m_ours.scalar(
            "SELECT id FROM tasks WHERE hash = ? AND suite = ? AND level = ? AND level > 0 AND (id = ? OR id = ?)",
            {bound(task.hash), bound(task.suite), task.level, bound(plain),
             bound(keptApart({plain}, task.hash).value)});
        return same.isValid() ? base::TaskId{same.toString().toStdString()} : keptAs(m_ours, task);
    }

    /// A run that goes on there, or may, is not gone on with here: its queue stays behind.
    void runs()
    {
        const std::vector<RunRecord> theirs = readRuns(m_theirs, {});
        for (auto run = theirs.rbegin(); run != theirs.rend(); ++run) { // oldest first
            RunRecord own = *run;
            own.task = taskOf(run->task);
            const QVariant known = m_ours.scalar(
                "SELECT id FROM runs WHERE kind = ? AND created_ms = ? AND parameters = ? AND coalesce(task, '') = ?",
                {bound(own.kind), bound(own.created_ms), bound(own.parameters), bound(own.task.value)});
            const std::string asFar = "Imported as far as it had come";
            const bool over = own.state == RunState::Finished || own.state == RunState::Failed;
            if (known.isValid()) {
                const base::RunId id{known.toLongLong()};
                m_runs[run->id.value] = id;
                if (over && m_ours.scalar("SELECT message FROM runs WHERE id = ?", {bound(id)})
                                .toString()
                                .toStdString()
                                .starts_with(asFar))
                    setRunState(m_ours, id, own.state, own.message);
                continue;
            }
            if (!over) {
                own.state = RunState::Finished;
                own.message = asFar + " in " + m_theirs.path().filename().string();
            }
            m_runs[run->id.value] = startRun(m_ours, own);
            ++m_counts.runs;
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
        m_theirs.each("SELECT device_model, created_ms, json_zlib FROM kernels WHERE variant = ?", {bound(theirs)},
                      [&](const QSqlQuery& row) {
                          m_ours.run(
                              "INSERT INTO kernels (variant, device_model, created_ms, json_zlib) VALUES (?, ?, ?, ?)"
                              " ON CONFLICT (variant, device_model) DO UPDATE SET created_ms = excluded.created_ms, "
                              "json_zlib = excluded.json_zlib"
                              " WHERE excluded.created_ms > kernels.created_ms",
                              {bound(own), row.value(0), row.value(1), row.value(2)});
                      });
    }

    void evaluations(base::VariantId theirs, base::VariantId own)
    {
        std::vector<EvaluationSummary> summaries = readEvaluations(m_theirs, theirs);
        for (auto summary = summaries.rbegin(); summary != summaries.rend(); ++summary) { // oldest first
            const QVariant known = m_ours.scalar(
                "SELECT id FROM evaluations WHERE variant = ? AND created_ms = ? AND device_model = ?",
                {bound(own), bound(summary->created_ms), bound(summary->deviceModel)});
            const char* samples = "SELECT json_zlib FROM evaluation_samples WHERE evaluation = ?";
            const QByteArray packed = m_theirs.scalar(samples, {bound(summary->id)}).toByteArray();
            if (!known.isValid()) {
                addEvaluation(m_ours, own, {*summary, packed});
                ++m_counts.evaluations;
            } else if (m_ours.scalar(samples, {known}).toByteArray().size() <
                       packed.size()) { // ours came without its samples
                m_ours.run("UPDATE evaluation_samples SET json_zlib = ? WHERE evaluation = ?", {packed, known});
            }
        }
    }

    /// One that is here keeps what it has, and gets what it lacks.
    void sample(base::SampleId theirs)
    {
        PackedSample packed = readPackedSample(m_theirs, theirs);
        SampleRecord& record = packed.record;
        const std::pair question(record.run.value, record.group);
        record.run = mapped(m_runs, record.run);
        record.task = taskOf(record.task);
        record.variant = mapped(m_variants, record.variant);
        record.parent = mapped(m_samples, record.parent);
        for (base::VariantId& one : record.shown)
            one = mapped(m_variants, one);
        std::erase(record.shown, base::VariantId()); // deleted there
        const QVariant known = m_ours.scalar("SELECT asked_group FROM samples WHERE key = ?", {packed.key});
        auto group = m_groups.find(question);
        if (group == m_groups.end())
            group = m_groups.emplace(question, known.isValid() ? known.toLongLong() : groupHere(record)).first;
        if (known.isValid()) {
            m_samples[theirs.value] = {
                m_ours.scalar("SELECT id FROM samples WHERE key = ?", {packed.key}).toLongLong()};
            if (record.variant)
                m_ours.run("UPDATE samples SET variant = ? WHERE key = ? AND variant IS NULL",
                           {bound(record.variant), packed.key});
            if (record.reward)
                m_ours.run("UPDATE samples SET reward = ? WHERE key = ? AND reward IS NULL",
                           {*record.reward, packed.key});
            return;
        }
        record.group = group->second;
        m_samples[theirs.value] = addSample(m_ours, packed);
        ++m_counts.samples;
    }

    /// The number of a question of theirs: copies of a project may have gone on with one run apart, and have asked two
    /// under one number.
    std::int64_t groupHere(const SampleRecord& theirs) const
    {
        const QVariant taken = m_ours.scalar("SELECT 1 FROM samples WHERE run IS ? AND asked_group = ?",
                                             {bound(theirs.run), bound(theirs.group)});
        return taken.isValid() ? nextGroup(m_ours, theirs.run) : theirs.group;
    }

    void claims()
    {
        for (ClaimRecord& claim : readClaims(m_theirs)) {
            claim.task = taskOf(claim.task);
            claim.variant = mapped(m_variants, claim.variant);
            if (m_ours
                    .scalar("SELECT 1 FROM claims WHERE source = ? AND key = ?",
                            {bound(claim.source), bound(claim.key)})
                    .isValid())
                continue;
            putClaim(m_ours, claim);
            ++m_counts.claims;
        }
    }

    /// Traced operator graphs, which are of a text and not of a project. What a project notes of its runs stays behind.
    void graphs()
    {
        m_theirs.each(
            "SELECT key, value_zlib FROM cache WHERE key LIKE 'graph/%' OR key LIKE 'newest-graph/%' OR key LIKE "
            "'shapes/%'",
            {}, [&](const QSqlQuery& row) {
                m_ours.run("INSERT OR IGNORE INTO cache (key, value_zlib) VALUES (?, ?)", {row.value(0), row.value(1)});
            });
    }

    void timelines()
    {
        const std::vector<TimelineRecord> records = readTimelines(m_theirs, {});
        for (auto record = records.rbegin(); record != records.rend(); ++record)
            write([&] { timeline(*record); });
    }

    void timeline(const TimelineRecord& record)
    {
        const base::TaskId task = taskOf(record.task);
        const base::VariantId variant = mapped(m_variants, record.variant);
        if (m_ours
                .scalar("SELECT 1 FROM timelines WHERE task = ? AND coalesce(variant, 0) = ? AND created_ms = ? AND "
                        "seed = ?",
                        {bound(task.value), bound(variant.value), bound(record.created_ms),
                         bound(std::to_string(record.seed))})
                .isValid())
            return;
        addTimeline(
            m_ours, task, variant,
            {record,
             m_theirs.scalar("SELECT json_zlib FROM timelines WHERE id = ?", {bound(record.id)}).toByteArray()});
        ++m_counts.timelines;
    }

    /// One that is here gives way to a newer one by the same means on the same kind of device.
    void counters()
    {
        m_theirs.each("SELECT task, task_hash, variant, device_model, source, created_ms, json_zlib FROM counters", {},
                      [&](const QSqlQuery& row) {
                          const base::TaskId task = taskOf({text(row, 0)});
                          const base::VariantId variant = mapped(m_variants, base::VariantId{number(row, 2)});
                          const QVariant known = m_ours.scalar(
                              "SELECT created_ms FROM counters WHERE task = ? AND"
                              " coalesce(variant, 0) = ? AND device_model = ? AND source = ?",
                              {bound(task.value), bound(variant.value), row.value(3), row.value(4)});
                          if (known.isValid() && known.toLongLong() >= number(row, 5))
                              return;
                          m_ours.run("INSERT OR REPLACE INTO counters (task, task_hash, variant, device_model, source,"
                                     " created_ms, json_zlib) VALUES (?, ?, ?, ?, ?, ?, ?)",
                                     {bound(task.value), row.value(1), bound(variant), row.value(3), row.value(4),
                                      row.value(5), row.value(6)});
                          ++m_counts.counters;
                      });
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
    std::unordered_map<std::int64_t, base::SampleId> m_samples;
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> m_groups; ///< numbers here, by run and number there
    MergeCounts m_counts;
};

} // namespace

std::string MergeCounts::text() const
{
    const std::pair<int, const char*> parts[] = {
        {tasks, "task"},     {variants, "variant"},       {baselines, "baseline"}, {evaluations, "evaluation"},
        {claims, "claim"},   {timelines, "timeline"},     {ablations, "ablation"}, {runs, "run"},
        {samples, "sample"}, {counters, "counter record"}};
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
