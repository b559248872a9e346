// SPDX-License-Identifier: GPL-3.0-or-later
// What charts read of a whole project: grouped by SQLite, from columns, so that 100,000 variants stay quick.
#include "core/protocol/marks.h"
#include "core/store/countedprecision.h"
#include "core/store/tables.h"

#include <string>
#include <unordered_map>
#include <utility>

namespace cudal1::store {

std::vector<ResultGroup> readResultGroups(const Database& database)
{
    // SQLite gives the plain columns of the row that holds the maximum, which is the best variant. A variant that was
    // judged again on the same device counts once, with what was found last. CROSS JOIN keeps SQLite to this order, in
    // which both tables are read from their beginning to their end.
    std::vector<ResultGroup> groups;
    const CountedPrecision precision = readCountedPrecision(database);
    const std::string atOne = areSeveral(precision) ? "e.precision = " + sqlOf(precision) : "e.id = v.evaluation";
    const std::string sql =
        R"(
        SELECT v.task, e.device_model, v.origin, v.techniques, count(*), total(e.verdict = 'correct'),
               max()" +
        bestKey() +
        R"(), v.id, e.wall_estimate, e.wall_low, e.wall_high, e.precision_matched, e.other_setting, e.labels
        FROM evaluations e CROSS JOIN variants v ON v.id = e.variant JOIN tasks t ON t.id = v.task AND t.hash = v.task_hash
        WHERE v.baseline = '' AND ()" +
        atOne + (areSeveral(precision) ? " AND " : " OR ") + R"(NOT EXISTS (
                  SELECT 1 FROM evaluations later WHERE later.variant = e.variant
                  AND (later.created_ms, later.id) > (e.created_ms, e.id)
                  AND later.device_model = e.device_model)" +
        (areSeveral(precision) ? " AND later.precision = e.precision" : "") + R"())
        GROUP BY v.task, e.device_model, v.origin, v.techniques)";
    database.each(sql.c_str(), {}, [&](const QSqlQuery& row) {
        ResultGroup& group = groups.emplace_back();
        group.task = {text(row, 0)};
        group.deviceModel = text(row, 1);
        group.origin = text(row, 2);
        group.techniques = techniquesOf(text(row, 3));
        group.judged = row.value(4).toInt();
        group.correct = row.value(5).toInt();
        if (group.correct > 0) {
            group.best = {number(row, 7)};
            group.wall = intervalOf(row, 8);
            group.marks = protocol::marksOf(row.value(11).toBool(), text(row, 12), text(row, 13));
        }
    });
    return groups;
}

std::vector<VariantRow> readRowsMeasured(const Database& database, const std::string& deviceModel,
                                         protocol::Precision precision)
{
    std::vector<VariantRow> rows;
    const std::string sql = std::string("SELECT v.id, v.task, v.origin, v.techniques, v.run, v.created_ms, v.baseline,"
                                        " v.parent, ") +
                            summaryColumns +
                            " FROM variants v JOIN tasks t ON t.id = v.task AND t.hash = v.task_hash"
                            " JOIN evaluations e ON e.variant = v.id"
                            " WHERE e.device_model = ? AND e.precision = ? AND NOT EXISTS (SELECT 1 FROM evaluations"
                            " later WHERE later.variant = e.variant AND later.device_model = e.device_model"
                            " AND later.precision = e.precision"
                            " AND (later.created_ms, later.id) > (e.created_ms, e.id))"
                            " ORDER BY v.id";
    database.each(sql.c_str(), {bound(deviceModel), bound(std::string(protocol::toString(precision)))},
                  [&](const QSqlQuery& row) {
                      VariantRow& variant = rows.emplace_back();
                      variant.id = {number(row, 0)};
                      variant.task = {text(row, 1)};
                      variant.origin = text(row, 2);
                      variant.techniques = techniquesOf(text(row, 3));
                      variant.run = {number(row, 4)};
                      variant.created_ms = number(row, 5);
                      variant.baseline = text(row, 6);
                      variant.parent = {number(row, 7)};
                      variant.evaluation = readSummary(row, 8);
                  });
    return rows;
}

