// SPDX-License-Identifier: GPL-3.0-or-later
// The queue of jobs and the traffic with the engine's thread.
#include "ui/work/controller.h"

#include "core/ablation/examples.h"
#include "core/optimize/options.h"
#include "core/optimize/owner.h"
#include "core/tasks/sourcefile.h"
#include "ui/kit/settings.h"
#include "ui/work/evaluatorsettings.h"
#include "ui/work/memorywarning.h"
#include "ui/work/projectmodel.h"
#include "ui/work/runchoice.h"

#include <QFileInfo>
#include <QThread>

#include <algorithm>

namespace cudal1::ui {

namespace {

Job::State jobState(store::RunState state)
{
    switch (state) {
    case store::RunState::Finished: return Job::State::Finished;
    case store::RunState::Stopped: return Job::State::Stopped;
    case store::RunState::Failed: return Job::State::Failed;
    case store::RunState::Running: break;
    }
    return Job::State::Running;
}

} // namespace

Controller::Controller(ProjectModel& project, RunChoice& choice, JobsModel& jobs, PolicyFactory policy, QObject* parent)
    : QObject(parent), m_project(project), m_choice(choice), m_jobs(jobs), m_thread(new QThread(this)),
      m_engine(new Engine(launchersOfSettings(), std::move(policy)))
{
    m_thread->setObjectName(QStringLiteral("engine"));
    m_engine->moveToThread(m_thread);
    connect(m_thread, &QThread::finished, m_engine, &QObject::deleteLater);
    m_thread->start();

    connect(m_engine, &Engine::log, &m_jobs, &JobsModel::addLog);
    connect(m_engine, &Engine::progress, &m_jobs, &JobsModel::setProgress);
    connect(m_engine, &Engine::partialReply, &m_jobs, &JobsModel::addReply);
    connect(m_engine, &Engine::partialReplyOf, &m_jobs, &JobsModel::addReplyOf);
    connect(m_engine, &Engine::promptReady, this, &Controller::promptReady);
    connect(m_engine, &Engine::stored, &m_project, &ProjectModel::changedHere);
    connect(m_engine, &Engine::ended, this, &Controller::jobEnded);
    connect(m_engine, &Engine::failed, this, &Controller::raise);
    connect(m_engine, &Engine::checkProgress, this, &Controller::checkProgress);
    connect(m_engine, &Engine::checkEnded, this, &Controller::checkEnded);
    connect(m_engine, &Engine::shapesTraced, this, &Controller::shapesTraced);
    connect(m_engine, &Engine::shapesFailed, this, &Controller::shapesFailed);
    connect(m_engine, &Engine::evaluatorStateChanged, this, &Controller::evaluatorStateChanged);
    connect(m_engine, &Engine::machineReady, this, &Controller::takeMachine);
    m_choice.setEvaluators(elsewhereOf(launchersOfSettings()));
    m_project.countAt(m_choice.precision());
    connect(&m_choice, &RunChoice::changed, &m_project, [this] { m_project.countAt(m_choice.precision()); });
    connect(&m_project, &ProjectModel::opened, this, [this] {
        QMetaObject::invokeMethod(m_engine, [engine = m_engine, file = m_project.path()] { engine->setProject(file); });
    });
    connect(&m_project, &ProjectModel::closed, this, [this] {
        stopQueued();
        QMetaObject::invokeMethod(m_engine, [engine = m_engine] { engine->setProject({}); });
    });
    connect(&Settings::instance(), &Settings::changed, this, [this](const QString& key) {
        if (key != QLatin1String("evaluator") && key != QLatin1String("evaluators"))
            return;
        std::vector<farm::Launcher> all = launchersOfSettings();
        m_choice.setEvaluators(elsewhereOf(all));
        QMetaObject::invokeMethod(
            m_engine, [engine = m_engine, all = std::move(all)]() mutable { engine->setLaunchers(std::move(all)); });
    });
}

Controller::~Controller()
{
    m_thread->quit();
    m_thread->wait();
}

void Controller::takeMachine(const farm::Launcher& launcher, const protocol::Machine& machine)
{
    if (launcher != launchersOfSettings().front())
        return m_choice.setDevices(machine.devices, launcher);
    m_choice.setDevices(machine.devices);
    m_choice.setMissing(machine.missing);
    emit machineReady(machine);
    if (m_unwarned)
        warnOfMemory(store::TaskRecord(*m_unwarned));
}

bool Controller::isAtWork(const base::TaskId& task, JobKind kind, const Place* at) const
{
    for (int row = 0; row < m_jobs.rowCount(); ++row)
        if (const Job* job = m_jobs.at(row); job->isActive() && job->kind() == kind && job->task() == task &&
                                             (!at || job->request.places.front() == *at))
            return true;
    return false;
}

void Controller::optimizeBy(const base::TaskId& task, const QString& text)
{
    if (isAtWork(task, JobKind::Optimize))
        return; // a second click on the button asks for nothing new
    auto record = m_project.taskRecord(task);
    if (!record)
        return raise(record.error());
    warnOfMemory(*record);
    OptimizeJob what;
    what.options = m_choice.searchOptions();
    what.options.task = std::move(record.value());
    what.policies = m_choice.policies();
    if (!text.isEmpty()) {
        language::AskMethod method = what.policies.method();
        method.text = text.toStdString();
        auto policies = language::PolicyChoice::of(what.policies.names(), method);
        if (!policies)
            return raise(policies.error());
        what.policies = std::move(policies.value());
        what.options.method = what.policies.methodText();
        what.options.rounds = 1;
    }
    enqueue({{m_choice.place()}, std::move(what)});
}

void Controller::optimizeMany(const std::vector<base::TaskId>& tasks, std::vector<Place> places, bool fresh)
{
    OptimizeManyJob what;
    what.fresh = fresh;
    what.options = m_choice.searchOptions();
    what.policies = m_choice.policies();
    for (const base::TaskId& task : tasks) {
        auto record = m_project.taskRecord(task);
        if (!record)
            return raise(record.error());
        what.tasks.push_back(std::move(record.value()));
    }
    enqueue({std::move(places), std::move(what)});
}

void Controller::measureBaselines(const base::TaskId& task)
{
    if (isAtWork(task, JobKind::Baselines))
        return;
    auto record = m_project.taskRecord(task);
    if (!record)
        return raise(record.error());
    enqueue({{m_choice.place()}, BaselinesJob{std::move(record.value()), m_choice.precision(), m_choice.preset()}});
}

void Controller::preparePrompt(const base::TaskId& task)
{
    const Place place = m_choice.place();
    if (isAtWork(task, JobKind::Prompt, &place))
        return; // its answer is for everybody
    auto record = m_project.taskRecord(task);
    if (!record)
        return emit promptFailed(task, QString::fromStdString(record.error().text()));
    enqueue({{place}, PromptJob{std::move(record.value()), m_choice.precision()}});
}

void Controller::recordTimelines(const base::TaskId& task, const std::vector<base::VariantId>& variants)
{
    if (isAtWork(task, JobKind::Timeline))
        return;
    auto record = m_project.taskRecord(task);
    if (!record)
        return raise(record.error());
    TimelineJob what;
    for (const base::VariantId id : variants) {
        auto variant = m_project.variant(id);
        if (!variant)
            return raise(variant.error());
        what.variants.push_back(std::move(variant.value()));
    }
    warnOfMemory(*record);
    what.task = std::move(record.value());
    what.precision = m_choice.precision();
    enqueue({{m_choice.place()}, std::move(what)});
}

void Controller::ablate(const ablation::AblationRequest& request)
{
    if (isAtWork(request.task, JobKind::Ablation))
        return;
    auto task = m_project.taskRecord(request.task);
    if (!task)
        return raise(task.error());
    AblationJob what{std::move(task.value()), {}, request, m_choice.precision(), m_choice.preset()};
    if (request.variant) {
        auto variant = m_project.variant(request.variant);
        if (!variant)
            return raise(variant.error());
        what.variant = std::move(variant.value());
    } else if (const ablation::Example* example = ablation::exampleFor(request.task)) {
        what.variant = ablation::variantOf(*example, what.task);
    } else {
        return raise({base::ErrorCode::InvalidArgument,
                      tr("No variant is chosen").toStdString(),
                      {},
                      tr("Choose one above the table").toStdString()});
    }
    warnOfMemory(what.task);
    enqueue({{m_choice.place()}, std::move(what)});
}

void Controller::resume(const store::RunRecord& run)
{
    auto options = optimize::optionsOfRun(*m_project.project(), run.id);
    if (!options)
        return raise(options.error());
    auto policies = language::PolicyChoice::ofRun(optimize::policyOf(run.parameters), options->method);
    if (!policies)
        return raise(policies.error());
    Place place{farm::Launcher::fromText(QString::fromStdString(options->evaluator)),
                QString::fromStdString(options->device), QString::fromStdString(options->device)};
    if (!place.launcher.isEmpty())
        place.name += QStringLiteral(" on ") + place.launcher.place();
    enqueue({{std::move(place)}, OptimizeJob{std::move(*options), run.id, std::move(*policies)}});
}

void Controller::start(base::Result<JobRequest> request)
{
    if (!request)
        return raise(request.error());
    enqueue(std::move(*request));
}

void Controller::evaluate(base::VariantId variant)
{
    auto record = m_project.variant(variant);
    if (!record)
        return raise(record.error());
    auto task = m_project.taskRecord(record->task);
    if (!task)
        return raise(task.error());
    warnOfMemory(*task);
    enqueue({{m_choice.place()},
             EvaluateJob{std::move(task.value()), std::move(record.value()), m_choice.precision(), m_choice.preset()}});
}

void Controller::evaluateFile(const base::TaskId& task, const QString& file)
{
    auto record = m_project.taskRecord(task);
    if (!record)
        return raise(record.error());
    auto source = tasks::readCandidate(file.toStdString());
    if (!source)
        return raise(source.error());
    store::VariantRecord variant;
    variant.task = task;
    variant.taskHash = record->hash;
    variant.source = std::move(*source);
    variant.origin = "file: " + QFileInfo(file).fileName().toStdString();
    warnOfMemory(*record);
    enqueue({{m_choice.place()},
             EvaluateJob{std::move(record.value()), std::move(variant), m_choice.precision(), m_choice.preset()}});
}

base::VariantId Controller::judge(const store::VariantRecord& variant)
{
    const auto added = m_project.project()->addVariant(variant);
    if (!added) {
        raise(added.error());
        return {};
    }
    if (*added == variant.parent) {
        raise({base::ErrorCode::InvalidArgument, "Nothing was changed", "variant " + std::to_string(added->value),
               "Change the source first"});
        return {};
    }
    m_project.changedHere();
    evaluate(*added);
    return *added;
}

void Controller::capture(base::VariantId variant, bool counters)
{
    const auto record = m_project.variant(variant);
    const auto task = record ? m_project.taskRecord(record->task) : base::Result<store::TaskRecord>(record.error());
    if (!task)
        return raise(task.error());
    const char* what = counters ? "Counters are taken" : "Kernels are captured";
    if (m_choice.place().device == QLatin1String("cpu"))
        return raise({base::ErrorCode::Unavailable,
                      what + std::string(" on a GPU, and the chosen device is the CPU"),
                      {},
                      "Choose a CUDA device above"});
    JobRequest request{{m_choice.place()}, KernelsJob{*task, *record, m_choice.precision()}};
    if (counters)
        request.what = CountersJob{*task, *record, m_choice.precision()};
    enqueue(std::move(request));
}

void Controller::runAgain(const base::TaskId& task)
{
    const Job* job = m_jobs.jobOf(task);
    if (!job)
        optimize(task);
    else if (!job->isActive())
        repeat(job->id);
}

void Controller::repeat(quint64 id)
{
    const Job* job = m_jobs.job(id);
    if (job && !job->isActive())
        repeatRequest(job->request, job->project);
}

/// What it names is read anew: the project's text of a task may be another by now.
void Controller::repeatRequest(JobRequest request, const QString& project)
{
    if (project != m_project.path())
        return raise({base::ErrorCode::InvalidArgument, "This job was of another project", project.toStdString(),
                      "Open that project first"});
    base::Status known;
    const auto refresh = [&](store::TaskRecord& task) {
        auto record = m_project.taskRecord(task.id);
        if (record)
            task = std::move(*record);
        else
            known = record.error();
    };
    std::visit(
        [&](auto& one) {
            if constexpr (requires { one.task; })
                refresh(one.task);
            else if constexpr (requires { one.tasks; })
                std::for_each(one.tasks.begin(), one.tasks.end(), refresh);
            else if constexpr (requires { one.options.task; })
                refresh(one.options.task);
        },
        request.what);
    if (!known)
        return raise(known.error());
    enqueue(std::move(request));
}

void Controller::enqueue(JobRequest request)
{
    Job job;
    job.request = std::move(request);
    job.project = m_project.path();
    m_jobs.add(std::move(job));
    pump();
}

/// Begins what waits for no place, the oldest first. A job that needs several waits until all are free, and none is
/// taken from it meanwhile.
void Controller::pump()
{
    std::vector<Place> taken;
    const auto take = [&](const Job& job) {
        taken.insert(taken.end(), job.request.places.begin(), job.request.places.end());
    };
    const auto isFree = [&](const Place& place) {
        return std::none_of(taken.begin(), taken.end(), [&](const Place& other) { return place.disturbs(other); });
    };
    std::vector<const Job*> begun;
    for (int row = m_jobs.rowCount(); row-- > 0;)
        if (const Job* job = m_jobs.at(row); job->state == Job::State::Running || job->state == Job::State::Stopping)
            take(*job);
    for (int row = m_jobs.rowCount(); row-- > 0;) { // newest first in the model
        const Job* job = m_jobs.at(row);
        if (job->state != Job::State::Queued)
            continue;
        if (std::all_of(job->request.places.begin(), job->request.places.end(), isFree))
            begun.push_back(job);
        take(*job);
    }
    for (const Job* job : begun) {
        const quint64 id = job->id;
        if (job->state != Job::State::Queued)
            continue; // begun by whoever heard of another one
        QMetaObject::invokeMethod(
            m_engine, [engine = m_engine, id, what = job->request]() mutable { engine->start(id, std::move(what)); });
        m_jobs.setState(id, Job::State::Running);
        emit jobStarted(id);
    }
}

void Controller::stop(quint64 id)
{
    const Job* job = m_jobs.job(id);
    if (!job || !job->isActive())
        return;
    if (job->state == Job::State::Queued) {
        m_jobs.setState(id, Job::State::Stopped);
        return pump(); // others may have waited for its places
    }
    m_jobs.setState(id, Job::State::Stopping);
    QMetaObject::invokeMethod(m_engine, [engine = m_engine, id] { engine->stop(id); });
}

void Controller::stopTask(const base::TaskId& task)
{
    if (const Job* job = m_jobs.jobOf(task))
        stop(job->id);
}

void Controller::stopQueued()
{
    for (int row = 0; row < m_jobs.rowCount(); ++row)
        if (m_jobs.at(row)->state == Job::State::Queued)
            m_jobs.setState(m_jobs.at(row)->id, Job::State::Stopped);
}

void Controller::stopAll()
{
    stopQueued(); // first, or the end of a running one would start the next
    for (int row = 0; row < m_jobs.rowCount(); ++row)
        if (m_jobs.at(row)->isActive())
            stop(m_jobs.at(row)->id);
}

void Controller::jobEnded(quint64 id, store::RunState state, const QString& message)
{
    m_jobs.setState(id, jobState(state), message);
    m_project.changedHere();
    const Job* job = m_jobs.job(id);
    if (state == store::RunState::Finished && job &&
        (job->kind() == JobKind::Kernels || job->kind() == JobKind::Counters))
        emit kernelsCaptured(job->request.variant());
    if (job && job->kind() == JobKind::Prompt && state != store::RunState::Finished)
        emit promptFailed(job->task(), state == store::RunState::Stopped ? tr("It was stopped.") : message);
    else if (state == store::RunState::Failed && job) {
        Message out;
        out.cause = tr("%1 of %2 failed: %3").arg(job->name(), job->request.subject(), brief(message));
        out.details = message + QLatin1Char('\n') + job->log.join(QLatin1Char('\n'));
        out.actions.push_back({tr("Run again"), [this, request = job->request, project = job->project] {
                                   repeatRequest(request, project);
                               }});
        emit messageRaised(out);
    }
    pump();
}

void Controller::describeMachine()
{
    QMetaObject::invokeMethod(m_engine, [engine = m_engine] { engine->describe(); });
}

void Controller::checkTask(const QString& name, const QString& text)
{
    QMetaObject::invokeMethod(m_engine,
                              [engine = m_engine, task = protocol::TaskSource{name.toStdString(), text.toStdString()}] {
                                  engine->check(task);
                              });
}

void Controller::traceShapes(const base::TaskId& task)
{
    if (auto record = m_project.taskRecord(task))
        QMetaObject::invokeMethod(m_engine,
                                  [engine = m_engine, record = std::move(*record)] { engine->traceShapes(record); });
}

void Controller::stopCheck()
{
    QMetaObject::invokeMethod(m_engine, [engine = m_engine] { engine->stopCheck(); });
}

std::vector<store::RunRecord> Controller::interruptedRuns() const
{
    std::vector<store::RunRecord> found;
    if (!m_project.isOpen())
        return found;
    const auto running = m_project.project()->runs(store::RunState::Running);
    if (!running)
        return found;
    for (const store::RunRecord& run : *running)
        if (run.kind == optimize::runKind && !optimize::isRunning(*m_project.project(), run))
            found.push_back(run);
    return found;
}

void Controller::warnOfMemory(const store::TaskRecord& task)
{
    const std::optional<protocol::DeviceInfo> device = m_choice.chosen();
    m_unwarned.reset();
    if (!device)
        m_unwarned = task;
    else
        ui::warnOfMemory(this, task, m_project.path(), *device,
                         [this](const Message& message) { emit messageRaised(message); });
}

} // namespace cudal1::ui
