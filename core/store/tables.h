// SPDX-License-Identifier: GPL-3.0-or-later
// Reads and writes each table on an open connection. Project, which calls these functions, adds the transactions and
// turns what is thrown into results.
#pragma once

#include "core/store/database.h"
#include "core/store/project.h"

namespace cudal1::store {

// All of them throw Failure. Those that write expect that the caller has begun a Transaction. Where a function has the
// name of one of Project's, or that name behind "read", its contract stands in project.h.

std::int64_t nowMs(); ///< milliseconds since 1970, UTC

void putTask(Database& database, const TaskRecord& task);
TaskRecord readTask(const Database& database, const base::TaskId& id);
std::vector<TaskRow> readTaskRows(const Database& database);
/// Fills in the suite and the hash of a task's text; false where the project has no such task.
bool readVersion(const Database& database, const base::TaskId& id, TaskRow& row);
/// As keptAs() of project.h, with the tasks that the database has.
base::TaskId keptAs(const Database& database, const TaskRecord& task);

base::VariantId addVariant(Database& database, const VariantRecord& variant);
std::optional<base::VariantId> findVariant(const Database& database, const base::TaskId& task,
                                           const std::string& taskHash, const std::string& source);
VariantRecord readVariant(const Database& database, base::VariantId id);
void demandVariant(const Database& database, base::VariantId id); ///< throws NotFound where there is none
QByteArray sha256(const std::string& text);                       ///< 32 bytes
std::vector<VariantRow> readVariantRows(const Database& database, const base::TaskId& task);
std::vector<VariantRow> readBaselineRows(const Database& database, const base::TaskId& task);

/// A sample as it is written. Texts are compressed before the transaction begins, so that the lock is held briefly.
struct PackedSample {
    SampleRecord record;
    QByteArray key;        ///< a random UUID, 16 bytes, which the sample keeps in every project that it is taken into
    QByteArray promptHash; ///< SHA-256 of the prompt, by which equal prompts are stored once
    QByteArray prompt_zlib, reply_zlib;
};
std::vector<PackedSample> pack(const std::vector<Sample>& samples);
/// All of them are replies to one question. Returns their ids in the same order.
std::vector<base::SampleId> addSamples(Database& database, const std::vector<PackedSample>& packed);
base::SampleId addSample(Database& database, const PackedSample& packed);
PackedSample readPackedSample(const Database& database, base::SampleId id);
Sample readSample(const Database& database, base::SampleId id);
std::optional<Sample> readMadeBy(const Database& database, base::VariantId variant);
std::vector<SampleRecord> readSamples(const Database& database, base::VariantId variant);
std::vector<SampleRecord> readSamples(const Database& database, base::RunId run, std::optional<std::int64_t> group);
std::vector<SampleRecord> readSamples(const Database& database, const base::TaskId& task);
void setRewards(Database& database, const std::vector<SampleReward>& rewards);
void addToReply(Database& database, base::SampleId id, const std::string& text);
std::int64_t nextGroup(const Database& database, base::RunId run);
/// For the migration to version 8: makes samples of the rows of the table `exchanges`, and drops that table.
void fillFromExchanges(Database& database);
void putKernels(Database& database, base::VariantId variant, const protocol::Kernels& kernels);
std::vector<KernelsRecord> readKernels(const Database& database, base::VariantId variant);
void putCounters(Database& database, const base::TaskId& task, base::VariantId variant,
                 const protocol::Counters& counters);
std::vector<CountersRecord> readCounters(const Database& database, const base::TaskId& task, base::VariantId variant);

enum class Stored { Known, New, Changed };
Stored putClaim(Database& database, const ClaimRecord& claim);
ImportCounts importRows(Database& database, const std::vector<ImportRow>& rows);
std::vector<ClaimRecord> readClaims(const Database& database);
/// As Project::importProject(). `theirs` must have the present schema, and the caller a transaction on it. `ours` is
/// written in transactions of some 100 ms each, which this function begins itself.
MergeCounts merge(Database& ours, const Database& theirs);

/// An evaluation as it is written. It is compressed before the transaction begins, so that the lock is held briefly.
struct PackedEvaluation {
    EvaluationSummary summary; ///< where it has no time, it is stored with the present one
    QByteArray json_zlib;
};
PackedEvaluation pack(const protocol::Evaluation& evaluation); ///< throws InvalidArgument for a cancelled one
/// For the migration to version 7: fills its new columns of `evaluations` from the JSON of the correct ones. Where that
/// is damaged, they stay empty.
void fillFromSamples(Database& database);
/// For the migration to version 10: the same for `other_setting`.
void fillOtherSettings(Database& database);
base::EvaluationId addEvaluation(Database& database, base::VariantId variant, const PackedEvaluation& packed);
/// With or without the raw pairs and what the candidate printed, which are most of an evaluation's bytes.
enum class Samples { With, Without };
protocol::Evaluation readEvaluation(const Database& database, base::EvaluationId id, Samples samples = Samples::With);
std::vector<EvaluationSummary> readEvaluations(const Database& database, base::VariantId variant);
std::vector<EvaluationSummary> readNewestEvaluations(const Database& database, const std::string& deviceModel,
                                                     int most);
std::optional<EvaluationSummary> findEvaluation(const Database& database, base::VariantId variant,
                                                const std::string& deviceModel, protocol::Precision precision,
                                                protocol::Preset preset);

/// The columns of an EvaluationSummary, in the order in which readSummary() expects them. The statement must call the
/// table `evaluations` e.
inline constexpr const char* summaryColumns =
    "e.id, e.variant, e.verdict, e.precision, e.preset, e.device, e.device_model, e.wall_estimate, e.wall_low, "
    "e.wall_high,"
    " e.event_estimate, e.event_low, e.event_high, e.precision_matched, e.first_reason, e.created_ms,"
    " e.reference_ns, e.candidate_ns, e.follows_host, e.floor_ns, e.labels, e.other_setting";
/// An expression of the columns of `e` that is greatest for the best variant, as protocol::isBetter() has it; NULL
/// where it is not correct.
std::string bestKey();
EvaluationSummary readSummary(const QSqlQuery& row, int firstColumn);

/// A recording as it is written, compressed like an evaluation.
struct PackedTimeline {
    TimelineRecord record;
    QByteArray json_zlib;
};
PackedTimeline pack(const protocol::TimelineAnswer& answer);
/// A record without a hash of the task gets the one that the task has now.
base::TimelineId addTimeline(Database& database, const base::TaskId& task, base::VariantId variant,
                             const PackedTimeline& packed);
std::vector<TimelineRecord> readTimelines(const Database& database, const base::TaskId& task);
TimelineRecord readTimelineRecord(const Database& database, base::TimelineId id);
protocol::TimelineAnswer readTimeline(const Database& database, base::TimelineId id);
base::AblationId addAblation(Database& database, const AblationRecord& ablation);
void setAblationRun(Database& database, base::AblationId id, base::RunId run);
AblationRecord readAblation(const Database& database, base::AblationId id);
std::vector<AblationRecord> readAblations(const Database& database, const base::TaskId& task);
/// The ids of techniques in a value of the column `techniques`, a JSON list.
std::vector<std::string> techniquesOf(const std::string& json);
base::Interval intervalOf(const QSqlQuery& row, int firstColumn);
protocol::Verdict verdictOf(const QSqlQuery& row, int column);

std::vector<ResultGroup> readResultGroups(const Database& database);
std::vector<VariantRow> readRowsMeasured(const Database& database, const std::string& deviceModel,
                                         protocol::Precision precision);
std::vector<MeasuredOn> readMeasured(const Database& database);
std::vector<RunResult> readRunResults(const Database& database, base::RunId run);
std::vector<Improvement> readImprovements(const Database& database);

base::RunId startRun(Database& database, const RunRecord& run);
void demandRun(const Database& database, base::RunId id); ///< throws NotFound where there is none
void setRunState(Database& database, base::RunId id, RunState state, const std::string& message);
std::vector<RunRecord> readRuns(const Database& database, std::optional<RunState> state);
void enqueue(Database& database, base::RunId run, base::VariantId variant, int round);
std::vector<QueueItem> readQueue(const Database& database, base::RunId run);
/// Takes an item off the queue. Throws NotFound when it is not there any more.
void takeOff(Database& database, const QueueItem& item);

} // namespace cudal1::store
