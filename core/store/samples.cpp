// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of samples: what policies were asked, what they answered, and what that led to.
#include "core/store/failure.h"
#include "core/store/tables.h"

#include <QCryptographicHash>
#include <QUuid>

#include <cmath>
#include <map>

namespace cudal1::store {

using base::ErrorCode;

namespace {

constexpr const char* sampleColumns =
    "s.id, s.run, s.task, s.variant, s.policy, s.policy_version, s.settings, s.asked_group, s.round, s.prompt_tokens, "
    "s.reply_tokens,"
    " s.cost, s.cost_unit, s.reward, s.unusable, s.created_ms, s.method, s.turn, s.parent, s.repair, s.shown";
constexpr int columnCount = 21;

std::optional<std::int64_t> wholeOf(const QSqlQuery& row, int column)
{
    return row.value(column).isNull() ? std::nullopt : std::optional(number(row, column));
}

std::optional<double> realOf(const QSqlQuery& row, int column)
{
    return row.value(column).isNull() ? std::nullopt : std::optional(row.value(column).toDouble());
}

std::string jsonOf(const std::vector<base::VariantId>& variants)
{
    nlohmann::json out = nlohmann::json::array();
    for (const base::VariantId id : variants)
        out.push_back(id.value);
    return out.dump();
}

std::vector<base::VariantId> variantsOf(const std::string& text)
{
    std::vector<base::VariantId> out;
    const nlohmann::json list = nlohmann::json::parse(text, nullptr, false);
    if (list.is_array())
        for (const nlohmann::json& one : list)
            if (one.is_number_integer())
                out.push_back({one.get<std::int64_t>()});
    return out;
}

SampleRecord sampleRecordOf(const QSqlQuery& row)
{
    SampleRecord record;
    record.id = {number(row, 0)};
    record.run = {number(row, 1)};
    record.task = {text(row, 2)};
    record.variant = {number(row, 3)};
    record.policy = text(row, 4);
    record.policyVersion = text(row, 5);
    record.settings = text(row, 6);
    record.group = number(row, 7);
    record.round = row.value(8).toInt();
    record.promptTokens = wholeOf(row, 9);
    record.replyTokens = wholeOf(row, 10);
    record.cost = realOf(row, 11);
    record.costUnit = text(row, 12);
    record.reward = realOf(row, 13);
    record.unusable = text(row, 14);
    record.created_ms = number(row, 15);
    record.method = text(row, 16);
    record.turn = row.value(17).toInt();
    record.parent = {number(row, 18)};
    record.repair = row.value(19).toInt() != 0;
    record.shown = variantsOf(text(row, 20));
    return record;
}

std::vector<SampleRecord> readWhere(const Database& database, const std::string& where,
                                    std::initializer_list<QVariant> values)
{
    std::vector<SampleRecord> records;
    database.each(
        (std::string("SELECT ") + sampleColumns + " FROM samples s WHERE " + where + " ORDER BY s.id").c_str(), values,
        [&](const QSqlQuery& row) { records.push_back(sampleRecordOf(row)); });
    return records;
}

Failure noSample(const Database& database, base::SampleId id)
{
    return Failure({ErrorCode::NotFound, "The project has no sample " + std::to_string(id.value),
                    database.path().string(), "`cudal1 show VARIANT` lists those that led to a variant"});
}

void demandSample(const Database& database, base::SampleId id)
{
    if (!database.scalar("SELECT 1 FROM samples WHERE id = ?", {bound(id)}).isValid())
        throw noSample(database, id);
}

/// The row that has this prompt, which is made when there is none.
std::int64_t promptRow(Database& database, const QByteArray& hash, const QByteArray& text_zlib)
{
    const QVariant known = database.scalar("SELECT id FROM prompts WHERE hash = ?", {hash});
    return known.isValid() ? known.toLongLong()
                           : database.insert("INSERT INTO prompts (hash, text_zlib) VALUES (?, ?)", {hash, text_zlib});
}

} // namespace

std::vector<PackedSample> pack(const std::vector<Sample>& samples)
{
    std::vector<PackedSample> packed;
    for (const Sample& sample : samples) {
        const Sample& first = samples.front();
        if (sample.run != first.run || sample.task != first.task || sample.group != first.group ||
            sample.prompt != first.prompt)
            throw Failure({ErrorCode::InvalidArgument,
                           "Samples that are stored together must be replies to one question",
                           sample.policy,
                           {}});
        if (bool(sample.variant) != sample.unusable.empty())
            throw Failure({ErrorCode::InvalidArgument,
                           "A sample must have either a variant or the reason why it led to none",
                           sample.policy,
                           {}});
        const bool isFirst = packed.empty();
        packed.push_back(
            {sample, QUuid::createUuid().toRfc4122(), isFirst ? sha256(sample.prompt) : packed.front().promptHash,
             isFirst ? store::packed(sample.prompt) : packed.front().prompt_zlib, store::packed(sample.reply)});
    }
    return packed;
}

std::int64_t nextGroup(const Database& database, base::RunId run)
{
    return database.scalar("SELECT coalesce(max(asked_group), 0) + 1 FROM samples WHERE run IS ?", {bound(run)})
        .toLongLong();
}

std::vector<base::SampleId> addSamples(Database& database, const std::vector<PackedSample>& packed)
{
    std::vector<base::SampleId> ids;
    if (packed.empty())
        return ids;
    const SampleRecord& question = packed.front().record;
    if (TaskRow task; !readVersion(database, question.task, task))
        throw Failure(
            {ErrorCode::NotFound, "The project has no task " + question.task.value, database.path().string(), {}});
    if (question.run)
        demandRun(database, question.run);
    const std::int64_t group = question.group != 0 ? question.group : nextGroup(database, question.run),
                       now_ms = nowMs();
    for (PackedSample one : packed) {
        if (one.record.variant)
            demandVariant(database, one.record.variant);
        if (one.record.parent)
            demandSample(database, one.record.parent);
        one.record.group = group;
        if (one.record.created_ms == 0)
            one.record.created_ms = now_ms;
        ids.push_back(addSample(database, one));
    }
    return ids;
}

base::SampleId addSample(Database& database, const PackedSample& packed)
{
    const SampleRecord& record = packed.record;
    const base::SampleId id{
        database.insert("INSERT INTO samples (key, run, task, variant, policy, policy_version, settings, asked_group, "
                        "round, prompt_tokens, reply_tokens,"
                        " cost, cost_unit, reward, unusable, created_ms, method, turn, parent, repair, shown)"
                        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                        {packed.key,
                         bound(record.run),
                         bound(record.task.value),
                         bound(record.variant),
                         bound(record.policy),
                         bound(record.policyVersion),
                         bound(record.settings),
                         bound(record.group),
                         record.round,
                         orNull(record.promptTokens),
                         orNull(record.replyTokens),
                         orNull(record.cost),
                         bound(record.costUnit),
                         orNull(record.reward),
                         bound(record.unusable),
                         bound(record.created_ms),
                         bound(record.method),
                         record.turn,
                         bound(record.parent),
                         record.repair ? 1 : 0,
                         bound(jsonOf(record.shown))})};
    database.run("INSERT INTO sample_texts (sample, prompt, reply_zlib) VALUES (?, ?, ?)",
                 {bound(id), bound(promptRow(database, packed.promptHash, packed.prompt_zlib)), packed.reply_zlib});
    return id;
}

PackedSample readPackedSample(const Database& database, base::SampleId id)
{
    std::optional<PackedSample> found;
    database.each((std::string("SELECT ") + sampleColumns +
                   ", s.key, p.hash, p.text_zlib, x.reply_zlib FROM samples s"
                   " JOIN sample_texts x ON x.sample = s.id JOIN prompts p ON p.id = x.prompt WHERE s.id = ?")
                      .c_str(),
                  {bound(id.value)}, [&](const QSqlQuery& row) {
                      const auto blob = [&](int place) { return row.value(columnCount + place).toByteArray(); };
                      found = PackedSample{sampleRecordOf(row), blob(0), blob(1), blob(2), blob(3)};
                  });
    if (!found)
        throw noSample(database, id);
    return *found;
}

Sample readSample(const Database& database, base::SampleId id)
{
    const PackedSample packed = readPackedSample(database, id);
    return {packed.record, unpacked(packed.prompt_zlib), unpacked(packed.reply_zlib)};
}

std::optional<Sample> readMadeBy(const Database& database, base::VariantId variant)
{
    // By time and not by number: what was imported came earlier than its number says.
    const QVariant first = database.scalar("SELECT id FROM samples WHERE variant = ? ORDER BY created_ms, id LIMIT 1",
                                           {bound(variant.value)});
    return first.isValid() ? std::optional(readSample(database, {first.toLongLong()})) : std::nullopt;
}

std::vector<SampleRecord> readSamples(const Database& database, base::VariantId variant)
{
    return readWhere(database, "s.variant = ?", {bound(variant.value)});
}

std::vector<SampleRecord> readSamples(const Database& database, base::RunId run, std::optional<std::int64_t> group)
{
    return group ? readWhere(database, "s.run IS ? AND s.asked_group = ?", {bound(run), bound(*group)})
                 : readWhere(database, "s.run IS ?", {bound(run)});
}

std::vector<SampleRecord> readSamples(const Database& database, const base::TaskId& task)
{
    return task.empty() ? readWhere(database, "1", {}) : readWhere(database, "s.task = ?", {bound(task.value)});
}

void setRewards(Database& database, const std::vector<SampleReward>& rewards)
{
    for (const SampleReward& one : rewards) {
        if (!std::isfinite(one.reward))
            throw Failure({ErrorCode::InvalidArgument,
                           "A reward must be a finite number",
                           "sample " + std::to_string(one.sample.value),
                           {}});
        if (database.run("UPDATE samples SET reward = ? WHERE id = ?", {one.reward, bound(one.sample.value)})
                .numRowsAffected() != 1)
            throw noSample(database, one.sample);
    }
}

void addToReply(Database& database, base::SampleId id, const std::string& text)
{
    const std::string reply = readSample(database, id).reply + text;
    database.run("UPDATE sample_texts SET reply_zlib = ? WHERE sample = ?", {packed(reply), bound(id)});
}

void fillFromExchanges(Database& database)
{
    // Its statements are its own, since later steps may change the tables under what is above. Each question of a run
    // had a prompt of its own, and a round asked one question. Keys come from what copies of a project have in common:
    // they are migrated apart.
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> groups; // by run and prompt
    std::map<std::int64_t, std::int64_t> asked;                           // questions of a run so far
    database.each(
        "SELECT v.id, v.run, v.task, v.origin, v.created_ms, v.task_hash, v.source_hash, e.prompt_zlib, e.reply_zlib"
        " FROM exchanges e JOIN variants v ON v.id = e.variant ORDER BY v.id",
        {}, [&](const QSqlQuery& row) {
            const std::int64_t run = number(row, 1);
            const std::int64_t prompt = promptRow(database, sha256(unpacked(row.value(7))), row.value(7).toByteArray());
            const auto [group, isNew] = groups.try_emplace({run, prompt}, asked[run] + 1);
            asked[run] += isNew;
            const QByteArray made = row.value(5).toByteArray() + row.value(6).toByteArray() +
                                    row.value(4).toByteArray();
            const std::int64_t sample = database.insert(
                "INSERT INTO samples (key, run, task, variant, policy, policy_version, settings, asked_group, round, "
                "cost_unit, unusable,"
                " created_ms) VALUES (?, ?, ?, ?, ?, '', '', ?, ?, '', '', ?)",
                {QCryptographicHash::hash(made, QCryptographicHash::Sha256).left(16), row.value(1), row.value(2),
                 row.value(0), row.value(3), bound(group->second), bound(group->second - 1), row.value(4)});
            database.run("INSERT INTO sample_texts (sample, prompt, reply_zlib) VALUES (?, ?, ?)",
                         {bound(sample), bound(prompt), row.value(8)});
        });
    database.run("DROP TABLE exchanges");
}

} // namespace cudal1::store
