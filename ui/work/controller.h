// SPDX-License-Identifier: GPL-3.0-or-later
// Acts on what the window asks for: a queue of jobs, of which one at a time works on each device, and none
// beside a measurement on the same machine's CPU.
//
// Lives on the GUI thread and never waits: the work is done by an Engine on a thread of its own. Evaluators are started
// by the first job that needs them, by a question about the machines, or to trace or check a task; never by opening the
// window.
#pragma once

#include "ui/kit/messagebar.h"
#include "ui/work/engine.h"
#include "ui/work/jobsmodel.h"

#include <QObject>

#include <optional>
#include <vector>

class QThread;

namespace cudal1::ui {

class ProjectModel;
class RunChoice;

class Controller : public QObject {
    Q_OBJECT
public:
    Controller(ProjectModel& project, RunChoice& choice, JobsModel& jobs, PolicyFactory policy,
               QObject* parent = nullptr);
    ~Controller() override; ///< a run that is going on is cut off; the next start offers to resume it

    void optimize(const base::TaskId& task) { optimizeBy(task, {}); }
    /// One round whose first question is this text (policy::messagesText()), whatever was judged before.
    void optimizeBy(const base::TaskId& task, const QString& text);
    /// A search for each of these tasks, at as many places at a time. With `fresh` also of tasks whose search came to
    /// its end.
    void optimizeMany(const std::vector<base::TaskId>& tasks, std::vector<Place> places, bool fresh);
    void measureBaselines(const base::TaskId& task);
    /// Finds out, on the chosen device, what a prompt about the task is made of; promptReady or promptFailed follows.
    void preparePrompt(const base::TaskId& task);
    /// Of the reference alone where no variant is named.
    void recordTimelines(const base::TaskId& task, const std::vector<base::VariantId>& variants);
    /// Judges the combinations of an ablation with the device, precision and preset that are chosen.
    void ablate(const ablation::AblationRequest& request);
    void resume(const store::RunRecord& run);
    /// What experimentRequest(), trainRequest() or trainExampleRequest() has made; why it made none is shown.
    void start(base::Result<JobRequest> request);
    void evaluate(base::VariantId variant);
    /// Adds the file as a variant of the task and judges it.
    void evaluateFile(const base::TaskId& task, const QString& file);
    /// Adds a source as a variant and judges it; the new variant, or 0 when it could not be added or says nothing new.
    base::VariantId judge(const store::VariantRecord& variant);
    /// Captures the device code of a variant's own kernels on a GPU, or counts in them and in the reference's.
    void capture(base::VariantId variant, bool counters);
    /// Repeats the newest job of the task, except prompts, with the task's present text. Does nothing while a job of
    /// the task is active; optimises where there was none.
    void runAgain(const base::TaskId& task);
    void repeat(quint64 job); ///< as it was asked for
    void stop(quint64 job);
    void stopTask(const base::TaskId& task);
    void stopAll();
    /// Asks the evaluators for their devices; starts them if need be. RunChoice is given the answers.
    void describeMachine();
    /// Runs a task that is not in the project yet once; checkProgress and checkEnded follow. One at a time.
    void checkTask(const QString& name, const QString& text);
    void stopCheck();
    /// Runs a task once by its shapes alone, so that its facts are known; shapesTraced or shapesFailed follows.
    void traceShapes(const base::TaskId& task);

    /// Runs of the open project that say "running" while their process is gone: it was killed, or its window closed.
    std::vector<store::RunRecord> interruptedRuns() const;

signals:
    /// Device code was captured, or counters were taken.
    void kernelsCaptured(cudal1::base::VariantId variant);
    void messageRaised(const cudal1::ui::Message& message);
    void evaluatorStateChanged(int seat, const QString& state, const QString& sentence);
    void machineReady(const cudal1::protocol::Machine& machine);
    void jobStarted(quint64 job);
    void promptReady(std::shared_ptr<const cudal1::ui::PromptBasis> basis);
    void promptFailed(const cudal1::base::TaskId& task, const QString& why);
    void shapesTraced(const QString& hash);
    void shapesFailed(const QString& hash, const cudal1::base::Error& error);
    void checkProgress(const QString& text);
    /// The graph, or null with the error.
    void checkEnded(std::shared_ptr<const cudal1::protocol::OperatorGraph> graph, const cudal1::base::Error& error);

private:
    bool isAtWork(const base::TaskId& task, JobKind kind, const Place* at = nullptr) const;
    void enqueue(JobRequest request);
    void pump();
    void stopQueued();
    void jobEnded(quint64 job, store::RunState state, const QString& message);
    void raise(const base::Error& error) { emit messageRaised(Message::fromError(error)); }
    /// Of a task that will probably not fit into the chosen device; at once, or when the device becomes known.
    void warnOfMemory(const store::TaskRecord& task);
    void takeMachine(const farm::Launcher& launcher, const protocol::Machine& machine);
    void repeatRequest(JobRequest request, const QString& project);

    ProjectModel& m_project;
    RunChoice& m_choice;
    JobsModel& m_jobs;
    QThread* m_thread;
    Engine* m_engine;
    std::optional<store::TaskRecord> m_unwarned; ///< to be looked at when the device is known
};

} // namespace cudal1::ui
