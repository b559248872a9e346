// SPDX-License-Identifier: GPL-3.0-or-later
// The queue of jobs and the traffic with the engine's thread.
#include "ui/work/controller.h"

#include "core/ablation/examples.h"
#include "core/optimize/options.h"
#include "core/optimize/owner.h"
#include "ui/work/memorywarning.h"
#include "ui/work/projectmodel.h"
#include "ui/work/runchoice.h"
#include "ui/kit/settings.h"

#include <QFile>
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

QString word(std::string_view text)
{
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}

} // namespace

Controller::Controller(ProjectModel& project, RunChoice& choice, JobsModel& jobs, PolicyFactory policy, QObject* parent)
    : QObject(parent), m_project(project), m_choice(choice), m_jobs(jobs), m_thread(new QThread(this)),
      m_engine(new Engine(launcher(), std::move(policy)))
{
    m_thread->setObjectName(QStringLiteral("engine"));
    m_engine->moveToThread(m_thread);
    connect(m_thread, &QThread::finished, m_engine, &QObject::deleteLater);
    m_thread->start();

    connect(m_engine, &Engine::log, &m_jobs, &JobsModel::addLog);
    connect(m_engine, &Engine::progress, &m_jobs, &JobsModel::setProgress);
    connect(m_engine, &Engine::stored, &m_project, &ProjectModel::changedHere);
    connect(m_engine, &Engine::ended, this, &Controller::jobEnded);
    connect(m_engine, &Engine::failed, this, &Controller::raise);
    connect(m_engine, &Engine::checkProgress, this, &Controller::checkProgress);
    connect(m_engine, &Engine::checkEnded, this, &Controller::checkEnded);
    connect(m_engine, &Engine::shapesTraced, this, &Controller::shapesTraced);
    connect(m_engine, &Engine::shapesFailed, this, &Controller::shapesFailed);
    connect(m_engine, &Engine::evaluatorStateChanged, this, &Controller::evaluatorStateChanged);
    connect(m_engine, &Engine::machineReady, this, [this](const protocol::Machine& machine) {
        m_choice.setDevices(machine.devices);
        if (m_unwarned)
            warnOfMemory(store::TaskRecord(*m_unwarned));
        emit machineReady(machine);
    });
    connect(&m_project, &ProjectModel::opened, this, [this] {
        QMetaObject::invokeMethod(m_engine, [engine = m_engine, file = m_project.path()] { engine->setProject(file); });
    });
    connect(&m_project, &ProjectModel::closed, this, [this] {
        stopQueued();
        QMetaObject::invokeMethod(m_engine, [engine = m_engine] { engine->setProject({}); });
    });
    connect(&Settings::instance(), &Settings::changed, this, [this](const QString& key) {
        if (key == QLatin1String("evaluator"))
            QMetaObject::invokeMethod(m_engine, [engine = m_engine, how = launcher()] { engine->setLauncher(how); });
    });
}

Controller::~Controller()
{
    m_thread->quit();
    m_thread->wait();
}

farm::Launcher Controller::launcher()
{
    const QString own = Settings::instance().text("evaluator");
    if (own.isEmpty() || qEnvironmentVariableIsSet("CUDAL1_EVALUATOR"))
        return farm::Launcher::standard();
    return farm::Launcher::fromText(own);
}

void Controller::optimize(const base::TaskId& task)
{
    const Job* known = m_jobs.jobOf(task);
    if (known && known->isActive() && known->kind == tr("Optimize"))
        return; // a second click on the button asks for nothing new
    auto record = m_project.taskRecord(task);
    if (!record)
        return raise(record.error());
    warnOfMemory(*record);
    optimize::Options options;
    options.task = std::move(record.value());
    options.device = m_choice.device().toStdString();
    options.precision = m_choice.precision();
    options.preset = m_choice.preset();
    options.rounds = m_choice.rounds();
    options.budget_s = Settings::instance().number("budget");
    Job job;
    job.kind = tr("Optimize");
    job.task = task;
    job.device = m_choice.device();
    job.preset = word(protocol::toString(m_choice.preset()));
    enqueue(std::move(job), std::move(options));
}

void Controller::measureBaselines(const base::TaskId& task)
{
    if (const Job* known = m_jobs.jobOf(task); known && known->isActive() && known->kind == tr("Baselines"))
        return; // a second click on the button asks for nothing new
    auto record = m_project.taskRecord(task);
    if (!record)
        return raise(record.error());
    Job job;
    job.kind = tr("Baselines");
    job.task = task;
    job.device = m_choice.device();
    job.preset = word(protocol::toString(m_choice.preset()));
    enqueue(std::move(job), BaselinesJob{std::move(record.value()), m_choice.device(), m_choice.precision(), m_choice.preset()});
}

