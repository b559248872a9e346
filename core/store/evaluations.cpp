// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of evaluations: summary columns for views, everything else as compressed JSON.
#include "core/protocol/codes.h"
#include "core/protocol/hostspeed.h"
#include "core/protocol/marks.h"
#include "core/store/failure.h"
#include "core/store/tables.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace cudal1::store {

using base::ErrorCode;
using nlohmann::json;

namespace {

bool storable(const base::Interval& interval)
{
    return interval.valid() && std::isfinite(interval.estimate) && std::isfinite(interval.low) &&
           std::isfinite(interval.high);
}

void setTimes(EvaluationSummary& summary, const protocol::Evaluation& evaluation)
{
    const protocol::ClockSpeedup& wall = evaluation.speedup.wall;
    summary.floor_ns = evaluation.floor.time_ns;
    if (!wall.valid())
        return;
    summary.reference_ns = wall.reference_ns;
    summary.candidate_ns = wall.candidate_ns;
    summary.followsHost = protocol::followsHost(wall, evaluation.speedup.gpuBusy);
}

QVariant partOf(const base::Interval& interval, double base::Interval::*part)
{
    return storable(interval) ? QVariant(interval.*part) : QVariant();
}

bool finite(const std::vector<double>& values)
{
    for (double value : values)
        if (!std::isfinite(value))
            return false;
    return true;
}

/// JSON has no infinities: they would come back as something else, so such samples are refused rather than changed.
void checkSamples(const protocol::Evaluation& evaluation)
{
    for (const protocol::PairSamples& pair : evaluation.pairs)
        if (!finite(pair.reference_ns) || !finite(pair.candidate_ns) || !finite(pair.referenceEvent_ns) ||
            !finite(pair.candidateEvent_ns))
            throw Failure(
                {ErrorCode::InvalidArgument, "A sample of the evaluation is no finite number", evaluation.task, {}});
}

template<class Word> Word wordOf(const QSqlQuery& row, int column)
{
    Word word{};
    const QByteArray text = row.value(column).toString().toUtf8();
    protocol::fromString(std::string_view(text.constData(), static_cast<std::size_t>(text.size())), word);
    return word;
}

} // namespace

base::Interval intervalOf(const QSqlQuery& row, int column)
{
    return {row.value(column).toDouble(), row.value(column + 1).toDouble(), row.value(column + 2).toDouble()};
}

protocol::Verdict verdictOf(const QSqlQuery& row, int column)
{
    return wordOf<protocol::Verdict>(row, column);
}

void fillFromSamples(Database& database)
{
    std::vector<base::EvaluationId> correct;
    database.each("SELECT id FROM evaluations WHERE verdict = 'correct'", {},
                  [&](const QSqlQuery& row) { correct.push_back({number(row, 0)}); });
    for (const base::EvaluationId id : correct) {
        EvaluationSummary s;
        std::string labels;
        try {
            const protocol::Evaluation evaluation = readEvaluation(database, id, Samples::Without);
            setTimes(s, evaluation);
            labels = protocol::labelCodes(evaluation);
        } catch (const Failure&) {
            continue; // damaged samples: what asks for them says so
        }
        database.run(
            "UPDATE evaluations SET reference_ns = ?, candidate_ns = ?, follows_host = ?, floor_ns = ?, labels = ? "
            "WHERE id = ?",
            {s.reference_ns, s.candidate_ns, s.followsHost, s.floor_ns, bound(labels), bound(id.value)});
    }
}

void fillOtherSettings(Database& database)
{
    std::vector<base::EvaluationId> other;
    database.each("SELECT id FROM evaluations WHERE precision_matched = 0", {},
                  [&](const QSqlQuery& row) { other.push_back({number(row, 0)}); });
    for (const base::EvaluationId id : other) {
        std::string setting;
        try {
            setting = protocol::otherSetting(readEvaluation(database, id, Samples::Without).precision);
        } catch (const Failure&) {
            continue; // damaged samples: what asks for them says so
        }
        database.run("UPDATE evaluations SET other_setting = ? WHERE id = ?", {bound(setting), bound(id.value)});
    }
}

