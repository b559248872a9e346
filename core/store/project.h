// SPDX-License-Identifier: GPL-3.0-or-later
// A project: one SQLite file with tasks, variants, evaluations and runs.
//
// A Project is used on the thread that opened it and holds its own connection; open another for another thread.
// Writes are short transactions in WAL mode (no wait for the disk's flush), so that a window may write on its own
// thread; long reads belong on a worker. Every committed evaluation survives kill -9 of this process.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/protocol/counters.h"
#include "core/protocol/kernels.h"
#include "core/protocol/marks.h"
#include "core/protocol/messages.h"
#include "core/protocol/timeline.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::store {

/// A task as the project knows it. `source` pins what was measured; `hash` is its SHA-256.
struct TaskRecord {
    base::TaskId id;
    std::string name; ///< "GRUBidirectional"
    std::string
        suite; ///< suite and version (tasks::Suite::pin()): "kernelbench-v0, original sizes"; empty for a single file
    int level = 0; ///< 0 for a single file
    std::string source;
    std::string hash;
};

/// One evaluation without its raw samples: what tables and charts need.
struct EvaluationSummary {
    base::EvaluationId id;
    base::VariantId variant;
    protocol::Verdict verdict = protocol::Verdict::ReferenceFailed;
    protocol::Precision precision = protocol::Precision::Kernelbench;
    protocol::Preset preset = protocol::Preset::Standard;
    std::string device;      ///< "cuda:0"
    std::string deviceModel; ///< "NVIDIA H200"
    base::Interval wall;     ///< invalid when not timed
    base::Interval event;    ///< invalid without a GPU
    bool precisionMatched = true;
    std::string otherSetting;                  ///< protocol::otherSetting()
    double reference_ns = 0, candidate_ns = 0; ///< of a call by the wall clock; 0 when not timed
    double followsHost = 0;                    ///< protocol::followsHost()
    double floor_ns = 0;                       ///< that was measured with it; 0 when unknown
    std::string labels;                        ///< protocol::labelCodes()
    std::string marks;                         ///< protocol::marksOf(); empty unless correct
    std::string firstReason;                   ///< text of the first reason, empty when correct
    std::int64_t created_ms = 0;               ///< since the epoch, UTC
};

/// One candidate source for a task. The triple (task, source) is unique: adding it again gives the id it has.
struct VariantRecord {
    base::VariantId id;
    base::TaskId task;
    std::string taskHash; ///< of the task's source that it was made for
    std::string source;
    std::string performanceAnalysis; ///< the three sections of the paper's reply format
    std::string algorithmDesign;
    std::string codeImplementation;
    std::string origin;                  ///< "technique library", "file: my.py", "endpoint: qwen3"
    std::vector<std::string> techniques; ///< ids of the technique library: "cuda_graph"
    base::RunId run;
    base::VariantId parent;
    std::int64_t created_ms = 0;
    std::string baseline; ///< "compile": what it is a baseline of its task by; empty for a variant proper
};

/// One reply of a policy without its texts. Many samples may have led to one variant, and one without usable code led
/// to none. A sample outlives its variant: what a policy answers, and how often it answers so, is not undone by
/// deleting what came of it.
struct SampleRecord {
    base::SampleId id;
    base::RunId run; ///< none: asked outside of a run
    base::TaskId task;
    base::VariantId variant;   ///< none: no usable code, or deleted since
    std::string policy;        ///< "technique library", "endpoint: qwen3"
    std::string policyVersion; ///< as the policy tells it; empty when unknown
    std::string settings;      ///< JSON that only the policy understands; empty where it has none
    std::int64_t group = 0;    ///< from 1; the same for all replies to one question, and for no others of its run
    int round = 0;             ///< of the run, from 0
    std::optional<std::int64_t> promptTokens,
        replyTokens;              ///< the prompt's count in every sample of its group; empty when unknown
    std::optional<double> cost;   ///< of this reply, in `costUnit`; empty when unknown
    std::string costUnit;         ///< "USD", "GPU s"
    std::optional<double> reward; ///< empty until setRewards()
    std::string unusable;         ///< one sentence, why it led to no variant; empty where it led to one
    std::int64_t created_ms = 0;  ///< since the epoch, UTC
    std::string method;           ///< how the policy was asked: "contrastive"; empty where it knows one way alone
    int turn = 0;                 ///< of its round: 0 for a first reply, 1 and more for one to what the judge said
    base::SampleId parent;        ///< the reply that it followed; none for a first one
    bool repair = false;          ///< it was asked to mend what its parent has wrong
    std::vector<base::VariantId> shown; ///< exemplars whose sources stood in its prompt, in their order
};

