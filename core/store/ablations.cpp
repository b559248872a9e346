// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of ablations and of their rows.
#include "core/store/failure.h"
#include "core/store/tables.h"
#include "core/store/wordlist.h"

#include <nlohmann/json.hpp>

namespace cudal1::store {

using base::ErrorCode;

namespace {

QVariant word(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

std::vector<AblationRow> rowsOf(const Database& database, base::AblationId id)
{
    std::vector<AblationRow> rows;
    database.each("SELECT combination, variant FROM ablation_rows WHERE ablation = ? ORDER BY place", {bound(id.value)},
                  [&](const QSqlQuery& row) {
                      rows.push_back({static_cast<std::uint32_t>(number(row, 0)), {number(row, 1)}});
                  });
    return rows;
}

const std::string ablationQuery =
    "SELECT a.id, a.variant, v.task, a.toggles, a.design, a.device, a.device_model, a.precision, a.preset, a.run,"
    " a.created_ms FROM ablations a JOIN variants v ON v.id = a.variant ";

AblationRecord read(const QSqlQuery& row)
{
    AblationRecord out;
    out.id = {number(row, 0)};
    out.variant = {number(row, 1)};
    out.task = {text(row, 2)};
    out.toggles = listOf(text(row, 3));
    out.design = text(row, 4);
    out.device = text(row, 5);
    out.deviceModel = text(row, 6);
    protocol::fromString(text(row, 7), out.precision);
    protocol::fromString(text(row, 8), out.preset);
    out.run = {number(row, 9)};
    out.created_ms = number(row, 10);
    return out;
}

Failure noAblation(const Database& database, base::AblationId id)
{
    return Failure(
        {ErrorCode::NotFound, "The project has no ablation " + std::to_string(id.value), database.path().string(), {}});
}

} // namespace

base::AblationId addAblation(Database& database, const AblationRecord& ablation)
{
    constexpr std::size_t most = 32;
    if (ablation.toggles.empty() || ablation.toggles.size() > most || ablation.rows.empty())
        throw Failure(
            {ErrorCode::InvalidArgument, "An ablation has 1 to 32 toggles, and rows", database.path().string(), {}});
    std::vector<base::VariantId> named{ablation.variant};
    for (const AblationRow& row : ablation.rows)
        named.push_back(row.variant);
    for (const base::VariantId variant : named)
        demandVariant(database, variant);

    const std::string toggles = listJson(ablation.toggles);
    const QVariant precision = word(protocol::toString(ablation.precision)),
                   preset = word(protocol::toString(ablation.preset));
    std::vector<base::AblationId> alike;
    database.each("SELECT id FROM ablations WHERE variant = ? AND toggles = ? AND design = ? AND device_model = ? AND "
                  "precision = ? AND preset = ?",
                  {bound(ablation.variant), bound(toggles), bound(ablation.design), bound(ablation.deviceModel),
                   precision, preset},
                  [&](const QSqlQuery& row) { alike.push_back({number(row, 0)}); });
    for (const base::AblationId id : alike)
        if (rowsOf(database, id) == ablation.rows)
            return id;

    const base::AblationId id{database.insert(
        "INSERT INTO ablations (variant, toggles, design, device, device_model, precision, preset, run, created_ms)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        {bound(ablation.variant), bound(toggles), bound(ablation.design), bound(ablation.device),
         bound(ablation.deviceModel), precision, preset, bound(ablation.run),
         bound(ablation.created_ms != 0 ? ablation.created_ms : nowMs())})};
    std::int64_t place = 0;
    for (const AblationRow& row : ablation.rows)
        database.run("INSERT INTO ablation_rows (ablation, place, combination, variant) VALUES (?, ?, ?, ?)",
                     {bound(id), bound(place++), bound(static_cast<std::int64_t>(row.on)), bound(row.variant)});
    return id;
}

void setAblationRun(Database& database, base::AblationId id, base::RunId run)
{
    if (database.run("UPDATE ablations SET run = ? WHERE id = ?", {bound(run), bound(id)}).numRowsAffected() != 1)
        throw noAblation(database, id);
}

AblationRecord readAblation(const Database& database, base::AblationId id)
{
    std::optional<AblationRecord> found;
    database.each((ablationQuery + "WHERE a.id = ?").c_str(), {bound(id.value)},
                  [&](const QSqlQuery& row) { found = read(row); });
    if (!found)
        throw noAblation(database, id);
    found->rows = rowsOf(database, id);
    return *found;
}

std::vector<AblationRecord> readAblations(const Database& database, const base::TaskId& task)
{
    std::vector<AblationRecord> found;
    const auto add = [&](const QSqlQuery& row) { found.push_back(read(row)); };
    if (task.empty())
        database.each((ablationQuery + "ORDER BY a.created_ms DESC, a.id DESC").c_str(), {}, add);
    else
        database.each((ablationQuery + "WHERE v.task = ? ORDER BY a.created_ms DESC, a.id DESC").c_str(),
                      {bound(task.value)}, add);
    for (AblationRecord& ablation : found)
        ablation.rows = rowsOf(database, ablation.id);
    return found;
}

} // namespace cudal1::store
