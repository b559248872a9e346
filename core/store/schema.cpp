// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of a project.
#include "core/store/schema.h"

#include "core/store/tables.h"
#include "core/store/transaction.h"

#include <string>

namespace cudal1::store {

namespace {

// What tables and charts show lies in narrow tables; sources, texts and raw samples, which are hundreds of times
// larger, lie in tables of their own, so that a scan of every variant reads few pages.
const std::vector<Migration> steps{
    {1,
     {
         R"(CREATE TABLE tasks (
             id     TEXT PRIMARY KEY NOT NULL,
             name   TEXT NOT NULL,
             suite  TEXT NOT NULL,
             level  INTEGER NOT NULL,
             hash   TEXT NOT NULL,
             source TEXT NOT NULL))",
         R"(CREATE TABLE runs (
             id         INTEGER PRIMARY KEY AUTOINCREMENT,
             kind       TEXT NOT NULL,
             task       TEXT REFERENCES tasks(id),
             state      TEXT NOT NULL,
             message    TEXT NOT NULL,
             created_ms INTEGER NOT NULL,
             updated_ms INTEGER NOT NULL,
             parameters TEXT NOT NULL))",
         R"(CREATE TABLE variants (
             id          INTEGER PRIMARY KEY AUTOINCREMENT,
             task        TEXT NOT NULL REFERENCES tasks(id),
             task_hash   TEXT NOT NULL,
             source_hash BLOB NOT NULL,
             origin      TEXT NOT NULL,
             techniques  TEXT NOT NULL,
             run         INTEGER REFERENCES runs(id),
             parent      INTEGER REFERENCES variants(id),
             created_ms  INTEGER NOT NULL,
             evaluation  INTEGER REFERENCES evaluations(id),
             UNIQUE (task, task_hash, source_hash)))",
         R"(CREATE TABLE variant_texts (
             variant              INTEGER PRIMARY KEY REFERENCES variants(id) ON DELETE CASCADE,
             source               TEXT NOT NULL,
             performance_analysis TEXT NOT NULL,
             algorithm_design     TEXT NOT NULL,
             code_implementation  TEXT NOT NULL))",
         R"(CREATE TABLE evaluations (
             id                INTEGER PRIMARY KEY AUTOINCREMENT,
             variant           INTEGER NOT NULL REFERENCES variants(id) ON DELETE CASCADE,
             verdict           TEXT NOT NULL,
             precision         TEXT NOT NULL,
             preset            TEXT NOT NULL,
             device            TEXT NOT NULL,
             device_model      TEXT NOT NULL,
             wall_estimate     REAL,
             wall_low          REAL,
             wall_high         REAL,
             event_estimate    REAL,
             event_low         REAL,
             event_high        REAL,
             precision_matched INTEGER NOT NULL,
             first_reason      TEXT NOT NULL,
             created_ms        INTEGER NOT NULL))",
         R"(CREATE TABLE evaluation_samples (
             evaluation INTEGER PRIMARY KEY REFERENCES evaluations(id) ON DELETE CASCADE,
             json_zlib  BLOB NOT NULL))",
         R"(CREATE TABLE queue (
             id      INTEGER PRIMARY KEY AUTOINCREMENT,
             run     INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
             variant INTEGER NOT NULL REFERENCES variants(id) ON DELETE CASCADE,
             round   INTEGER NOT NULL))",
         R"(CREATE TABLE cache (
             key        TEXT PRIMARY KEY NOT NULL,
             value_zlib BLOB NOT NULL))",
         "CREATE INDEX evaluations_of_variant ON evaluations(variant)",
         "CREATE INDEX runs_by_state ON runs(state)",
         "CREATE INDEX queue_of_run ON queue(run)",
         "CREATE INDEX queue_of_variant ON queue(variant)",
         "CREATE INDEX variants_of_run ON variants(run)",
     }},
    {2,
     {
         R"(CREATE TABLE claims (
             id             INTEGER PRIMARY KEY AUTOINCREMENT,
             source         TEXT NOT NULL,
             key            TEXT NOT NULL,
             task           TEXT NOT NULL REFERENCES tasks(id),
             variant        INTEGER REFERENCES variants(id) ON DELETE CASCADE,
             correct        INTEGER,
             speedup        REAL,
             reference_hash TEXT NOT NULL,
             irregularities TEXT NOT NULL,
             details        TEXT NOT NULL,
             created_ms     INTEGER NOT NULL,
             UNIQUE (source, key)))",
         "CREATE INDEX claims_of_variant ON claims(variant)",
     }},
    {3,
     {
         "ALTER TABLE variants ADD COLUMN baseline TEXT NOT NULL DEFAULT ''",
     }},
    {4,
     {
         // A recording is of a variant and of the reference beside it, or, without a variant, of the reference alone.
         R"(CREATE TABLE timelines (
             id           INTEGER PRIMARY KEY AUTOINCREMENT,
             task         TEXT NOT NULL REFERENCES tasks(id),
             task_hash    TEXT NOT NULL,
             variant      INTEGER REFERENCES variants(id) ON DELETE CASCADE,
             device       TEXT NOT NULL,
             device_model TEXT NOT NULL,
             calls        INTEGER NOT NULL,
             precision    TEXT NOT NULL,
             seed         TEXT NOT NULL,
             created_ms   INTEGER NOT NULL,
             json_zlib    BLOB NOT NULL))",
         "CREATE INDEX timelines_of_task ON timelines(task)",
         "CREATE INDEX timelines_of_variant ON timelines(variant)",
     }},
    {5,
     {
         R"(CREATE TABLE ablations (
             id           INTEGER PRIMARY KEY AUTOINCREMENT,
             variant      INTEGER NOT NULL REFERENCES variants(id) ON DELETE CASCADE,
             toggles      TEXT NOT NULL,
             design       TEXT NOT NULL,
             device       TEXT NOT NULL,
             device_model TEXT NOT NULL,
             precision    TEXT NOT NULL,
             preset       TEXT NOT NULL,
             run          INTEGER REFERENCES runs(id),
             created_ms   INTEGER NOT NULL))",
         R"(CREATE TABLE ablation_rows (
             ablation    INTEGER NOT NULL REFERENCES ablations(id) ON DELETE CASCADE,
             place       INTEGER NOT NULL,
             combination INTEGER NOT NULL,
             variant     INTEGER NOT NULL REFERENCES variants(id) ON DELETE CASCADE,
             PRIMARY KEY (ablation, place)))",
         "CREATE INDEX ablations_of_variant ON ablations(variant)",
         "CREATE INDEX ablation_rows_of_variant ON ablation_rows(variant)",
     }},
    {6,
     {
         R"(CREATE TABLE exchanges (
             variant     INTEGER PRIMARY KEY REFERENCES variants(id) ON DELETE CASCADE,
             prompt_zlib BLOB NOT NULL,
             reply_zlib  BLOB NOT NULL))",
         R"(CREATE TABLE kernels (
             variant      INTEGER NOT NULL REFERENCES variants(id) ON DELETE CASCADE,
             device_model TEXT NOT NULL,
             created_ms   INTEGER NOT NULL,
             json_zlib    BLOB NOT NULL,
             PRIMARY KEY (variant, device_model)))",
     }},
    {7,
     {
         "ALTER TABLE evaluations ADD COLUMN reference_ns REAL",
         "ALTER TABLE evaluations ADD COLUMN candidate_ns REAL",
         "ALTER TABLE evaluations ADD COLUMN follows_host REAL",
         "ALTER TABLE evaluations ADD COLUMN floor_ns REAL",
         "ALTER TABLE evaluations ADD COLUMN labels TEXT NOT NULL DEFAULT ''",
     },
     fillFromSamples},
    {8,
     {
         // A project that another was taken into knows a sample again by its key: equal replies of one moment differ in
         // nothing else.
         R"(CREATE TABLE samples (
             id             INTEGER PRIMARY KEY AUTOINCREMENT,
             key            BLOB NOT NULL,
             run            INTEGER REFERENCES runs(id),
             task           TEXT NOT NULL REFERENCES tasks(id),
             variant        INTEGER REFERENCES variants(id) ON DELETE SET NULL,
             policy         TEXT NOT NULL,
             policy_version TEXT NOT NULL,
             settings       TEXT NOT NULL,
             asked_group    INTEGER NOT NULL,
             round          INTEGER NOT NULL,
             prompt_tokens  INTEGER,
             reply_tokens   INTEGER,
             cost           REAL,
             cost_unit      TEXT NOT NULL,
             reward         REAL,
             unusable       TEXT NOT NULL,
             created_ms     INTEGER NOT NULL))",
         R"(CREATE TABLE prompts (
             id        INTEGER PRIMARY KEY,
             hash      BLOB NOT NULL UNIQUE,
             text_zlib BLOB NOT NULL))",
         R"(CREATE TABLE sample_texts (
             sample     INTEGER PRIMARY KEY REFERENCES samples(id) ON DELETE CASCADE,
             prompt     INTEGER NOT NULL REFERENCES prompts(id),
             reply_zlib BLOB NOT NULL))",
         "CREATE INDEX samples_by_key ON samples(key)",
         "CREATE INDEX samples_of_variant ON samples(variant)",
         "CREATE INDEX samples_of_run ON samples(run, asked_group)",
     },
     fillFromExchanges},
    {9,
     {
         "ALTER TABLE samples ADD COLUMN method TEXT NOT NULL DEFAULT ''",
         "ALTER TABLE samples ADD COLUMN turn INTEGER NOT NULL DEFAULT 0",
         "ALTER TABLE samples ADD COLUMN parent INTEGER REFERENCES samples(id) ON DELETE SET NULL",
         "ALTER TABLE samples ADD COLUMN repair INTEGER NOT NULL DEFAULT 0",
         // Numbers of variants as a JSON list: what a prompt showed is not undone by deleting it.
         "ALTER TABLE samples ADD COLUMN shown TEXT NOT NULL DEFAULT '[]'",
         "CREATE INDEX samples_of_task ON samples(task)",
         "CREATE INDEX samples_of_parent ON samples(parent)",
     }},
    {10, {"ALTER TABLE evaluations ADD COLUMN other_setting TEXT NOT NULL DEFAULT ''"}, fillOtherSettings},
    {11,
     {
         R"(CREATE TABLE counters (
             task         TEXT NOT NULL REFERENCES tasks(id),
             task_hash    TEXT NOT NULL,
             variant      INTEGER REFERENCES variants(id) ON DELETE CASCADE,
             device_model TEXT NOT NULL,
             source       TEXT NOT NULL,
             created_ms   INTEGER NOT NULL,
             json_zlib    BLOB NOT NULL))",
         // Of the reference alone there is no variant, and SQLite takes no two NULLs for equal.
         "CREATE UNIQUE INDEX counters_by_what ON counters(task, coalesce(variant, 0), device_model, source)",
         "CREATE INDEX counters_of_variant ON counters(variant)",
     }},
};

} // namespace

std::span<const Migration> migrations()
{
    return steps;
}

void migrate(Database& database, std::span<const Migration> steps)
{
    if (steps.empty() || database.scalar("PRAGMA user_version").toInt() >= steps.back().version)
        return;
    Transaction transaction(database);
    // Read again under the lock: another process may have migrated in between.
    const int version = database.scalar("PRAGMA user_version").toInt();
    for (const Migration& step : steps) {
        if (step.version <= version)
            continue;
        for (const char* statement : step.statements)
            database.run(statement);
        if (step.fill)
            step.fill(database);
        database.run(("PRAGMA user_version = " + std::to_string(step.version)).c_str());
    }
    database.run(("PRAGMA application_id = " + std::to_string(applicationId)).c_str());
    transaction.commit();
}

} // namespace cudal1::store