/// An evaluation with its raw samples.
struct StoredEvaluation {
    base::EvaluationId id;
    protocol::Evaluation evaluation;
};

/// A sample with its texts.
struct Sample : SampleRecord {
    std::string prompt; ///< the same in all samples of a group, and kept once
    std::string reply;  ///< as it came; empty where the sections and the source of the variant are all of it
};

struct SampleReward {
    base::SampleId sample;
    double reward = 0; ///< finite
};

/// The kernels that were captured of a variant on one kind of device.
struct KernelsRecord {
    std::int64_t created_ms = 0;
    protocol::Kernels kernels;
};

/// The counters that were taken of a variant and of its task's reference, or of the reference alone, on one kind of
/// device.
struct CountersRecord {
    base::TaskId task;
    std::string taskHash;    ///< of the task's source that was run
    base::VariantId variant; ///< none: the reference alone
    std::int64_t created_ms = 0;
    protocol::Counters counters;
};

/// A variant as a table row: no source, no analysis, and its latest evaluation on one device kind or on any; on any, at
/// the precision that counts where it has one there.
struct VariantRow {
    base::VariantId id;
    base::TaskId task;
    std::string origin;
    std::vector<std::string> techniques;
    base::RunId run;
    std::int64_t created_ms = 0;
    std::optional<EvaluationSummary> evaluation;
    bool counts = true;   ///< false: `evaluation` is at another precision than the one that counts
    bool stale = false;   ///< made for another source of the task than the project has now; never counted as its best
    std::string baseline; ///< "compile"; empty for a variant proper
    base::VariantId parent;
    double claimed = 0; ///< the highest speed-up that was published for it; 0 where none was
};

/// A task as a browser row. Its numbers are those at the precision that counts.
struct TaskRow {
    base::TaskId id;
    std::string name;
    int level = 0;
    /// Running: by the row of a run, whose process may be gone; optimize::taskRows() looks.
    enum class State { NotTried, Running, Improved, NoGain, Failed } state = State::NotTried;
    State withoutRun = State::NotTried; ///< what `state` is, or would be while no run goes on
    int variants = 0;
    static constexpr double leastGain = protocol::leastGain; ///< Improved: the whole interval lies above this
    base::VariantId bestVariant;                             ///< the correct one that protocol::isBetter() puts first
    base::Interval best;
    std::string deviceModel; ///< that `best` was measured on: "NVIDIA H200"
    std::string suite;       ///< as in TaskRecord
    std::string hash;
    int otherTexts = 0; ///< judged variants made for another text of the task; in no number above
    std::string marks;  ///< of `best`, protocol::marksOf()
};

/// The id under which a project keeps a task that it has `known` (null: nothing) for under the task's own id. Another
/// version of a dataset gives the same id to other work: such a task stands beside the one that is there, as
/// "LEVEL/ID@HASH". A text that was changed within one version of a suite, and a file that was edited, take the place
/// of the one that is there, whose variants go stale.
base::TaskId keptAs(const TaskRow& task, const TaskRow* known);
base::TaskId keptApart(const base::TaskId& id, const std::string& hash); ///< "LEVEL/ID@HASH"