void Controller::recordTimelines(const base::TaskId& task, const std::vector<base::VariantId>& variants)
{
    if (const Job* known = m_jobs.jobOf(task); known && known->isActive() && known->kind == tr("Timeline"))
        return; // a second click on the button asks for nothing new
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
    what.device = m_choice.device();
    what.precision = m_choice.precision();
    Job job;
    job.kind = tr("Timeline");
    job.task = task;
    job.device = m_choice.device();
    enqueue(std::move(job), std::move(what));
}

void Controller::ablate(const ablation::Request& request)
{
    if (const Job* known = m_jobs.jobOf(request.task); known && known->isActive() && known->kind == tr("Ablation"))
        return; // a second click on the button asks for nothing new
    auto task = m_project.taskRecord(request.task);
    if (!task)
        return raise(task.error());
    AblationJob what{std::move(task.value()), {}, request, m_choice.device(), m_choice.precision(), m_choice.preset()};
    if (request.variant) {
        auto variant = m_project.variant(request.variant);
        if (!variant)
            return raise(variant.error());
        what.variant = std::move(variant.value());
    } else if (const ablation::Example* example = ablation::exampleFor(request.task)) {
        what.variant = ablation::variantOf(*example, what.task);
    } else {
        return raise({base::ErrorCode::InvalidArgument, tr("No variant is chosen").toStdString(), {}, tr("Choose one above the table").toStdString()});
    }
    m_ablations[request.task] = request;
    warnOfMemory(what.task);
    Job job;
    job.kind = tr("Ablation");
    job.task = request.task;
    job.device = m_choice.device();
    job.preset = word(protocol::toString(m_choice.preset()));
    enqueue(std::move(job), std::move(what));
}

void Controller::resume(const store::RunRecord& run)
{
    Job job;
    job.kind = tr("Optimize");
    job.task = run.task;
    if (const auto options = optimize::optionsFromJson(run.parameters)) {
        job.device = QString::fromStdString(options->device);
        job.preset = word(protocol::toString(options->preset));
    }
    enqueue(std::move(job), run.id);
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
    Job job;
    job.kind = tr("Evaluate");
    job.task = record->task;
    job.variant = variant;
    job.device = m_choice.device();
    job.preset = word(protocol::toString(m_choice.preset()));
    enqueue(std::move(job), EvaluateJob{std::move(task.value()), std::move(record.value()), m_choice.device(), m_choice.precision(), m_choice.preset()});
}

void Controller::evaluateFile(const base::TaskId& task, const QString& file)
{
    auto record = m_project.taskRecord(task);
    if (!record)
        return raise(record.error());
    QFile source(file);
    if (!source.open(QIODevice::ReadOnly))
        return raise({base::ErrorCode::Unreadable, "The file cannot be read: " + source.errorString().toStdString(), file.toStdString(),
                      "Choose a Python file that defines ModelNew"});
    store::VariantRecord variant;
    variant.task = task;
    variant.taskHash = record->hash;
    variant.source = source.readAll().toStdString();
    variant.origin = "file: " + QFileInfo(file).fileName().toStdString();
    warnOfMemory(*record);
    Job job;
    job.kind = tr("Evaluate");
    job.task = task;
    job.device = m_choice.device();
    job.preset = word(protocol::toString(m_choice.preset()));
    enqueue(std::move(job), EvaluateJob{std::move(record.value()), std::move(variant), m_choice.device(), m_choice.precision(), m_choice.preset()});
}

base::VariantId Controller::judge(const store::VariantRecord& variant)
{
    const auto added = m_project.project()->addVariant(variant);
    if (!added) {
        raise(added.error());
        return {};
    }
    if (*added == variant.parent) {
        raise({base::ErrorCode::InvalidArgument, "Nothing was changed", "variant " + std::to_string(added->value), "Change the source first"});
        return {};
    }
    m_project.changedHere();
    evaluate(*added);
    return *added;
}

