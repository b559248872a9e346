// SPDX-License-Identifier: GPL-3.0-or-later
// The table of published claims, and the import of a publication's rows.
#include "core/store/tables.h"
#include "core/store/wordlist.h"

#include <nlohmann/json.hpp>

namespace cudal1::store {

namespace {

/// True when the task is new.
bool putTaskOnce(Database& database, const TaskRecord& task)
{
    const QVariant known = database.scalar("SELECT hash FROM tasks WHERE id = ?", {bound(task.id.value)});
    if (!known.isValid())
        putTask(database, task);
    return !known.isValid();
}

} // namespace

Stored putClaim(Database& database, const ClaimRecord& claim)
{
    const std::string irregularities = listJson(claim.irregularities);
    Stored stored = Stored::New;
    database.each("SELECT task, variant, correct, speedup, reference_hash, irregularities, details FROM claims"
                  " WHERE source = ? AND key = ?",
                  {bound(claim.source), bound(claim.key)}, [&](const QSqlQuery& row) {
                      const bool same = text(row, 0) == claim.task.value && number(row, 1) == claim.variant.value &&
                                        row.value(2).isNull() == !claim.correct &&
                                        row.value(2).toBool() == claim.correct.value_or(false) &&
                                        row.value(3).isNull() == !claim.speedup &&
                                        row.value(3).toDouble() == claim.speedup.value_or(0) &&
                                        text(row, 4) == claim.referenceHash && text(row, 5) == irregularities &&
                                        text(row, 6) == claim.details;
                      stored = same ? Stored::Known : Stored::Changed;
                  });
    if (stored != Stored::Known)
        database.run(
            "INSERT INTO claims (source, key, task, variant, correct, speedup, reference_hash, irregularities, "
            "details, created_ms)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (source, key) DO UPDATE SET task = excluded.task, variant = excluded.variant,"
            " correct = excluded.correct, speedup = excluded.speedup, reference_hash = excluded.reference_hash,"
            " irregularities = excluded.irregularities, details = excluded.details",
            {bound(claim.source), bound(claim.key), bound(claim.task.value), bound(claim.variant),
             orNull(claim.correct), orNull(claim.speedup), bound(claim.referenceHash), bound(irregularities),
             bound(claim.details), bound(claim.created_ms != 0 ? claim.created_ms : nowMs())});
    return stored;
}

ImportCounts importRows(Database& database, const std::vector<ImportRow>& rows)
{
    ImportCounts counts;
    const auto variants = [&] { return database.scalar("SELECT count(*) FROM variants").toLongLong(); };
    const auto before = variants();
    for (const ImportRow& row : rows) {
        counts.newTasks += putTaskOnce(database, row.task);
        ClaimRecord claim = row.claim;
        claim.task = row.task.id;
        claim.variant = row.variant ? addVariant(database, *row.variant) : base::VariantId();
        const Stored stored = putClaim(database, claim);
        counts.newClaims += stored == Stored::New;
        counts.changedClaims += stored == Stored::Changed;
    }
    counts.newVariants = int(variants() - before);
    return counts;
}

std::vector<ClaimRecord> readClaims(const Database& database)
{
    std::vector<ClaimRecord> claims;
    database.each(
        "SELECT source, key, task, variant, correct, speedup, reference_hash, irregularities, details, created_ms"
        " FROM claims ORDER BY id",
        {}, [&](const QSqlQuery& row) {
            ClaimRecord& claim = claims.emplace_back();
            claim.source = text(row, 0);
            claim.key = text(row, 1);
            claim.task = {text(row, 2)};
            claim.variant = {number(row, 3)};
            if (!row.value(4).isNull())
                claim.correct = row.value(4).toBool();
            if (!row.value(5).isNull())
                claim.speedup = row.value(5).toDouble();
            claim.referenceHash = text(row, 6);
            claim.irregularities = listOf(text(row, 7));
            claim.details = text(row, 8);
            claim.created_ms = number(row, 9);
        });
    return claims;
}

} // namespace cudal1::store
