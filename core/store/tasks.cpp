// SPDX-License-Identifier: GPL-3.0-or-later
// The table of tasks.
#include "core/protocol/marks.h"
#include "core/store/countedprecision.h"
#include "core/store/failure.h"
#include "core/store/tables.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <tuple>

namespace cudal1::store {

using base::ErrorCode;

namespace {

/// The number after the slash of "3/41", so that 3/5 comes before 3/41; 0 for a file.
int numberOf(const TaskRow& row)
{
    const std::string& id = row.id.value;
    int value = 0;
    if (row.level > 0)
        if (const auto slash = id.rfind('/'); slash != std::string::npos)
            std::from_chars(id.data() + slash + 1, id.data() + id.size(), value);
    return value;
}

/// Levels first, single files after them.
bool before(const TaskRow& a, const TaskRow& b)
{
    return std::tuple(a.level == 0, a.level, numberOf(a), std::string_view(a.id.value)) <
           std::tuple(b.level == 0, b.level, numberOf(b), std::string_view(b.id.value));
}

TaskRow::State taskStateOf(int judged, int correct, const base::Interval& best)
{
    using State = TaskRow::State;
    if (judged == 0)
        return State::NotTried;
    if (correct == 0)
        return State::Failed;
    return best.low > TaskRow::leastGain ? State::Improved : State::NoGain;
}

} // namespace

void putTask(Database& database, const TaskRecord& task)
{
    if (task.id.empty())
        throw Failure({ErrorCode::InvalidArgument, "A task without an id cannot be stored", {}, {}});
    database.run(
        "INSERT INTO tasks (id, name, suite, level, hash, source) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET name = excluded.name, suite = excluded.suite, level = excluded.level,"
        " hash = excluded.hash, source = excluded.source",
        {bound(task.id.value), bound(task.name), bound(task.suite), task.level, bound(task.hash), bound(task.source)});
}

TaskRecord readTask(const Database& database, const base::TaskId& id)
{
    std::optional<TaskRecord> task;
    database.each("SELECT name, suite, level, source, hash FROM tasks WHERE id = ?", {bound(id.value)},
                  [&](const QSqlQuery& row) {
                      task = TaskRecord{id,           text(row, 0), text(row, 1), row.value(2).toInt(),
                                        text(row, 3), text(row, 4)};
                  });
    if (!task)
        throw Failure({ErrorCode::NotFound, "The project has no task " + id.value, database.path().string(), {}});
    return *task;
}

bool readVersion(const Database& database, const base::TaskId& id, TaskRow& out)
{
    bool found = false;
    database.each("SELECT suite, hash FROM tasks WHERE id = ?", {bound(id.value)}, [&](const QSqlQuery& row) {
        found = true;
        out.suite = text(row, 0);
        out.hash = text(row, 1);
    });
    return found;
}

base::TaskId keptAs(const TaskRow& task, const TaskRow* known)
{
    if (!known || task.level == 0 || known->hash == task.hash || known->suite == task.suite)
        return task.id;
    return keptApart(task.id, task.hash);
}

base::TaskId keptApart(const base::TaskId& id, const std::string& hash)
{
    constexpr std::size_t shownHash = 8;
    return {id.value + "@" + hash.substr(0, shownHash)};
}

base::TaskId keptAs(const Database& database, const TaskRecord& task)
{
    TaskRow row, known;
    row.id = task.id;
    row.level = task.level;
    row.suite = task.suite;
    row.hash = task.hash;
    return keptAs(row, readVersion(database, task.id, known) ? &known : nullptr);
}

std::vector<TaskRow> readTaskRows(const Database& database)
{
    // Only variants made for the source that the task has now count, and no baselines; SQLite gives the plain columns
    // of the row that holds the maximum, which is the best variant. Both tables are read in the order of their rows: by
    // way of the index that has the tasks together each row would be looked up, four times slower with 100,000
    // variants.
    std::vector<TaskRow> rows;
    const std::string sql = R"(
        SELECT t.id, t.name, t.level,
               EXISTS (SELECT 1 FROM runs r WHERE r.task = t.id AND r.state = 'running'),
               coalesce(b.variants, 0), coalesce(b.judged, 0), coalesce(b.correct, 0),
               b.wall_low, b.variant, b.wall_estimate, b.wall_high, t.suite, t.hash, coalesce(b.others, 0), b.device_model,
               b.precision_matched, b.other_setting, b.labels, b.best
        FROM tasks t LEFT JOIN (
            SELECT v.task AS task, total(own.hash = v.task_hash) AS variants, total(own.hash = v.task_hash AND e.id IS NOT NULL) AS judged,
                   total(own.hash = v.task_hash AND e.verdict = 'correct') AS correct,
                   max(CASE WHEN own.hash = v.task_hash THEN )" +
                            bestKey() + R"( END) AS best,
                   v.id AS variant, e.wall_estimate, e.wall_low, e.wall_high, e.device_model, e.precision_matched, e.other_setting,
                   e.labels, total(own.hash <> v.task_hash AND e.id IS NOT NULL) AS others
            FROM variants v NOT INDEXED JOIN tasks own ON own.id = v.task LEFT JOIN evaluations e ON e.id = )" +
                            sqlOfCountedEvaluation(readCountedPrecision(database)) + R"(
            WHERE v.baseline = ''
            GROUP BY v.task) b ON b.task = t.id)";
    database.each(sql.c_str(), {}, [&](const QSqlQuery& row) {
        TaskRow task;
        task.id = {text(row, 0)};
        task.name = text(row, 1);
        task.level = row.value(2).toInt();
        task.variants = row.value(4).toInt();
        task.suite = text(row, 11);
        task.hash = text(row, 12);
        task.otherTexts = row.value(13).toInt();
        const int correct = row.value(6).toInt();
        if (correct > 0) {
            task.bestVariant = {number(row, 8)};
            task.best = {row.value(9).toDouble(), row.value(7).toDouble(), row.value(10).toDouble()};
            task.deviceModel = text(row, 14);
            task.marks = protocol::marksOf(row.value(15).toBool(), text(row, 16), text(row, 17));
        }
        task.withoutRun = taskStateOf(row.value(5).toInt(), correct, task.best);
        task.state = row.value(3).toBool() ? TaskRow::State::Running : task.withoutRun;
        rows.push_back(std::move(task));
    });
    std::sort(rows.begin(), rows.end(), before);
    return rows;
}

} // namespace cudal1::store
