// SPDX-License-Identifier: GPL-3.0-or-later
// Acts on what the window asks for: a queue of jobs of which one measures at a time.
//
// Lives on the GUI thread and never waits: the work is done by an Engine on a thread of its own. The evaluator is started
// by the first job, or when somebody asks what the machine can do; never with the window.
#pragma once

#include "ui/work/engine.h"
#include "ui/work/jobsmodel.h"
#include "ui/kit/messagebar.h"

#include <QObject>

#include <map>
#include <optional>
#include <variant>

class QThread;

namespace cudal1::ui {

class ProjectModel;
class RunChoice;

class Controller : public QObject {
    Q_OBJECT
public:
    Controller(ProjectModel& project, RunChoice& choice, JobsModel& jobs, PolicyFactory policy, QObject* parent = nullptr);
    ~Controller() override; ///< a run that is going on is cut off; the next start offers to resume it

    void optimize(const base::TaskId& task);
    void measureBaselines(const base::TaskId& task);
    /// Of the reference alone where no variant is named.
    void recordTimelines(const base::TaskId& task, const std::vector<base::VariantId>& variants);
    /// Judges the combinations of an ablation with the device, precision and preset that are chosen.
    void ablate(const ablation::Request& request);
    void resume(const store::RunRecord& run);
    void evaluate(base::VariantId variant);
    /// Adds the file as a variant of the task and judges it.
    void evaluateFile(const base::TaskId& task, const QString& file);
    /// Adds a source as a variant and judges it; the new variant, or 0 when it could not be added or says nothing new.
    base::VariantId judge(const store::VariantRecord& variant);
    /// Captures the device code of a variant's own kernels, on a GPU.
    void captureKernels(base::VariantId variant);
    /// The newest job of the task once more, else an optimisation.
    void runAgain(const base::TaskId& task);
    void stop(quint64 job);
    void stopTask(const base::TaskId& task);
    void stopAll();
    /// Asks the evaluator for the devices; starts it if need be. RunChoice is given the answer.
    void describeMachine();
    /// Runs a task that is not in the project yet once; checkProgress and checkEnded follow. One at a time.
    void checkTask(const QString& name, const QString& text);
    void stopCheck();
    /// Runs a task once by its shapes alone, so that its facts are known; shapesTraced or shapesFailed follows.
    void traceShapes(const base::TaskId& task);

    /// Runs of the open project that say "running" while their process is gone: it was killed, or its window closed.
    std::vector<store::RunRecord> interruptedRuns() const;

signals:
    void kernelsCaptured(cudal1::base::VariantId variant);
    void messageRaised(const cudal1::ui::Message& message);
    void evaluatorStateChanged(const QString& state, const QString& sentence);
    void machineReady(const cudal1::protocol::Machine& machine);
    void jobStarted(quint64 job);
    void shapesTraced(const QString& hash);
    void shapesFailed(const QString& hash, const cudal1::base::Error& error);
    void checkProgress(const QString& text);
    /// The graph, or null with the error.
    void checkEnded(std::shared_ptr<const cudal1::protocol::OperatorGraph> graph, const cudal1::base::Error& error);

private:
    using Request = std::variant<optimize::Options, base::RunId, EvaluateJob, BaselinesJob, AblationJob, TimelineJob, KernelsJob>;
    void enqueue(Job job, Request request);
    void pump();
    void stopQueued();
    void jobEnded(quint64 job, store::RunState state, const QString& message);
    void raise(const base::Error& error);
    /// Of a task that will probably not fit into the chosen device; at once, or when the device becomes known.
    void warnOfMemory(const store::TaskRecord& task);
    static farm::Launcher launcher();

    ProjectModel& m_project;
    RunChoice& m_choice;
    JobsModel& m_jobs;
    QThread* m_thread;
    Engine* m_engine;
    std::map<quint64, Request> m_requests; ///< of jobs that wait or run, and of those that may be run again
    std::map<base::TaskId, ablation::Request> m_ablations; ///< the last one of each task
    quint64 m_running = 0;
    std::optional<store::TaskRecord> m_unwarned; ///< to be looked at when the device is known
};

} // namespace cudal1::ui