/// A recorded timeline without its events. It is of a variant with the task's reference beside it, both run under the
/// same conditions, or of the reference alone.
struct TimelineRecord {
    base::TimelineId id;
    base::TaskId task;
    std::string taskHash;    ///< of the task's source that was run
    base::VariantId variant; ///< none: the reference alone
    std::string device;      ///< "cuda:0"
    std::string deviceModel; ///< "NVIDIA H200"
    int calls = 0; ///< timed windows, of the side that has more: a side with too many events keeps the first ones alone
    protocol::Precision precision = protocol::Precision::Kernelbench;
    std::uint64_t seed = 0;
    std::int64_t created_ms = 0; ///< since the epoch, UTC
};

/// The variants of one task, in its present text, that were judged on one device model, have one origin and use the
/// same techniques, put together: what charts over a whole project need of them. Of each variant the newest evaluation
/// on the device counts, at the precision that counts.
struct ResultGroup {
    base::TaskId task;
    std::string deviceModel;
    std::string origin;
    std::vector<std::string> techniques;
    int judged = 0, correct = 0;
    base::VariantId best; ///< the correct one that protocol::isBetter() puts first
    base::Interval wall;  ///< of `best`; invalid when none is correct or it was not timed
    std::string marks;    ///< of `best`, protocol::marksOf()
};

/// Of how many tasks, in their present texts, the project has evaluations by one device model at one precision.
struct MeasuredOn {
    std::string deviceModel; ///< "NVIDIA H200"
    protocol::Precision precision = protocol::Precision::Kernelbench;
    int tasks = 0;
};

/// At which precisions variants were evaluated (baselines aside). One of them counts in lists of tasks and in charts,
/// and comes first in lists of variants: speed-ups over two different references do not belong in one table.
struct CountedPrecision {
    std::vector<protocol::Precision> all;      ///< in the order of the enum
    std::optional<protocol::Precision> counts; ///< what Project::countAt() chose if it is there, else the first
};

/// One judged variant of a run, in the order of judging.
struct RunResult {
    base::VariantId variant;
    std::int64_t proposed_ms = 0, judged_ms = 0; ///< since the epoch, UTC
    protocol::Verdict verdict = protocol::Verdict::ReferenceFailed;
    base::Interval wall; ///< invalid when not timed
    std::vector<std::string> techniques;
};

/// The newest evaluation of a variant, at the precision that counts, that beat those of its task before it, by the
/// lower bound of the wall speed-up.
struct Improvement {
    base::TaskId task;
    base::VariantId variant;
    std::int64_t number = 0; ///< among the newest evaluations of all variants, counted from 1
    base::Interval wall;
    std::string marks; ///< protocol::marksOf()
};

enum class RunState { Running, Finished, Stopped, Failed };
const char* runStateWord(RunState state); ///< "running", "finished", "stopped", "failed"

/// A run as the user started it. `parameters` is JSON that only the loop which runs it understands.
struct RunRecord {
    base::RunId id;
    std::string kind; ///< "optimize"
    base::TaskId task;
    std::string parameters;
    RunState state = RunState::Running;
    std::string message; ///< why it failed or stopped
    std::int64_t created_ms = 0, updated_ms = 0;
};

/// Work of a run that is not evaluated yet; survives a kill and is taken up again by the next start.
struct QueueItem {
    std::int64_t id = 0;
    base::RunId run;
    base::VariantId variant;
    int round = 0;
};

/// What somebody else published about a candidate, as found in a file of theirs; never taken for a measurement of ours.
/// The pair (source, key) is unique.
struct ClaimRecord {
    std::string source;      ///< "cuda-l1: h100.jsonl"
    std::string key;         ///< of the row in the source: "2/14"
    base::TaskId task;       ///< the task that the row was filed under
    base::VariantId variant; ///< none for a row without code
    std::optional<bool> correct;
    std::optional<double> speedup;           ///< reference time / candidate time, by their clock on their device
    std::string referenceHash;               ///< SHA-256 of the reference that came with the claim; empty without one
    std::vector<std::string> irregularities; ///< "code: sentence"
    std::string details;                     ///< JSON of everything else that was claimed
    std::int64_t created_ms = 0;
};

/// One combination of an ablation: bit i of `on` is toggle i of the ablation.
struct AblationRow {
    std::uint32_t on = 0;
    base::VariantId variant;

