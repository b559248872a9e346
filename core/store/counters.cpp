// SPDX-License-Identifier: GPL-3.0-or-later
// The table of what was counted in kernels.
#include "core/store/failure.h"
#include "core/store/tables.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace cudal1::store {

using base::ErrorCode;
using nlohmann::json;

void putCounters(Database& database, const base::TaskId& task, base::VariantId variant,
                 const protocol::Counters& counters)
{
    const QVariant hash = database.scalar("SELECT hash FROM tasks WHERE id = ?", {bound(task.value)});
    if (!hash.isValid())
        throw Failure({ErrorCode::NotFound, "The project has no task " + task.value, database.path().string(), {}});
    if (variant && database.scalar("SELECT task FROM variants WHERE id = ?", {bound(variant)}).toString() !=
                       QString::fromStdString(task.value))
        throw Failure({ErrorCode::NotFound,
                       "The project has no variant " + std::to_string(variant.value) + " of task " + task.value,
                       database.path().string(), "`cudal1 variants " + task.value + "` lists those that it has"});
    const std::int64_t created_ms = counters.recorded_ms > 0 ? std::min(counters.recorded_ms, nowMs()) : nowMs();
    const std::string text = json(counters).dump(-1, ' ', false, json::error_handler_t::replace);
    database.run("INSERT OR REPLACE INTO counters (task, task_hash, variant, device_model, source, created_ms,"
                 " json_zlib) VALUES (?, ?, ?, ?, ?, ?, ?)",
                 {bound(task.value), hash, bound(variant), bound(counters.device.model),
                  bound(std::string(protocol::toString(counters.source))), bound(created_ms), packed(text)});
}

std::vector<CountersRecord> readCounters(const Database& database, const base::TaskId& task, base::VariantId variant)
{
    std::vector<CountersRecord> found;
    database.each("SELECT task_hash, created_ms, json_zlib FROM counters WHERE task = ? AND coalesce(variant, 0) = ?"
                  " ORDER BY source = 'static', created_ms DESC, device_model",
                  {bound(task.value), bound(variant.value)}, [&](const QSqlQuery& row) {
                      try {
                          found.push_back({task, text(row, 0), variant, number(row, 1),
                                           json::parse(unpacked(row.value(2))).get<protocol::Counters>()});
                      } catch (const json::exception& exception) {
                          throw Failure({ErrorCode::Corrupt, "Counters of task " + task.value + " are damaged",
                                         exception.what(), "Take them again: `cudal1 counters … --capture`"});
                      }
                  });
    return found;
}

} // namespace cudal1::store
