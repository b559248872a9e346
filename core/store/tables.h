// SPDX-License-Identifier: GPL-3.0-or-later
// Reading and writing of each table on an open connection; Project adds transactions and turns failures into results.
#pragma once

#include "core/store/database.h"
#include "core/store/project.h"

namespace cudal1::store {

// All throw Failure. Functions that write expect to run inside a Transaction.

std::int64_t nowMs();

void putTask(Database& database, const TaskRecord& task);
TaskRecord readTask(const Database& database, const base::TaskId& id);
std::vector<TaskRow> readTaskRows(const Database& database);
/// Suite and hash of a task; false when there is none.
bool readVersion(const Database& database, const base::TaskId& id, TaskRow& row);
/// As the function of that name in project.h, of what the database knows.
base::TaskId keptAs(const Database& database, const TaskRecord& task);

base::VariantId addVariant(Database& database, const VariantRecord& variant);
std::optional<base::VariantId> findVariant(const Database& database, const base::TaskId& task,
                                           const std::string& taskHash, const std::string& source);
VariantRecord readVariant(const Database& database, base::VariantId id);
void demandVariant(const Database& database, base::VariantId id); ///< throws Failure where there is none
QByteArray sha256(const std::string& text);
std::vector<VariantRow> readVariantRows(const Database& database, const base::TaskId& task);
std::vector<VariantRow> readBaselineRows(const Database& database, const base::TaskId& task);

/// A sample made ready for writing outside the transaction.
struct PackedSample {
    SampleRecord record;
    QByteArray key; ///< random; stays with the sample in every project that it is taken into
    QByteArray promptHash, prompt_zlib, reply_zlib;
};
std::vector<PackedSample> pack(const std::vector<Sample>& samples);
std::vector<base::SampleId> addSamples(Database& database,
                                       const std::vector<PackedSample>& packed); ///< replies to one question
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
void fillFromExchanges(Database& database); ///< the table that samples took the place of, which is dropped
void putKernels(Database& database, base::VariantId variant, const protocol::Kernels& kernels);
std::vector<KernelsRecord> readKernels(const Database& database, base::VariantId variant);

enum class Stored { Known, New, Changed };
Stored putClaim(Database& database, const ClaimRecord& claim);
ImportCounts importRows(Database& database, const std::vector<ImportRow>& rows);
std::vector<ClaimRecord> readClaims(const Database& database);
/// `theirs` has the present schema, and the caller a transaction on it; `ours` is written in transactions of some 100
/// ms.
MergeCounts merge(Database& ours, const Database& theirs);

/// An evaluation made ready for writing outside the transaction, so that compressing does not hold the lock.
struct PackedEvaluation {
    EvaluationSummary summary; ///< without a time it is stored as of now
    QByteArray json_zlib;
};
PackedEvaluation pack(const protocol::Evaluation& evaluation);
void fillFromSamples(Database& database); ///< columns that came after them
base::EvaluationId addEvaluation(Database& database, base::VariantId variant, const PackedEvaluation& packed);
enum class Samples { With, Without }; ///< raw pairs and what was printed, which are most of it
protocol::Evaluation readEvaluation(const Database& database, base::EvaluationId id, Samples samples = Samples::With);
std::vector<EvaluationSummary> readEvaluations(const Database& database, base::VariantId variant);
std::vector<EvaluationSummary> readNewestEvaluations(const Database& database, const std::string& deviceModel,
                                                     int most);
std::optional<EvaluationSummary> findEvaluation(const Database& database, base::VariantId variant,
                                                const std::string& deviceModel, protocol::Precision precision,
                                                protocol::Preset preset);

/// Columns of an EvaluationSummary, in the order that readSummary() expects; the table's alias is e.
inline constexpr const char* summaryColumns =
    "e.id, e.variant, e.verdict, e.precision, e.preset, e.device, e.device_model, e.wall_estimate, e.wall_low, "
    "e.wall_high,"
    " e.event_estimate, e.event_low, e.event_high, e.precision_matched, e.first_reason, e.created_ms,"
    " e.reference_ns, e.candidate_ns, e.follows_host, e.floor_ns, e.labels";
EvaluationSummary readSummary(const QSqlQuery& row, int firstColumn);

/// A recording made ready for writing outside the transaction, as an evaluation is.
struct PackedTimeline {
    TimelineRecord record;
    QByteArray json_zlib;
};
PackedTimeline pack(const protocol::TimelineAnswer& answer);
/// Without a hash of the task in the record it is the one that the task has now.
base::TimelineId addTimeline(Database& database, const base::TaskId& task, base::VariantId variant,
                             const PackedTimeline& packed);
std::vector<TimelineRecord> readTimelines(const Database& database, const base::TaskId& task);
TimelineRecord readTimelineRecord(const Database& database, base::TimelineId id);
protocol::TimelineAnswer readTimeline(const Database& database, base::TimelineId id);
base::AblationId addAblation(Database& database, const AblationRecord& ablation);
void setAblationRun(Database& database, base::AblationId id, base::RunId run);
AblationRecord readAblation(const Database& database, base::AblationId id);
std::vector<AblationRecord> readAblations(const Database& database, const base::TaskId& task);
/// Ids of techniques as the column of variants has them.
std::vector<std::string> techniquesOf(const std::string& json);
base::Interval intervalOf(const QSqlQuery& row, int firstColumn);
protocol::Verdict verdictOf(const QSqlQuery& row, int column);

std::vector<ResultGroup> readResultGroups(const Database& database);
std::vector<RunResult> readRunResults(const Database& database, base::RunId run);
std::vector<Improvement> readImprovements(const Database& database);

base::RunId startRun(Database& database, const RunRecord& run);
void demandRun(const Database& database, base::RunId id); ///< throws Failure where there is none
void setRunState(Database& database, base::RunId id, RunState state, const std::string& message);
std::vector<RunRecord> readRuns(const Database& database, std::optional<RunState> state);
void enqueue(Database& database, base::RunId run, base::VariantId variant, int round);
std::vector<QueueItem> readQueue(const Database& database, base::RunId run);
/// Throws NotFound when the item is not in the queue any more.
void takeOff(Database& database, const QueueItem& item);

} // namespace cudal1::store