    bool operator==(const AblationRow&) const = default;
};

/// Which combinations of a variant's toggles were to be judged, and under which settings. What was found is in the
/// evaluations of the rows' variants.
struct AblationRecord {
    base::AblationId id;
    base::VariantId variant;          ///< the one that is taken apart
    base::TaskId task;                ///< its task; filled in when read
    std::vector<std::string> toggles; ///< at most 32
    std::string design;               ///< "full", "one", "leave-one-out", "list"
    std::string device;               ///< "cuda:0"
    std::string deviceModel;          ///< "NVIDIA H200"
    protocol::Precision precision = protocol::Precision::Kernelbench;
    protocol::Preset preset = protocol::Preset::Standard;
    base::RunId run;               ///< the newest one that judged it; none where every row was judged before
    std::vector<AblationRow> rows; ///< in the order of the design
    std::int64_t created_ms = 0;
};

/// One row of a publication, ready to be stored.
struct ImportRow {
    TaskRecord task;
    std::optional<VariantRecord> variant; ///< empty for a row without code
    ClaimRecord claim;                    ///< its variant is filled in when stored
};

struct ImportCounts {
    int newTasks = 0, newVariants = 0, newClaims = 0;
    int changedClaims = 0; ///< known by source and key, and different now
};

/// What another project had that this one did not.
struct MergeCounts {
    int tasks = 0, variants = 0, baselines = 0, evaluations = 0, claims = 0, timelines = 0, ablations = 0, runs = 0,
        samples = 0, counters = 0;
    bool operator==(const MergeCounts&) const = default;
    std::string text() const; ///< "2 tasks, 12 variants, 14 evaluations"; "nothing new"
};

class Project {
public:
    static constexpr int schemaVersion = 11;

    /// The default project file: in the user's data folder (XDG_DATA_HOME), created on first use.
    static std::filesystem::path defaultPath();

    /// Opens or creates. Refuses, and leaves untouched, a file that is damaged (Corrupt), is no project (Unreadable) or
    /// was written by a later version (TooNew). An older schema is migrated in one transaction. A whole project of the
    /// present schema that may not be written is opened to be read; every write then fails (Unavailable).
    static base::Result<std::unique_ptr<Project>> open(const std::filesystem::path& path);
    /// The same for a file that has to be there already: NotFound for none, Unreadable for one with nothing in it.
    static base::Result<std::unique_ptr<Project>> openExisting(const std::filesystem::path& path);
    /// A copy of such a file, of the same name, in a temporary folder that goes with the project. Whatever is done with
    /// it, the file itself stays as it is, also where an older schema is migrated.
    static base::Result<std::unique_ptr<Project>> openCopy(const std::filesystem::path& path);
    ~Project();
    Project(const Project&) = delete;
    Project& operator=(const Project&) = delete;

    const std::filesystem::path& path() const;
    bool isReadOnly() const;
    /// Writes all that was committed as another project file, also of one that may not be written. Unavailable where
    /// the file is there already or cannot be made.
    base::Status copyTo(const std::filesystem::path& file) const;

    // tasks
    base::Status putTask(const TaskRecord& task);
    base::Result<TaskRecord> task(const base::TaskId& id) const;
    /// The id under which this project keeps `task`: see keptAs(). To be asked before putTask() for a task of a suite.
    base::Result<base::TaskId> idOf(const TaskRecord& task) const;
    base::Result<std::vector<TaskRow>> taskRows() const; ///< only tasks that the project has

    // variants
    /// Adding a known source as a baseline makes it one.
    base::Result<base::VariantId> addVariant(const VariantRecord& variant);
    base::Result<VariantRecord> variant(base::VariantId id) const;
    /// The variant with this very source for this text of the task; empty when there is none.
    base::Result<std::optional<base::VariantId>> findVariant(const base::TaskId& task, const std::string& taskHash,
                                                             const std::string& source) const;
    /// Rows of one task, best first (correct by lower bound of wall, then the rest by age, newest first); of the whole
    /// project when `task` is empty.
    base::Result<std::vector<VariantRow>> variantRows(const base::TaskId& task = {}) const; ///< without baselines
    /// Baselines are measured like variants, but no count, state or best of a task includes them. Of one
    /// task, or of the whole project; in the order in which they were added, so that the last one of a kind is its
    /// newest text.
    base::Result<std::vector<VariantRow>> baselineRows(const base::TaskId& task = {}) const;