PackedEvaluation pack(const protocol::Evaluation& evaluation)
{
    if (evaluation.verdict == protocol::Verdict::Cancelled)
        throw Failure(
            {ErrorCode::InvalidArgument, "A cancelled evaluation says nothing and is not stored", evaluation.task, {}});
    checkSamples(evaluation);
    PackedEvaluation packed;
    EvaluationSummary& summary = packed.summary;
    summary.verdict = evaluation.verdict;
    summary.precision = evaluation.precision.mode;
    summary.preset = evaluation.preset;
    summary.device = evaluation.device.name;
    summary.deviceModel = evaluation.device.model;
    summary.wall = evaluation.speedup.wall.speedup;
    summary.event = evaluation.speedup.event.speedup;
    summary.precisionMatched = evaluation.precision.matched;
    summary.otherSetting = protocol::otherSetting(evaluation.precision);
    setTimes(summary, evaluation);
    summary.labels = protocol::labelCodes(evaluation);
    summary.marks = protocol::marksOf(evaluation);
    if (!evaluation.reasons.empty())
        summary.firstReason = evaluation.reasons.front().text;
    const std::string text = json(evaluation).dump(-1, ' ', false, json::error_handler_t::replace);
    packed.json_zlib = qCompress(reinterpret_cast<const uchar*>(text.data()), static_cast<qsizetype>(text.size()),
                                 compressionLevel);
    return packed;
}

base::EvaluationId addEvaluation(Database& database, base::VariantId variant, const PackedEvaluation& packed)
{
    demandVariant(database, variant);
    using base::Interval;
    const EvaluationSummary& s = packed.summary;
    // What is judged now is the newest, whatever the clocks say of those that came from other machines.
    const std::int64_t created =
        s.created_ms != 0
            ? s.created_ms
            : std::max<std::int64_t>(
                  nowMs(), 1 + database
                                   .scalar("SELECT coalesce(max(created_ms), 0) FROM evaluations WHERE variant = ?",
                                           {bound(variant.value)})
                                   .toLongLong());
    const auto word = [](std::string_view text) {
        return QVariant(QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())));
    };
    const std::int64_t id = database.insert(
        "INSERT INTO evaluations (variant, verdict, precision, preset, device, device_model, wall_estimate, wall_low, "
        "wall_high,"
        " event_estimate, event_low, event_high, precision_matched, first_reason, created_ms,"
        " reference_ns, candidate_ns, follows_host, floor_ns, labels, other_setting)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        {bound(variant.value),
         word(protocol::toString(s.verdict)),
         word(protocol::toString(s.precision)),
         word(protocol::toString(s.preset)),
         bound(s.device),
         bound(s.deviceModel),
         partOf(s.wall, &Interval::estimate),
         partOf(s.wall, &Interval::low),
         partOf(s.wall, &Interval::high),
         partOf(s.event, &Interval::estimate),
         partOf(s.event, &Interval::low),
         partOf(s.event, &Interval::high),
         s.precisionMatched,
         bound(s.firstReason),
         bound(created),
         s.reference_ns,
         s.candidate_ns,
         s.followsHost,
         s.floor_ns,
         bound(s.labels),
         bound(s.otherSetting)});
    database.run("INSERT INTO evaluation_samples (evaluation, json_zlib) VALUES (?, ?)", {bound(id), packed.json_zlib});
    // The newest: one that comes from another project may be older than what is here.
    database.run("UPDATE variants SET evaluation = (SELECT e.id FROM evaluations e WHERE e.variant = variants.id"
                 " ORDER BY e.created_ms DESC, e.id DESC LIMIT 1) WHERE id = ?",
                 {bound(variant.value)});
    return {id};
}

