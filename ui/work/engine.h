// SPDX-License-Identifier: GPL-3.0-or-later
// What works for the controller on a thread of its own: the evaluator, the session that runs, and their connection.
//
// The controller calls the slots through the event loop and never runs two jobs at a time: one measures. Each job ends
// with exactly one `ended`.
#pragma once

#include "core/ablation/ablation.h"
#include "core/batch/session.h"
#include "core/farm/evaluator.h"
#include "core/optimize/session.h"
#include "core/policy/policy.h"
#include "core/store/project.h"

#include <QObject>

#include <functional>
#include <memory>
#include <optional>
#include <variant>

namespace cudal1::ui {

using PolicyFactory = std::function<std::unique_ptr<policy::Policy>()>;

/// One variant to be judged outside a run. A variant without an id is added to the project first.
struct EvaluateJob {
    store::TaskRecord task;
    store::VariantRecord variant;
    QString device;
    protocol::Precision precision = protocol::Precision::Kernelbench;
    protocol::Preset preset = protocol::Preset::Standard;
};

/// The baselines of a task that are not measured with these settings; all of them where none is missing.
struct BaselinesJob {
    store::TaskRecord task;
    QString device;
    protocol::Precision precision = protocol::Precision::Kernelbench;
    protocol::Preset preset = protocol::Preset::Standard;
};

/// The device code of a variant's own kernels.
struct KernelsJob {
    store::TaskRecord task;
    store::VariantRecord variant;
    QString device;
    protocol::Precision precision = protocol::Precision::Kernelbench;
};

/// Timelines of variants of a task, each with the reference beside it; of the reference alone where none is named.
struct TimelineJob {
    store::TaskRecord task;
    std::vector<store::VariantRecord> variants;
    QString device;
    protocol::Precision precision = protocol::Precision::Kernelbench;
};

/// The combinations of an ablation that have no evaluation with these settings. A variant without an id is added first.
struct AblationJob {
    store::TaskRecord task;
    store::VariantRecord variant;
    ablation::Request request;
    QString device;
    protocol::Precision precision = protocol::Precision::Kernelbench;
    protocol::Preset preset = protocol::Preset::Standard;
};

class Engine : public QObject {
    Q_OBJECT
public:
    Engine(farm::Launcher launcher, PolicyFactory policy);
    ~Engine() override;

    /// A job that is not over is cut off: its run can be resumed, as after a kill. So it is when the engine is destroyed.
    void setProject(const QString& file);
    /// Takes effect when no process runs; one that runs is ended.
    void setLauncher(const farm::Launcher& launcher);

    /// Goes on with a stopped or interrupted run of these very options when there is one.
    void optimize(quint64 job, optimize::Options options);
    void resume(quint64 job, base::RunId run);
    void evaluate(quint64 job, EvaluateJob what);
    void measure(quint64 job, BaselinesJob what);
    void capture(quint64 job, KernelsJob what);
    void record(quint64 job, TimelineJob what);
    void ablate(quint64 job, AblationJob what);
    void stop(quint64 job);
    void describe();
    /// Runs a task that is not in the project yet once: by its shapes alone, and on the CPU where that fails. One at a time:
    /// it waits for what the evaluator is doing. `checkEnded` follows, also after stopCheck().
    void check(protocol::TaskSource task);
    void stopCheck();
    /// Runs a task once by its shapes alone and keeps the graph in the project; `shapesTraced` or `shapesFailed` follows. One at
    /// a time; of those asked for meanwhile only the last is traced, since the user has gone on to it.
    void traceShapes(const store::TaskRecord& task);

signals:
    void shapesTraced(const QString& hash);
    void shapesFailed(const QString& hash, const cudal1::base::Error& error);
    void checkProgress(const QString& text);
    void checkEnded(std::shared_ptr<const cudal1::protocol::OperatorGraph> graph, const cudal1::base::Error& error);
    void log(quint64 job, const QString& line);
    void progress(quint64 job, const cudal1::optimize::Progress& progress);
    /// Something of this job was committed.
    void stored(quint64 job);
    void ended(quint64 job, cudal1::store::RunState state, const QString& message);
    void machineReady(const cudal1::protocol::Machine& machine);
    /// "starting", "ready", "stopped"; the sentence is for a person.
    void evaluatorStateChanged(const QString& state, const QString& sentence);
    void failed(const cudal1::base::Error& error);

private:
    bool prepare(quint64 job);
    farm::Evaluator& evaluator();
    optimize::Session& makeSession(quint64 job);
    void cutOff();
    void finish(store::RunState state, const QString& message);
    void keepShapes(const protocol::OperatorGraph& graph);
    void endShapes();
    void takeEvaluation(const protocol::Evaluation& evaluation);
    void takeKernels(const protocol::Kernels& kernels);
    void recordNext();
    void takeTimeline(const protocol::TimelineAnswer& answer);
    void startBatch(const protocol::Machine& machine);
    base::Status startBaselines(const protocol::DeviceInfo& device);
    base::Status startAblation(const protocol::DeviceInfo& device);
    void judge(const batch::Options& options, const std::vector<base::VariantId>& variants, const std::optional<store::RunRecord>& unfinished);

    farm::Launcher m_launcher;
    PolicyFactory m_makePolicy;
    QString m_file;
    std::unique_ptr<store::Project> m_project;
    std::unique_ptr<policy::Policy> m_policy;
    std::unique_ptr<farm::Evaluator> m_evaluator;
    std::unique_ptr<optimize::Session> m_session;
    std::unique_ptr<batch::Session> m_batch; ///< of a baselines or ablation job, once the device is known
    std::variant<BaselinesJob, AblationJob> m_batchJob;
    quint64 m_job = 0;               ///< 0: idle
    bool m_stopping = false;         ///< the user stopped m_job
    farm::RequestId m_request = 0;   ///< of an evaluate or a kernels job, or that asks for the device of a batch
    farm::RequestId m_describe = 0;
    farm::RequestId m_check = 0;
    protocol::GraphRequest m_checked; ///< of m_check
    farm::RequestId m_shapes = 0;
    QString m_shapesOf;              ///< hash of m_shapes' task
    std::optional<store::TaskRecord> m_nextShapes;
    base::VariantId m_variant;
    TimelineJob m_timelines;
    std::size_t m_recorded = 0;      ///< of m_timelines' variants
};

} // namespace cudal1::ui
