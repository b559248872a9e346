// SPDX-License-Identifier: GPL-3.0-or-later
// What jobs of the window are made of. A request holds all that its job needs, so that it can be done once more as it
// was.
#pragma once

#include "core/ablation/ablation.h"
#include "core/experiment/experimentrecord.h"
#include "core/farm/launcher.h"
#include "core/language/policychoice.h"
#include "core/learning/stageoptions.h"
#include "core/optimize/campaign.h"

#include <QString>

#include <variant>
#include <vector>

namespace cudal1::ui {

/// A device of an evaluator.
struct Place {
    farm::Launcher launcher; ///< empty: the evaluator that the window uses for everything else
    QString device;          ///< "cpu", "cuda:0"
    QString name;            ///< for a person: "cuda:0", "cuda:0 on gpu1"

    friend bool operator==(const Place& a, const Place& b) { return a.launcher == b.launcher && a.device == b.device; }
    /// Whether two jobs would disturb each other's measurements there. On one machine, what is measured on the CPU
    /// wants it alone.
    bool disturbs(const Place& other) const;
};

/// For a campaign; its crew is missing.
optimize::SearchPlace searchPlace(const Place& place);

enum class JobKind {
    Optimize,
    OptimizeMany,
    Evaluate,
    Baselines,
    Ablation,
    Timeline,
    Kernels,
    Counters,
    Prompt,
    Experiment,
    Train,
    TrainExample
};
QString title(JobKind kind); ///< "Optimize"
/// Object name of the page on which the result of such a job stands.
QString resultPage(JobKind kind);

/// Of a task; goes on with a stopped or interrupted search of these very options when there is one.
struct OptimizeJob {
    optimize::SearchOptions options;
    base::RunId resume = {};              ///< this run where it is not over
    language::PolicyChoice policies = {}; ///< who is asked; `options.method` says how
};

/// A search for each of these tasks, as many at a time as there are places.
struct OptimizeManyJob {
    optimize::SearchOptions options; ///< but for task and device
    std::vector<store::TaskRecord> tasks;
    bool fresh = false; ///< also of tasks whose search came to its end
    language::PolicyChoice policies = {};
};

/// One variant to be judged outside a run. A variant without an id is added to the project first.
struct EvaluateJob {
    store::TaskRecord task;
    store::VariantRecord variant;
    protocol::Precision precision = protocol::Precision::Kernelbench;
    protocol::Preset preset = protocol::Preset::Standard;
};

/// The baselines of a task that are not measured with these settings; all of them where none is missing.
struct BaselinesJob {
    store::TaskRecord task;
    protocol::Precision precision = protocol::Precision::Kernelbench;
    protocol::Preset preset = protocol::Preset::Standard;
};

/// The combinations of an ablation that have no evaluation with these settings. A variant without an id is added first.
struct AblationJob {
    store::TaskRecord task;
    store::VariantRecord variant;
    ablation::AblationRequest request;
    protocol::Precision precision = protocol::Precision::Kernelbench;
    protocol::Preset preset = protocol::Preset::Standard;
};

/// Timelines of variants of a task, each with the reference beside it; of the reference alone where none is named.
struct TimelineJob {
    store::TaskRecord task;
    std::vector<store::VariantRecord> variants;
    protocol::Precision precision = protocol::Precision::Kernelbench;
};

/// The device code of a variant's own kernels.
struct KernelsJob {
    store::TaskRecord task;
    store::VariantRecord variant;
    protocol::Precision precision = protocol::Precision::Kernelbench;
};

/// What the hardware counts in the kernels of a variant and of its reference.
struct CountersJob {
    store::TaskRecord task;
    store::VariantRecord variant;
    protocol::Precision precision = protocol::Precision::Kernelbench;
};

/// What a prompt about a task is made of, so that it can be looked at before a model is asked.
struct PromptJob {
    store::TaskRecord task;
    protocol::Precision precision = protocol::Precision::Kernelbench;
};

/// The runs of an experiment that are not done. Device and model are filled in where the work begins.
struct ExperimentJob {
    experiment::ExperimentRecord record;
    std::vector<store::TaskRecord> tasks; ///< of the record, with their sources
};

/// A stage of a training, begun or gone on with. Stage 1 has a file of examples, the others have tasks.
struct TrainJob {
    learning::StageOptions options;
    std::vector<store::TaskRecord> tasks = {};
    std::string dataFile = {};
};

/// The three stages with a tiny model, in a folder of its own.
struct TrainExampleJob {
    QString folder;
};

struct JobRequest {
    std::vector<Place> places; ///< one, but for OptimizeManyJob
    /// In the order of JobKind.
    std::variant<OptimizeJob, OptimizeManyJob, EvaluateJob, BaselinesJob, AblationJob, TimelineJob, KernelsJob,
                 CountersJob, PromptJob, ExperimentJob, TrainJob, TrainExampleJob>
        what;

    JobKind kind() const { return JobKind(what.index()); }
    base::TaskId task() const;       ///< none of many
    base::VariantId variant() const; ///< of what is about one that is in the project; none else
    QString subject() const;         ///< "1/12", "40 tasks", the name of an experiment
    QString preset() const;          ///< empty where none plays a part
    QString place() const;           ///< "cuda:0", "cuda:0 and cuda:1"
};

} // namespace cudal1::ui
