// SPDX-License-Identifier: GPL-3.0-or-later
// Runs one job at a time; the evaluator is started by the first one that needs it.
#include "ui/work/engine.h"

#include "core/baselines/measured.h"
#include "core/optimize/options.h"
#include "core/optimize/text.h"
#include "core/taskfacts/taskfacts.h"

#include <algorithm>
#include <utility>

namespace cudal1::ui {

Engine::Engine(farm::Launcher launcher, PolicyFactory policy) : m_launcher(std::move(launcher)), m_makePolicy(std::move(policy)) {}

Engine::~Engine()
{
    cutOff(); // before the evaluator and the project that the session uses
}

void Engine::setProject(const QString& file)
{
    cutOff();
    if (m_job)
        finish(store::RunState::Stopped, {});
    m_file = file;
    m_project.reset();
}

void Engine::setLauncher(const farm::Launcher& launcher)
{
    if (launcher == m_launcher || m_job || m_check || m_shapes)
        return;
    m_launcher = launcher;
    m_evaluator.reset();
}

farm::Evaluator& Engine::evaluator()
{
    if (m_evaluator)
        return *m_evaluator;
    m_evaluator = std::make_unique<farm::Evaluator>(m_launcher);
    emit evaluatorStateChanged(QStringLiteral("starting"), tr("Starting the evaluator"));
    connect(m_evaluator.get(), &farm::Evaluator::ready, this, [this] {
        const protocol::Hello& hello = m_evaluator->hello();
        emit evaluatorStateChanged(QStringLiteral("ready"),
                                   hello.torch.empty() ? QString::fromStdString(hello.program)
                                                       : tr("%1, torch %2").arg(QString::fromStdString(hello.program), QString::fromStdString(hello.torch)));
    });
    connect(m_evaluator.get(), &farm::Evaluator::waiting, this, [this](double seconds) {
        QString text = farm::waitingText(m_launcher, seconds);
        text[0] = text[0].toUpper();
        emit evaluatorStateChanged(QStringLiteral("starting"), text);
    });
    connect(m_evaluator.get(), &farm::Evaluator::stopped, this, [this](const base::Error& error) {
        const bool orderly = error.code == base::ErrorCode::Cancelled;
        emit evaluatorStateChanged(QStringLiteral("stopped"), orderly ? tr("The evaluator has ended") : QString::fromStdString(error.message));
    });
    connect(m_evaluator.get(), &farm::Evaluator::machineReady, this,
            [this](quint64 id, const protocol::Machine& machine) {
                if (id == m_describe)
                    m_describe = 0;
                emit machineReady(machine);
                if (m_request && id == m_request)
                    startBatch(machine);
            });
    connect(m_evaluator.get(), &farm::Evaluator::failed, this, [this](quint64 id, const base::Error& error) {
        if (m_check && id == m_check) {
            // Only what the task itself did wrong may go better with data.
            if (error.code == base::ErrorCode::Unreadable && m_checked.device == "meta") {
                m_checked.device = "cpu";
                m_check = m_evaluator->graph(m_checked);
                return;
            }
            m_check = 0;
            emit checkEnded(nullptr, error);
        } else if (m_shapes && id == m_shapes) {
            emit shapesFailed(m_shapesOf, error);
            endShapes();
        } else if (m_describe && id == m_describe) {
            m_describe = 0;
            emit failed(error);
        } else if (m_request && id == m_request)
            finish(error.code == base::ErrorCode::Cancelled ? store::RunState::Stopped : store::RunState::Failed, QString::fromStdString(error.text()));
    });
    connect(m_evaluator.get(), &farm::Evaluator::evaluationReady, this,
            [this](quint64 id, const std::shared_ptr<const protocol::Evaluation>& evaluation) {
                if (m_request && id == m_request)
                    takeEvaluation(*evaluation);
            });
    connect(m_evaluator.get(), &farm::Evaluator::kernelsReady, this,
            [this](quint64 id, const std::shared_ptr<const protocol::Kernels>& kernels) {
                if (m_request && id == m_request)
                    takeKernels(*kernels);
            });
    connect(m_evaluator.get(), &farm::Evaluator::timelineReady, this,
            [this](quint64 id, const std::shared_ptr<const protocol::TimelineAnswer>& answer) {
                if (m_request && id == m_request)
                    takeTimeline(*answer);
            });
    connect(m_evaluator.get(), &farm::Evaluator::graphReady, this, [this](quint64 id, const std::shared_ptr<const protocol::OperatorGraph>& graph) {
        if (m_shapes && id == m_shapes)
            keepShapes(*graph);
        if (!m_check || id != m_check)
            return;
        m_check = 0;
        emit checkEnded(graph, {});
    });
    connect(m_evaluator.get(), &farm::Evaluator::progress, this, [this](quint64 id, const protocol::Progress& seen) {
        if (m_check && id == m_check)
            emit checkProgress(QString::fromStdString(seen.text));
        if (!m_request || id != m_request)
            return;
        optimize::Progress out;
        out.planned = std::max(1, int(m_timelines.variants.size()));
        out.done = int(m_recorded);
        out.fraction = (out.done + seen.fraction) / out.planned;
        out.text = seen.text.empty() ? seen.phase : seen.phase + ": " + seen.text;
        emit progress(m_job, out);
    });
    m_evaluator->start();
    return *m_evaluator;
}

bool Engine::prepare(quint64 job)
{
    m_job = job;
    if (!m_policy)
        m_policy = m_makePolicy();
    if (m_project)
        return true;
    auto project = store::Project::open(m_file.toStdString());
    if (!project) {
        finish(store::RunState::Failed, QString::fromStdString(project.error().text()));
        return false;
    }
    m_project = std::move(project.value());
    return true;
}

optimize::Session& Engine::makeSession(quint64 job)
{
    m_session = std::make_unique<optimize::Session>(*m_project, evaluator(), *m_policy);
    connect(m_session.get(), &optimize::Session::log, this, [this, job](const QString& line) { emit log(job, line); });
    connect(m_session.get(), &optimize::Session::progress, this,
            [this, job](const optimize::Progress& now) { emit progress(job, now); });
    connect(m_session.get(), &optimize::Session::variantProposed, this, [this, job] { emit stored(job); });
    connect(m_session.get(), &optimize::Session::evaluationStored, this, [this, job] { emit stored(job); });
    connect(m_session.get(), &optimize::Session::declined, this, [this, job](const std::vector<policy::Declined>& declined) {
        for (const policy::Declined& one : declined)
            emit log(job, tr("Not used: %1. %2").arg(QString::fromStdString(one.technique), QString::fromStdString(one.why)));
    });
    // Queued: the session may not be destroyed from within its own signal.
    connect(m_session.get(), &optimize::Session::finished, this, &Engine::finish, Qt::QueuedConnection);
    return *m_session;
}

void Engine::optimize(quint64 job, optimize::Options options)
{
    if (!prepare(job))
        return;
    const auto unfinished = optimize::unfinishedRun(*m_project, options, m_policy->name());
    if (unfinished && *unfinished) {
        const auto waiting = m_project->queue((*unfinished)->id);
        if (waiting && !waiting->empty()) {
            emit log(job, tr("Going on with an earlier run that was not finished"));
            return makeSession(job).resume((*unfinished)->id);
        }
    }
    makeSession(job).start(options);
}

void Engine::resume(quint64 job, base::RunId run)
{
    if (prepare(job))
        makeSession(job).resume(run);
}

void Engine::evaluate(quint64 job, EvaluateJob what)
{
    if (!prepare(job))
        return;
    if (!what.variant.id) {
        if (const auto put = m_project->putTask(what.task); !put)
            return finish(store::RunState::Failed, QString::fromStdString(put.error().text()));
        const auto added = m_project->addVariant(what.variant);
        if (!added)
            return finish(store::RunState::Failed, QString::fromStdString(added.error().text()));
        what.variant.id = *added;
        emit stored(job);
    }
    m_variant = what.variant.id;
    protocol::EvaluateRequest request;
    request.task = {what.task.id.value, what.task.source};
    request.candidate = what.variant.source;
    request.candidateName = "variant_" + std::to_string(m_variant.value) + ".py";
    request.device = what.device.toStdString();
    request.precision = what.precision;
    request.preset = what.preset;
    if (!what.variant.baseline.empty())
        request.buildLimit_s = baselines::buildLimit_s;
    m_request = evaluator().evaluate(request);
}

void Engine::record(quint64 job, TimelineJob what)
{
    if (!prepare(job))
        return;
    if (const auto put = m_project->putTask(what.task); !put)
        return finish(store::RunState::Failed, QString::fromStdString(put.error().text()));
    m_timelines = std::move(what);
    m_recorded = 0;
    recordNext();
}

void Engine::recordNext()
{
    protocol::TimelineRequest request;
    request.task = {m_timelines.task.id.value, m_timelines.task.source};
    if (!m_timelines.variants.empty()) {
        const store::VariantRecord& variant = m_timelines.variants[m_recorded];
        request.candidate = variant.source;
        request.candidateName = "variant " + std::to_string(variant.id.value);
    }
    request.device = optimize::deviceName(m_timelines.device.toStdString());
    request.precision = m_timelines.precision;
    m_request = evaluator().timeline(request);
}

void Engine::takeTimeline(const protocol::TimelineAnswer& answer)
{
    const bool ofVariant = m_recorded < m_timelines.variants.size();
    const auto id = m_project->addTimeline(m_timelines.task.id, ofVariant ? m_timelines.variants[m_recorded].id : base::VariantId(), answer);
    if (!id)
        return finish(store::RunState::Failed, QString::fromStdString(id.error().text()));
    emit stored(m_job);
    emit log(m_job, ofVariant ? tr("Recorded the reference and variant %1").arg(m_timelines.variants[m_recorded].id.value) : tr("Recorded the reference"));
    if (++m_recorded < m_timelines.variants.size())
        return m_stopping ? finish(store::RunState::Stopped, {}) : recordNext();
    finish(store::RunState::Finished, {});
}

void Engine::measure(quint64 job, BaselinesJob what)
{
    if (!prepare(job))
        return;
    m_batchJob = std::move(what);
    m_request = evaluator().describe();
}

void Engine::capture(quint64 job, KernelsJob what)
{
    if (!prepare(job))
        return;
    m_variant = what.variant.id;
    protocol::KernelsRequest request;
    request.task = {what.task.id.value, what.task.source};
    request.candidate = what.variant.source;
    request.candidateName = "variant_" + std::to_string(m_variant.value) + ".py";
    request.device = optimize::deviceName(what.device.toStdString());
    request.precision = what.precision;
    m_request = evaluator().kernels(request);
}

void Engine::takeKernels(const protocol::Kernels& kernels)
{
    if (const base::Status kept = m_project->putKernels(m_variant, kernels); !kept)
        return finish(store::RunState::Failed, QString::fromStdString(kept.error().text()));
    emit stored(m_job);
    for (const std::string& note : kernels.notes)
        emit log(m_job, QString::fromStdString(note));
    finish(store::RunState::Finished, kernels.modules.size() == 1 ? tr("1 module") : tr("%1 modules").arg(kernels.modules.size()));
}

void Engine::ablate(quint64 job, AblationJob what)
{
    if (!prepare(job))
        return;
    m_batchJob = std::move(what);
    m_request = evaluator().describe();
}

void Engine::startBatch(const protocol::Machine& machine)
{
    m_request = 0;
    const QString named = std::visit([](const auto& job) { return job.device; }, m_batchJob);
    const std::string wanted = optimize::deviceName(named.toStdString());
    const auto device = std::find_if(machine.devices.begin(), machine.devices.end(), [&](const auto& one) { return one.name == wanted; });
    base::Status started = base::Error{base::ErrorCode::Unavailable, "This machine has no device " + wanted, {}, "Choose another one"};
    if (device != machine.devices.end())
        started = std::holds_alternative<BaselinesJob>(m_batchJob) ? startBaselines(*device) : startAblation(*device);
    if (!started)
        finish(store::RunState::Failed, QString::fromStdString(started.error().text()));
}

base::Status Engine::startBaselines(const protocol::DeviceInfo& device)
{
    const BaselinesJob& job = std::get<BaselinesJob>(m_batchJob);
    batch::Options options;
    options.kind = "baselines";
    options.device = device;
    options.precision = job.precision;
    options.preset = job.preset;
    options.buildLimit_s = baselines::buildLimit_s;
    options.selection = job.task.id.value;
    const auto kinds = baselines::choose({}, device.name.starts_with("cuda"));
    if (!kinds)
        return kinds.error();
    const std::vector<store::TaskRecord> tasks{job.task};
    const auto rows = baselines::rowsOf(*m_project, tasks, *kinds, {device.model, options.precision, options.preset});
    if (!rows)
        return rows.error();
    const bool all = std::all_of(rows->begin(), rows->end(), [](const baselines::Row& row) { return row.found.has_value(); });
    const auto variants = baselines::prepare(*m_project, tasks, *rows, all, 0);
    if (!variants)
        return variants.error();
    const auto unfinished = batch::Session::unfinished(*m_project, options);
    if (!unfinished)
        return unfinished.error();
    judge(options, *variants, *unfinished);
    return {};
}

base::Status Engine::startAblation(const protocol::DeviceInfo& device)
{
    AblationJob& job = std::get<AblationJob>(m_batchJob);
    if (!job.variant.id) {
        if (const auto put = m_project->putTask(job.task); !put)
            return put.error();
        const auto added = m_project->addVariant(job.variant);
        if (!added)
            return added.error();
        job.variant.id = *added;
    }
    const auto plan = ablation::planFor(*m_project, job.variant.id, job.request.toggles, job.request.design, job.request.list);
    if (!plan)
        return plan.error();
    const ablation::Settings settings{device.name, device.model, job.precision, job.preset};
    const auto record = ablation::prepare(*m_project, *plan, settings);
    if (!record)
        return record.error();
    const auto rows = ablation::rowsOf(*m_project, *plan, settings);
    if (!rows)
        return rows.error();
    emit stored(m_job);
    batch::Options options;
    options.kind = ablation::runKind;
    options.device = device;
    options.precision = job.precision;
    options.preset = job.preset;
    options.selection = ablation::selectionOf(*record, job.request.again);
    const auto unfinished = batch::Session::unfinished(*m_project, options);
    if (!unfinished)
        return unfinished.error();
    // With `again`, what a stopped run has left is all that it was to do.
    const bool onlyRest = *unfinished && job.request.again;
    judge(options, onlyRest ? std::vector<base::VariantId>() : ablation::toJudge(*rows, job.request.again), *unfinished);
    return m_batch->run() ? m_project->setAblationRun(record->id, m_batch->run()) : base::Status();
}

void Engine::judge(const batch::Options& options, const std::vector<base::VariantId>& variants, const std::optional<store::RunRecord>& unfinished)
{
    m_batch = std::make_unique<batch::Session>(*m_project, evaluator());
    connect(m_batch.get(), &batch::Session::log, this, [this, job = m_job](const QString& line) { emit log(job, line); });
    connect(m_batch.get(), &batch::Session::progress, this, [this, job = m_job](const batch::Progress& now) {
        optimize::Progress out;
        out.done = now.done;
        out.planned = now.planned;
        out.fraction = now.fraction;
        out.secondsLeft = now.secondsLeft;
        out.text = now.text;
        emit progress(job, out);
    });
    connect(m_batch.get(), &batch::Session::evaluationStored, this, [this, job = m_job] { emit stored(job); });
    // Queued: the session may not be destroyed from within its own signal.
    connect(m_batch.get(), &batch::Session::finished, this, &Engine::finish, Qt::QueuedConnection);
    m_batch->start(options, variants, unfinished ? unfinished->id : base::RunId());
}

void Engine::takeEvaluation(const protocol::Evaluation& evaluation)
{
    if (evaluation.verdict == protocol::Verdict::Cancelled)
        return finish(store::RunState::Stopped, {});
    const auto id = m_project->addEvaluation(m_variant, evaluation);
    if (!id)
        return finish(store::RunState::Failed, QString::fromStdString(id.error().text()));
    emit stored(m_job);
    const QString line = QString::fromStdString(optimize::outcomeText(evaluation));
    emit log(m_job, line);
    finish(store::RunState::Finished, line);
}

/// A run that nobody stopped is left as a kill would leave it: running, and owned by no process. The next start offers it.
void Engine::cutOff()
{
    const base::RunId run = m_session && m_session->isRunning() && !m_stopping ? m_session->run() : base::RunId();
    m_session.reset();
    m_batch.reset(); // stopped: measuring again takes up what it has left
    if (!run)
        return;
    optimize::RunNotes notes = optimize::readNotes(*m_project, run);
    notes.owner.clear();
    const base::Status disowned = optimize::writeNotes(*m_project, run, notes);
    if (const base::Status left = m_project->setRunState(run, store::RunState::Running); !disowned || !left)
        emit failed((disowned ? left : disowned).error());
}

void Engine::stop(quint64 job)
{
    if (job != m_job || !job)
        return;
    m_stopping = true;
    if (m_session)
        m_session->stop();
    else if (m_batch)
        m_batch->stop();
    else if (m_request)
        m_evaluator->cancel(m_request);
}

void Engine::describe()
{
    if (!m_describe)
        m_describe = evaluator().describe();
}

void Engine::check(protocol::TaskSource task)
{
    if (m_check)
        return;
    m_checked = {};
    m_checked.task = std::move(task);
    m_checked.device = "meta";
    m_checked.seed = farm::freshSeed();
    m_check = evaluator().graph(m_checked);
}

void Engine::stopCheck()
{
    if (m_check)
        m_evaluator->cancel(m_check);
}

void Engine::traceShapes(const store::TaskRecord& task)
{
    if (m_shapes) {
        m_nextShapes = task;
        return;
    }
    if (!m_evaluator)
        describe(); // whether it fits is a matter of the device
    protocol::GraphRequest request;
    request.task = {task.id.value, task.source};
    request.device = "meta";
    request.seed = farm::freshSeed();
    m_shapesOf = QString::fromStdString(task.hash);
    m_shapes = evaluator().graph(request);
}

void Engine::keepShapes(const protocol::OperatorGraph& graph)
{
    // Between jobs there is no connection.
    auto own = m_project ? base::Result<std::unique_ptr<store::Project>>(nullptr) : store::Project::open(m_file.toStdString());
    const auto kept = own ? taskfacts::keepShapes(m_project ? *m_project : **own, m_shapesOf.toStdString(), graph) : base::Status(own.error());
    if (kept)
        emit shapesTraced(m_shapesOf);
    else
        emit shapesFailed(m_shapesOf, kept.error());
    endShapes();
}

void Engine::endShapes()
{
    m_shapes = 0;
    if (const auto next = std::exchange(m_nextShapes, std::nullopt))
        traceShapes(*next);
}

void Engine::finish(store::RunState state, const QString& message)
{
    const quint64 job = std::exchange(m_job, 0);
    m_request = 0;
    m_stopping = false;
    m_session.reset();
    m_batch.reset();
    m_timelines = {};
    m_recorded = 0;
    if (job)
        emit ended(job, state, message);
}

} // namespace cudal1::ui