std::vector<MeasuredOn> readMeasured(const Database& database)
{
    std::vector<MeasuredOn> out;
    database.each(R"(
        SELECT e.device_model, e.precision, count(DISTINCT v.task) AS tasks
        FROM evaluations e CROSS JOIN variants v ON v.id = e.variant JOIN tasks t ON t.id = v.task AND t.hash = v.task_hash
        GROUP BY e.device_model, e.precision ORDER BY tasks DESC, e.device_model, e.precision)",
                  {}, [&](const QSqlQuery& row) {
                      MeasuredOn& one = out.emplace_back();
                      one.deviceModel = text(row, 0);
                      protocol::fromString(text(row, 1), one.precision);
                      one.tasks = row.value(2).toInt();
                  });
    return out;
}

std::vector<RunResult> readRunResults(const Database& database, base::RunId run)
{
    std::vector<RunResult> results;
    // What was measured once more stays where it was judged first; at another precision it is no result of the run.
    database.each(
        "SELECT v.id, v.created_ms, e.created_ms, e.verdict, e.wall_estimate, e.wall_low, e.wall_high, v.techniques"
        " FROM variants v JOIN evaluations e ON e.id = (SELECT newest.id FROM evaluations newest"
        " WHERE newest.variant = v.id AND newest.precision = (SELECT first.precision FROM evaluations first"
        " WHERE first.variant = v.id ORDER BY first.created_ms, first.id LIMIT 1)"
        " ORDER BY newest.created_ms DESC, newest.id DESC LIMIT 1) WHERE v.run = ?"
        " ORDER BY (SELECT MIN(first.created_ms) FROM evaluations first WHERE first.variant = v.id), v.id",
        {bound(run.value)}, [&](const QSqlQuery& row) {
            results.push_back({{number(row, 0)},
                               number(row, 1),
                               number(row, 2),
                               verdictOf(row, 3),
                               intervalOf(row, 4),
                               techniquesOf(text(row, 7))});
        });
    return results;
}

std::vector<Improvement> readImprovements(const Database& database)
{
    // The best so far of each task is kept here: with window functions SQLite sorts all evaluations and writes them to
    // a table of its own, which takes longer than all the rest.
    std::vector<Improvement> improvements;
    std::unordered_map<std::string, std::pair<base::Interval, std::string>> best; // with its marks, by task
    std::int64_t count = 0;
    const std::string sql = R"(
        SELECT CASE WHEN e.verdict = 'correct' AND e.wall_low IS NOT NULL THEN v.task END, v.id, e.wall_estimate, e.wall_low, e.wall_high, e.precision_matched, e.other_setting, e.labels
        FROM evaluations e CROSS JOIN variants v ON v.id = e.variant JOIN tasks t ON t.id = v.task AND t.hash = v.task_hash
        WHERE v.baseline = '' AND e.id = )" +
                            sqlOfCountedEvaluation(readCountedPrecision(database)) + " ORDER BY e.created_ms, e.id";
    database.each(sql.c_str(), {}, [&](const QSqlQuery& row) {
        ++count;
        if (row.isNull(0))
            return;
        const base::Interval wall = intervalOf(row, 2);
        const std::string marks = protocol::marksOf(row.value(5).toBool(), text(row, 6), text(row, 7));
        const auto [known, first] = best.try_emplace(text(row, 0), wall, marks);
        auto& [bestWall, bestMarks] = known->second;
        if (!first && !protocol::isBetter(wall, marks, bestWall, bestMarks))
            return;
        bestWall = wall;
        bestMarks = marks;
        improvements.push_back({{known->first}, {number(row, 1)}, count, wall, marks});
    });
    return improvements;
}

} // namespace cudal1::store