void Controller::captureKernels(base::VariantId variant)
{
    auto record = m_project.variant(variant);
    if (!record)
        return raise(record.error());
    auto task = m_project.taskRecord(record->task);
    if (!task)
        return raise(task.error());
    if (m_choice.device() == QLatin1String("cpu"))
        return raise({base::ErrorCode::Unavailable, "Kernels are captured on a GPU, and the chosen device is the CPU", {}, "Choose a CUDA device above"});
    Job job;
    job.kind = tr("Kernels");
    job.task = record->task;
    job.variant = variant;
    job.device = m_choice.device();
    enqueue(std::move(job), KernelsJob{std::move(task.value()), std::move(record.value()), m_choice.device(), m_choice.precision()});
}

void Controller::runAgain(const base::TaskId& task)
{
    const Job* job = m_jobs.jobOf(task);
    if (job && job->isActive())
        return;
    if (job && job->kind == tr("Kernels"))
        return captureKernels(job->variant);
    if (job && job->variant)
        return evaluate(job->variant);
    if (job && job->kind == tr("Baselines"))
        return measureBaselines(task);
    if (job && job->kind == tr("Ablation"))
        return ablate(m_ablations[task]);
    optimize(task);
}

void Controller::enqueue(Job job, Request request)
{
    const quint64 id = m_jobs.add(std::move(job));
    m_requests.emplace(id, std::move(request));
    pump();
}

void Controller::pump()
{
    if (m_running)
        return;
    const Job* next = m_jobs.active();
    if (!next || next->state != Job::State::Queued)
        return;
    const auto found = m_requests.find(next->id);
    if (found == m_requests.end())
        return;
    m_running = next->id;
    Request request = std::move(found->second);
    m_requests.erase(found);
    QMetaObject::invokeMethod(m_engine, [engine = m_engine, id = m_running, what = std::move(request)]() mutable {
        if (auto* options = std::get_if<optimize::Options>(&what))
            engine->optimize(id, std::move(*options));
        else if (auto* run = std::get_if<base::RunId>(&what))
            engine->resume(id, *run);
        else if (auto* measured = std::get_if<BaselinesJob>(&what))
            engine->measure(id, std::move(*measured));
        else if (auto* captured = std::get_if<KernelsJob>(&what))
            engine->capture(id, std::move(*captured));
        else if (auto* timelines = std::get_if<TimelineJob>(&what))
            engine->record(id, std::move(*timelines));
        else if (auto* apart = std::get_if<AblationJob>(&what))
            engine->ablate(id, std::move(*apart));
        else
            engine->evaluate(id, std::move(std::get<EvaluateJob>(what)));
    });
    m_jobs.setState(m_running, Job::State::Running);
    emit jobStarted(m_running);
}

void Controller::stop(quint64 id)
{
    const Job* job = m_jobs.job(id);
    if (!job || !job->isActive())
        return;
    if (job->state == Job::State::Queued) {
        m_requests.erase(id);
        m_jobs.setState(id, Job::State::Stopped);
        return;
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
            stop(m_jobs.at(row)->id);
}

void Controller::stopAll()
{
    stopQueued(); // first, or the end of the running one would start the next
    if (m_running)
        stop(m_running);
}

void Controller::jobEnded(quint64 id, store::RunState state, const QString& message)
{
    if (id == m_running)
        m_running = 0;
    m_jobs.setState(id, jobState(state), message);
    m_project.changedHere();
    const Job* job = m_jobs.job(id);
    if (state == store::RunState::Finished && job && job->kind == tr("Kernels"))
        emit kernelsCaptured(job->variant);
    if (state == store::RunState::Failed && job) {
        Message out;
        out.cause = tr("%1 of %2 failed: %3").arg(job->kind, QString::fromStdString(job->task.value), brief(message));
        out.details = message + QLatin1Char('\n') + job->log.join(QLatin1Char('\n'));
        out.actions.push_back({tr("Run again"), [this, task = job->task] { runAgain(task); }});
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
    QMetaObject::invokeMethod(m_engine, [engine = m_engine, task = protocol::TaskSource{name.toStdString(), text.toStdString()}] { engine->check(task); });
}

void Controller::traceShapes(const base::TaskId& task)
{
    if (auto record = m_project.taskRecord(task))
        QMetaObject::invokeMethod(m_engine, [engine = m_engine, record = std::move(*record)] { engine->traceShapes(record); });
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
        ui::warnOfMemory(this, task, m_project.path(), *device, [this](const Message& message) { emit messageRaised(message); });
}

void Controller::raise(const base::Error& error)
{
    emit messageRaised(Message::fromError(error));
}

} // namespace cudal1::ui