protocol::Evaluation readEvaluation(const Database& database, base::EvaluationId id, Samples samples)
{
    const QVariant packed = database.scalar("SELECT json_zlib FROM evaluation_samples WHERE evaluation = ?",
                                            {bound(id.value)});
    if (!packed.isValid())
        throw Failure({ErrorCode::NotFound,
                       "The project has no evaluation " + std::to_string(id.value),
                       database.path().string(),
                       {}});
    const QByteArray text = qUncompress(packed.toByteArray());
    try {
        const auto keep = [samples](int, json::parse_event_t event, json& parsed) {
            return samples == Samples::With || event != json::parse_event_t::key ||
                   (parsed != "pairs" && parsed != "output");
        };
        return json::parse(text.begin(), text.end(), keep).get<protocol::Evaluation>();
    } catch (const json::exception& exception) {
        throw Failure({ErrorCode::Corrupt, "The samples of evaluation " + std::to_string(id.value) + " are damaged",
                       exception.what(), "Evaluate the variant again."});
    }
}

std::string bestKey()
{
    std::string doubted = "0";
    for (const protocol::Code& code : protocol::codes())
        if (code.severity == protocol::Severity::Doubt)
            doubted += " OR instr(' ' || e.labels, ' " + std::string(code.code) + " ') > 0";
    // Far above every speed-up, and small enough to leave it its digits.
    return "CASE WHEN e.verdict = 'correct' THEN coalesce(e.wall_low, 0) + CASE WHEN e.wall_low > " +
           std::to_string(protocol::leastGain) + " THEN 1e6 * CASE WHEN " + doubted +
           " THEN 1 WHEN e.precision_matched THEN 3 ELSE 2 END ELSE 0 END END";
}

EvaluationSummary readSummary(const QSqlQuery& row, int first)
{
    EvaluationSummary s;
    s.id = {number(row, first)};
    s.variant = {number(row, first + 1)};
    s.verdict = verdictOf(row, first + 2);
    s.precision = wordOf<protocol::Precision>(row, first + 3);
    s.preset = wordOf<protocol::Preset>(row, first + 4);
    s.device = text(row, first + 5);
    s.deviceModel = text(row, first + 6);
    s.wall = intervalOf(row, first + 7);
    s.event = intervalOf(row, first + 10);
    s.precisionMatched = row.value(first + 13).toBool();
    s.firstReason = text(row, first + 14);
    s.created_ms = number(row, first + 15);
    s.reference_ns = row.value(first + 16).toDouble();
    s.candidate_ns = row.value(first + 17).toDouble();
    s.followsHost = row.value(first + 18).toDouble();
    s.floor_ns = row.value(first + 19).toDouble();
    s.labels = text(row, first + 20);
    s.otherSetting = text(row, first + 21);
    if (s.verdict == protocol::Verdict::Correct)
        s.marks = protocol::marksOf(s.precisionMatched, s.otherSetting, s.labels);
    return s;
}

std::vector<EvaluationSummary> readEvaluations(const Database& database, base::VariantId variant)
{
    std::vector<EvaluationSummary> summaries;
    database.each((std::string("SELECT ") + summaryColumns +
                   " FROM evaluations e WHERE e.variant = ? ORDER BY e.created_ms DESC, e.id DESC")
                      .c_str(),
                  {bound(variant.value)}, [&](const QSqlQuery& row) { summaries.push_back(readSummary(row, 0)); });
    return summaries;
}

std::vector<EvaluationSummary> readNewestEvaluations(const Database& database, const std::string& deviceModel, int most)
{
    std::vector<EvaluationSummary> summaries;
    database.each(
        (std::string("SELECT ") + summaryColumns +
         " FROM evaluations e WHERE ? = '' OR e.device_model = ? ORDER BY e.created_ms DESC, e.id DESC LIMIT ?")
            .c_str(),
        {bound(deviceModel), bound(deviceModel), most},
        [&](const QSqlQuery& row) { summaries.push_back(readSummary(row, 0)); });
    return summaries;
}

std::optional<EvaluationSummary> findEvaluation(const Database& database, base::VariantId variant,
                                                const std::string& deviceModel, protocol::Precision precision,
                                                protocol::Preset preset)
{
    for (EvaluationSummary& summary : readEvaluations(database, variant))
        if (summary.deviceModel == deviceModel && summary.precision == precision && summary.preset == preset)
            return std::move(summary);
    return {};
}

} // namespace cudal1::store
