// SPDX-License-Identifier: GPL-3.0-or-later
// The table of timelines: columns for lists, everything else as compressed JSON.
#include "core/store/failure.h"
#include "core/store/tables.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace cudal1::store {

using base::ErrorCode;
using nlohmann::json;

namespace {

constexpr const char* recordColumns =
    "id, task, task_hash, variant, device, device_model, calls, precision, seed, created_ms";

TimelineRecord timelineRecordOf(const QSqlQuery& row)
{
    TimelineRecord record;
    record.id = {number(row, 0)};
    record.task = {text(row, 1)};
    record.taskHash = text(row, 2);
    record.variant = {number(row, 3)};
    record.device = text(row, 4);
    record.deviceModel = text(row, 5);
    record.calls = static_cast<int>(number(row, 6));
    protocol::fromString(text(row, 7), record.precision);
    record.seed = row.value(8).toString().toULongLong();
    record.created_ms = number(row, 9);
    return record;
}

Failure missing(const Database& database, base::TimelineId id)
{
    return Failure({ErrorCode::NotFound, "The project has no timeline " + std::to_string(id.value),
                    database.path().string(), "`cudal1 timeline list` names those it has"});
}

} // namespace

PackedTimeline pack(const protocol::TimelineAnswer& answer)
{
    for (const protocol::Timeline* side : {&answer.reference, answer.candidate ? &*answer.candidate : nullptr})
        if (const std::string problem = side ? problemOf(*side) : std::string(); !problem.empty())
            throw Failure({ErrorCode::InvalidArgument, "This timeline cannot be stored: " + problem, answer.task, {}});
    PackedTimeline packed;
    TimelineRecord& record = packed.record;
    record.device = answer.device.name;
    record.deviceModel = answer.device.model;
    record.calls = static_cast<int>(
        std::max(answer.reference.windows.size(), answer.candidate ? answer.candidate->windows.size() : 0));
    record.precision = answer.precision;
    record.seed = answer.seed;
    record.created_ms = answer.recorded_ms > 0 ? std::min(answer.recorded_ms, nowMs())
                                               : nowMs(); // a trace may be imported much later
    const std::string text = json(answer).dump(-1, ' ', false, json::error_handler_t::replace);
    packed.json_zlib = qCompress(reinterpret_cast<const uchar*>(text.data()), static_cast<qsizetype>(text.size()),
                                 compressionLevel);
    return packed;
}

base::TimelineId addTimeline(Database& database, const base::TaskId& task, base::VariantId variant,
                             const PackedTimeline& packed)
{
    const QVariant hash = database.scalar("SELECT hash FROM tasks WHERE id = ?", {bound(task.value)});
    if (!hash.isValid())
        throw Failure({ErrorCode::NotFound, "The project has no task " + task.value, database.path().string(), {}});
    if (variant &&
        database.scalar("SELECT task FROM variants WHERE id = ?", {bound(variant)}).toString().toStdString() !=
            task.value)
        throw Failure({ErrorCode::NotFound,
                       "The project has no variant " + std::to_string(variant.value) + " of task " + task.value,
                       database.path().string(), "`cudal1 variants " + task.value + "` lists those that it has"});
    const TimelineRecord& r = packed.record;
    // SQLite has no unsigned integers: the seed is a text.
    const std::int64_t id = database.insert(
        "INSERT INTO timelines (task, task_hash, variant, device, device_model, calls, precision, seed,"
        " created_ms, json_zlib) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        {bound(task.value), r.taskHash.empty() ? hash : bound(r.taskHash), bound(variant), bound(r.device),
         bound(r.deviceModel), bound(std::int64_t(r.calls)), bound(std::string(protocol::toString(r.precision))),
         bound(std::to_string(r.seed)), bound(r.created_ms), packed.json_zlib});
    return {id};
}

std::vector<TimelineRecord> readTimelines(const Database& database, const base::TaskId& task)
{
    std::vector<TimelineRecord> records;
    const std::string sql = std::string("SELECT ") + recordColumns + " FROM timelines" +
                            (task.empty() ? "" : " WHERE task = ?") + " ORDER BY created_ms DESC, id DESC";
    const auto take = [&](const QSqlQuery& row) { records.push_back(timelineRecordOf(row)); };
    if (task.empty())
        database.each(sql.c_str(), {}, take);
    else
        database.each(sql.c_str(), {bound(task.value)}, take);
    return records;
}

TimelineRecord readTimelineRecord(const Database& database, base::TimelineId id)
{
    std::optional<TimelineRecord> record;
    database.each((std::string("SELECT ") + recordColumns + " FROM timelines WHERE id = ?").c_str(), {bound(id.value)},
                  [&](const QSqlQuery& row) { record = timelineRecordOf(row); });
    if (!record)
        throw missing(database, id);
    return *record;
}

protocol::TimelineAnswer readTimeline(const Database& database, base::TimelineId id)
{
    const TimelineRecord record = readTimelineRecord(database, id);
    const QByteArray text = qUncompress(
        database.scalar("SELECT json_zlib FROM timelines WHERE id = ?", {bound(id.value)}).toByteArray());
    try {
        auto answer = json::parse(text.begin(), text.end()).get<protocol::TimelineAnswer>();
        for (const protocol::Timeline* side : {&answer.reference, answer.candidate ? &*answer.candidate : nullptr})
            if (const std::string problem = side ? problemOf(*side) : std::string(); !problem.empty())
                throw Failure({ErrorCode::Corrupt,
                               "Timeline " + std::to_string(id.value) + " is damaged: " + problem,
                               {},
                               "Record it again."});
        if (answer.recorded_ms == 0)
            answer.recorded_ms = record.created_ms; // stored by a version that did not say so in the recording
        return answer;
    } catch (const json::exception& exception) {
        throw Failure({ErrorCode::Corrupt, "Timeline " + std::to_string(id.value) + " is damaged", exception.what(),
                       "Record it again."});
    }
}

} // namespace cudal1::store