    // what policies answered
    /// Stores replies to one question in one transaction and gives their ids in the same order. Run, task, group and
    /// prompt are the same in all; without a group they get the next one of the run, and without a time they are of
    /// now. Each has either a variant or a reason why it led to none. InvalidArgument where that is not so; NotFound
    /// for a run, task or variant that is not there.
    base::Result<std::vector<base::SampleId>> addSamples(const std::vector<Sample>& samples);
    base::Result<Sample> sample(base::SampleId id) const;
    /// The first sample that led to the variant; empty for one that no policy made.
    base::Result<std::optional<Sample>> madeBy(base::VariantId variant) const;
    /// In the order in which they were stored; those of "no run" were asked outside of runs.
    base::Result<std::vector<SampleRecord>> samples(base::VariantId variant) const;
    base::Result<std::vector<SampleRecord>> samples(base::RunId run) const;
    base::Result<std::vector<SampleRecord>> samples(base::RunId run, std::int64_t group) const;
    /// Of one task, or of the whole project for an empty id.
    base::Result<std::vector<SampleRecord>> samplesOf(const base::TaskId& task = {}) const;
    /// All of them or, where a sample is not there (NotFound) or a reward is not finite (InvalidArgument), none.
    base::Status setRewards(const std::vector<SampleReward>& rewards);
    /// Puts a text behind the reply of a sample, as what came after it and led to no sample of its own.
    base::Status addToReply(base::SampleId id, const std::string& text);

    // what a variant runs
    /// Takes the place of what was captured before on the same kind of device.
    base::Status putKernels(base::VariantId variant, const protocol::Kernels& kernels);
    /// Newest first.
    base::Result<std::vector<KernelsRecord>> kernels(base::VariantId variant) const;
    /// Takes the place of what was counted before, by the same means on the same kind of device. The task and the
    /// variant must be there; without a variant it is of the reference alone.
    base::Status putCounters(const base::TaskId& task, base::VariantId variant, const protocol::Counters& counters);
    /// Of one variant, or of the reference alone; what was counted before what was only timed, else newest first.
    base::Result<std::vector<CountersRecord>> counters(const base::TaskId& task, base::VariantId variant) const;

    // published results
    /// Stores all rows in one transaction; rows that the project has already change nothing. A task that the project
    /// has keeps its text, so that nothing measured before goes stale.
    base::Result<ImportCounts> importRows(const std::vector<ImportRow>& rows);
    /// Takes in everything that `other` has and this project has not; `other` is not changed. A source that both have
    /// is one variant with the evaluations of both; a run that was not finished there is not gone on with here. Others
    /// may write in between: an import that fails or is cut off leaves what it had taken in, and done again it goes on.
    base::Result<MergeCounts> importProject(const Project& other);
    base::Result<std::vector<ClaimRecord>> claims() const; ///< in the order of their first import

    // evaluations
    base::Result<base::EvaluationId> addEvaluation(base::VariantId variant, const protocol::Evaluation& evaluation);
    base::Result<protocol::Evaluation> evaluation(base::EvaluationId id) const;              ///< with raw samples
    base::Result<std::vector<EvaluationSummary>> evaluations(base::VariantId variant) const; ///< newest first
    /// The one that the variant's row has (variantRows()); empty when it has none.
    base::Result<std::optional<EvaluationSummary>> countedEvaluation(base::VariantId variant) const;
    /// An evaluation of this very variant with these settings on this device model, newest; empty when there is none.
    base::Result<std::optional<EvaluationSummary>> findEvaluation(base::VariantId variant,
                                                                  const std::string& deviceModel,
                                                                  protocol::Precision precision,
                                                                  protocol::Preset preset) const;
    /// The same with its raw samples.
    base::Result<std::optional<StoredEvaluation>> findWholeEvaluation(base::VariantId variant,
                                                                      const std::string& deviceModel,
                                                                      protocol::Precision precision,
                                                                      protocol::Preset preset) const;

