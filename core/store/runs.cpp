// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of runs and of their queues.
#include "core/store/failure.h"
#include "core/store/tables.h"

#include <array>
#include <chrono>
#include <string_view>
#include <utility>

namespace cudal1::store {

using base::ErrorCode;

namespace {

constexpr std::array<std::pair<RunState, const char*>, 4> stateWords{{
    {RunState::Running, "running"},
    {RunState::Finished, "finished"},
    {RunState::Stopped, "stopped"},
    {RunState::Failed, "failed"},
}};

RunState runStateOf(const std::string& text)
{
    for (const auto& [value, word] : stateWords)
        if (text == word)
            return value;
    return RunState::Failed;
}

} // namespace

const char* runStateWord(RunState state)
{
    for (const auto& [value, word] : stateWords)
        if (value == state)
            return word;
    return "failed";
}

std::int64_t nowMs()
{
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

base::RunId startRun(Database& database, const RunRecord& run)
{
    if (!run.task.empty() && !database.scalar("SELECT 1 FROM tasks WHERE id = ?", {bound(run.task.value)}).isValid())
        throw Failure({ErrorCode::NotFound, "The project has no task " + run.task.value, database.path().string(), {}});
    const std::int64_t created = run.created_ms != 0 ? run.created_ms : nowMs();
    return {database.insert("INSERT INTO runs (kind, task, state, message, created_ms, updated_ms, parameters)"
                            " VALUES (?, ?, ?, ?, ?, ?, ?)",
                            {bound(run.kind), boundOrNull(run.task.value), runStateWord(run.state), bound(run.message),
                             bound(created), bound(run.updated_ms != 0 ? run.updated_ms : created),
                             bound(run.parameters)})};
}

void demandRun(const Database& database, base::RunId id)
{
    if (!database.scalar("SELECT 1 FROM runs WHERE id = ?", {bound(id.value)}).isValid())
        throw Failure(
            {ErrorCode::NotFound, "The project has no run " + std::to_string(id.value), database.path().string(), {}});
}

void setRunState(Database& database, base::RunId id, RunState state, const std::string& message)
{
    demandRun(database, id);
    database.run("UPDATE runs SET state = ?, message = ?, updated_ms = ? WHERE id = ?",
                 {runStateWord(state), bound(message), bound(nowMs()), bound(id.value)});
}

std::vector<RunRecord> readRuns(const Database& database, std::optional<RunState> state)
{
    std::vector<RunRecord> runs;
    const auto read = [&](const QSqlQuery& row) {
        runs.push_back({{number(row, 0)},
                        text(row, 1),
                        {text(row, 2)},
                        text(row, 3),
                        runStateOf(text(row, 4)),
                        text(row, 5),
                        number(row, 6),
                        number(row, 7)});
    };
    if (state)
        database.each(
            "SELECT id, kind, task, parameters, state, message, created_ms, updated_ms FROM runs WHERE state = ?"
            " ORDER BY created_ms DESC, id DESC",
            {runStateWord(*state)}, read);
    else
        database.each("SELECT id, kind, task, parameters, state, message, created_ms, updated_ms FROM runs ORDER BY "
                      "created_ms DESC, id DESC",
                      {}, read);
    return runs;
}

void enqueue(Database& database, base::RunId run, base::VariantId variant, int round)
{
    demandRun(database, run);
    demandVariant(database, variant);
    database.run("INSERT INTO queue (run, variant, round) VALUES (?, ?, ?)",
                 {bound(run.value), bound(variant.value), round});
}

std::vector<QueueItem> readQueue(const Database& database, base::RunId run)
{
    std::vector<QueueItem> items;
    database.each("SELECT id, variant, round FROM queue WHERE run = ? ORDER BY id", {bound(run.value)},
                  [&](const QSqlQuery& row) {
                      items.push_back({number(row, 0), run, {number(row, 1)}, row.value(2).toInt()});
                  });
    return items;
}

void takeOff(Database& database, const QueueItem& item)
{
    if (database
            .run("DELETE FROM queue WHERE id = ? AND run = ? AND variant = ?",
                 {bound(item.id), bound(item.run.value), bound(item.variant.value)})
            .numRowsAffected() != 1)
        throw Failure(
            {ErrorCode::NotFound, "The work is not in the queue of its run any more", database.path().string(), {}});
    database.run("UPDATE runs SET updated_ms = ? WHERE id = ?", {bound(nowMs()), bound(item.run.value)});
}

} // namespace cudal1::store
