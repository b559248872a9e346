// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of variants and their texts.
#include "core/store/countedprecision.h"
#include "core/store/failure.h"
#include "core/store/tables.h"

#include <nlohmann/json.hpp>

#include <QCryptographicHash>
#include <QHash>

#include <unordered_map>

namespace cudal1::store {

using base::ErrorCode;

namespace {

std::string techniquesJson(const std::vector<std::string>& techniques)
{
    return nlohmann::json(techniques).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// A project has few distinct texts in these columns and many rows: each text is converted once.
class Techniques {
public:
    const std::vector<std::string>& of(const QString& json)
    {
        const auto known = m_known.constFind(json);
        return known != m_known.constEnd() ? *known : *m_known.insert(json, techniquesOf(json.toStdString()));
    }

private:
    QHash<QString, std::vector<std::string>> m_known;
};

void addClaims(const Database& database, std::vector<VariantRow>& rows)
{
    std::unordered_map<std::int64_t, double> highest;
    database.each("SELECT variant, max(speedup) FROM claims WHERE variant IS NOT NULL AND speedup > 0 GROUP BY variant",
                  {}, [&](const QSqlQuery& row) { highest[number(row, 0)] = row.value(1).toDouble(); });
    for (VariantRow& row : rows)
        if (const auto found = highest.find(row.id.value); found != highest.end())
            row.claimed = found->second;
}

std::vector<VariantRow> readRows(const Database& database, const CountedPrecision& precision, const base::TaskId& task,
                                 const std::string& which, const std::string& order)
{
    const std::string evaluation = areSeveral(precision)
                                     ? "coalesce(" + sqlOfCountedEvaluation(precision) + ", v.evaluation)"
                                     : "v.evaluation";
    const std::string sql =
        std::string("SELECT v.id, v.task, v.origin, v.techniques, v.run, v.created_ms, t.hash <> v.task_hash, "
                    "v.baseline, v.parent, ") +
        summaryColumns +
        " FROM variants v JOIN tasks t ON t.id = v.task LEFT JOIN evaluations e ON e.id = " + evaluation + " WHERE " +
        which + (task.empty() ? "" : " AND v.task = ?") + " ORDER BY " + order;
    std::vector<VariantRow> rows;
    Techniques techniques;
    const auto read = [&](const QSqlQuery& row) {
        VariantRow& variant = rows.emplace_back();
        variant.id = {number(row, 0)};
        variant.task = {text(row, 1)};
        variant.origin = text(row, 2);
        variant.techniques = techniques.of(row.value(3).toString());
        variant.run = {number(row, 4)};
        variant.created_ms = number(row, 5);
        variant.stale = row.value(6).toBool();
        variant.baseline = text(row, 7);
        variant.parent = {number(row, 8)};
        if (!row.value(9).isNull()) {
            variant.evaluation = readSummary(row, 9);
            variant.counts = !precision.counts || variant.evaluation->precision == *precision.counts;
        }
    };
    if (task.empty())
        database.each(sql.c_str(), {}, read);
    else
        database.each(sql.c_str(), {bound(task.value)}, read);
    addClaims(database, rows);
    return rows;
}

Failure noVariant(const Database& database, base::VariantId id)
{
    return Failure({ErrorCode::NotFound, "The project has no variant " + std::to_string(id.value),
                    database.path().string(), "`cudal1 variants TASK` lists those of a task"});
}

} // namespace

QByteArray sha256(const std::string& text)
{
    return QCryptographicHash::hash(QByteArrayView(text.data(), static_cast<qsizetype>(text.size())),
                                    QCryptographicHash::Sha256);
}

std::optional<base::VariantId> findVariant(const Database& database, const base::TaskId& task,
                                           const std::string& taskHash, const std::string& source)
{
    const QVariant id = database.scalar("SELECT id FROM variants WHERE task = ? AND task_hash = ? AND source_hash = ?",
                                        {bound(task.value), bound(taskHash), sha256(source)});
    return id.isValid() ? std::optional(base::VariantId{id.toLongLong()}) : std::nullopt;
}

std::vector<std::string> techniquesOf(const std::string& json)
{
    const nlohmann::json list = nlohmann::json::parse(json, nullptr, false);
    std::vector<std::string> techniques;
    for (const nlohmann::json& item : list)
        if (item.is_string())
            techniques.push_back(item.get<std::string>());
    return techniques;
}

base::VariantId addVariant(Database& database, const VariantRecord& variant)
{
    const std::string taskHash = variant.taskHash.empty() ? readTask(database, variant.task).hash : variant.taskHash;
    const QByteArray hash = sha256(variant.source);
    if (const auto known = findVariant(database, variant.task, taskHash, variant.source)) {
        if (!variant.baseline.empty())
            database.run("UPDATE variants SET baseline = ? WHERE id = ?", {bound(variant.baseline), bound(*known)});
        return *known;
    }
    if (!database.scalar("SELECT 1 FROM tasks WHERE id = ?", {bound(variant.task.value)}).isValid())
        throw Failure(
            {ErrorCode::NotFound, "The project has no task " + variant.task.value, database.path().string(), {}});

    const std::int64_t id = database.insert(
        "INSERT INTO variants (task, task_hash, source_hash, origin, techniques, run, parent, created_ms, baseline)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        {bound(variant.task.value), bound(taskHash), hash, bound(variant.origin),
         bound(techniquesJson(variant.techniques)), bound(variant.run), bound(variant.parent),
         bound(variant.created_ms != 0 ? variant.created_ms : nowMs()), bound(variant.baseline)});
    database.run(
        "INSERT INTO variant_texts (variant, source, performance_analysis, algorithm_design, code_implementation)"
        " VALUES (?, ?, ?, ?, ?)",
        {bound(id), bound(variant.source), bound(variant.performanceAnalysis), bound(variant.algorithmDesign),
         bound(variant.codeImplementation)});
    return {id};
}

void demandVariant(const Database& database, base::VariantId id)
{
    if (!database.scalar("SELECT 1 FROM variants WHERE id = ?", {bound(id.value)}).isValid())
        throw noVariant(database, id);
}

VariantRecord readVariant(const Database& database, base::VariantId id)
{
    std::optional<VariantRecord> variant;
    database.each(
        "SELECT v.task, v.task_hash, x.source, x.performance_analysis, x.algorithm_design, x.code_implementation,"
        " v.origin, v.techniques, v.run, v.parent, v.created_ms, v.baseline"
        " FROM variants v JOIN variant_texts x ON x.variant = v.id WHERE v.id = ?",
        {bound(id.value)}, [&](const QSqlQuery& row) {
            variant = VariantRecord{id,
                                    {text(row, 0)},
                                    text(row, 1),
                                    text(row, 2),
                                    text(row, 3),
                                    text(row, 4),
                                    text(row, 5),
                                    text(row, 6),
                                    techniquesOf(text(row, 7)),
                                    {number(row, 8)},
                                    {number(row, 9)},
                                    number(row, 10),
                                    text(row, 11)};
        });
    if (!variant)
        throw noVariant(database, id);
    return *variant;
}

std::vector<VariantRow> readVariantRows(const Database& database, const base::TaskId& task)
{
    const CountedPrecision precision = readCountedPrecision(database);
    // What was judged at other precisions alone stands behind what counts.
    const std::string first = areSeveral(precision) ? "coalesce(e.precision, '') <> " + sqlOf(precision) + ", "
                                                    : std::string();
    return readRows(database, precision, task,
                    "v.baseline = ''", // baselines are no variants to anybody who does not ask for them
                    first + "CASE WHEN t.hash = v.task_hash THEN coalesce(" + bestKey() +
                        ", -1) ELSE -1 END DESC, v.created_ms DESC, v.id DESC");
}

std::vector<VariantRow> readBaselineRows(const Database& database, const base::TaskId& task)
{
    return readRows(database, readCountedPrecision(database), task, "v.baseline <> ''", "v.id");
}

} // namespace cudal1::store