    // timelines
    /// Stores what was recorded; device, calls, precision, seed and time are taken from the answer and the clock. The
    /// task and the variant must be there. Recording again keeps the earlier ones.
    base::Result<base::TimelineId> addTimeline(const base::TaskId& task, base::VariantId variant,
                                               const protocol::TimelineAnswer& answer);
    /// Of one task, or of the whole project for an empty id; newest first.
    base::Result<std::vector<TimelineRecord>> timelines(const base::TaskId& task = {}) const;
    base::Result<TimelineRecord> timelineRecord(base::TimelineId id) const;
    base::Result<protocol::TimelineAnswer> timeline(base::TimelineId id) const; ///< with its events

    // ablations
    /// If an equal ablation is stored (device number, run and age aside), returns its id.
    base::Result<base::AblationId> addAblation(const AblationRecord& ablation);
    base::Status setAblationRun(base::AblationId id, base::RunId run);
    base::Result<AblationRecord> ablation(base::AblationId id) const;
    /// Newest first; of one task, or of the whole project.
    base::Result<std::vector<AblationRecord>> ablations(const base::TaskId& task = {}) const;
    /// The newest evaluations on a device model (of any when empty), of variants and baselines; at most `most`, newest
    /// first.
    base::Result<std::vector<EvaluationSummary>> newestEvaluations(const std::string& deviceModel, int most) const;

    base::Result<CountedPrecision> countedPrecision() const;
    /// For all projects of this process, from their next read on; from any thread. Where a project has nothing at this
    /// precision, another one counts.
    static void countAt(std::optional<protocol::Precision> precision);
    static std::optional<protocol::Precision> countsAt();

    // for charts: columns only, no samples; some hundred milliseconds for 100,000 variants, so on a worker
    base::Result<std::vector<ResultGroup>> resultGroups() const; ///< without baselines; by task
    /// Variants and baselines for the present text of their task that were judged on a device model at a precision,
    /// each with its newest evaluation there, with any preset; in the order of adding.
    base::Result<std::vector<VariantRow>> rowsMeasured(const std::string& deviceModel,
                                                       protocol::Precision precision) const;
    base::Result<std::vector<MeasuredOn>> measured() const; ///< most tasks first
    base::Result<std::vector<RunResult>> runResults(base::RunId run) const;
    base::Result<std::vector<Improvement>> improvements() const; ///< without baselines; in order

    // runs
    base::Result<base::RunId> startRun(const RunRecord& run);
    base::Status setRunState(base::RunId id, RunState state, const std::string& message = {});
    base::Result<std::vector<RunRecord>> runs(std::optional<RunState> state = {}) const; ///< newest first
    base::Status enqueue(base::RunId run, base::VariantId variant, int round);
    base::Result<std::vector<QueueItem>> queue(base::RunId run) const; ///< in order
    /// Stores the evaluation and takes its item off the queue in one transaction.
    base::Result<base::EvaluationId> finish(const QueueItem& item, const protocol::Evaluation& evaluation);
    /// Takes work off the queue that is not judged: it was withdrawn, or was judged together with equal work. NotFound
    /// when it is not there.
    base::Status drop(const QueueItem& item);

    // cached text by key, for operator graphs and inspections
    base::Status putCache(const std::string& key, const std::string& value);
    base::Result<std::optional<std::string>> cache(const std::string& key) const;
    /// All whose keys begin with `prefix`, which ends with '/', in the order of their keys.
    base::Result<std::vector<std::string>> caches(const std::string& prefix) const;
    base::Status dropCaches(const std::string& prefix); ///< the same ones; none is no error

    /// A number that changes when any connection, of any process, commits. Cheap; poll it to follow other processes.
    base::Result<std::int64_t> dataVersion() const;

private:
    struct Private;
    explicit Project(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

} // namespace cudal1::store
