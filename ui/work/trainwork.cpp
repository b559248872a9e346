// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the device and the data, then lets the stage run.
#include "ui/work/trainwork.h"

#include "core/language/templatefolders.h"
#include "core/learning/trainingstart.h"
#include "core/optimize/options.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>
#include <QTimer>

#include <chrono>

namespace cudal1::ui {

using base::Error;
using base::ErrorCode;
using learning::Stage;
using store::RunState;

namespace {

/// How long the example may take to end by itself, since an update and a checkpoint come to their end first.
constexpr auto patience = std::chrono::seconds(20);

} // namespace

TrainWork::TrainWork(const Means& means, TrainJob job, const Place& place)
    : m_project(means.project), m_crew(*means.crews.at(0)), m_job(std::move(job)),
      m_device(optimize::deviceName(place.device.toStdString()))
{
    connect(&m_crew, &crew::Crew::done, this, [this](quint64 id, const crew::JobOutcome& outcome) {
        if (m_described && id == m_described)
            takeMachine(outcome);
    });
}

TrainWork::~TrainWork()
{
    if (m_described)
        m_crew.cancel(m_described);
    m_stage.reset();
    m_maker.reset();
}

void TrainWork::start()
{
    if (m_job.options.stage != Stage::Supervised) {
        m_described = m_crew.submitFirst(crew::describing());
        return;
    }
    if (const base::Status begun = beginSupervised(); !begun)
        fail(begun.error());
}

void TrainWork::stop()
{
    m_stopping = true;
    if (m_described)
        m_crew.cancel(m_described);
    else if (m_stage)
        m_stage->stop();
}

/// The record says "running" until the next start finds out that it is not; the log of steps has an end.
base::Status TrainWork::cutOff()
{
    m_stage.reset();
    return m_run ? m_project.setRunState(m_run, RunState::Stopped) : base::Status();
}

void TrainWork::takeMachine(const crew::JobOutcome& outcome)
{
    m_described = 0;
    if (m_stopping || outcome.kind == crew::JobOutcome::Kind::Cancelled)
        return emit ended(RunState::Stopped, {});
    if (outcome.kind != crew::JobOutcome::Kind::Answered)
        return fail(outcome.error);
    if (const base::Status begun = beginJudged(std::get<protocol::Machine>(outcome.answer)); !begun)
        fail(begun.error());
}

base::Status TrainWork::beginSupervised()
{
    const auto folder = tasks::bundledSuite(QCoreApplication::applicationDirPath().toStdString());
    const auto bundled = folder ? tasks::readSuite(*folder) : base::Result<tasks::Suite>(folder.error());
    if (!bundled)
        return bundled.error();
    auto data = learning::startSupervised(m_job.options, m_job.dataFile, *bundled);
    if (!data)
        return data.error();
    begin(std::make_unique<learning::SupervisedBatches>(std::move(data->examples), m_job.options.batch,
                                                        m_job.options.seed));
    return {};
}

base::Status TrainWork::beginJudged(const protocol::Machine& machine)
{
    if (m_job.tasks.empty())
        return Error{
            ErrorCode::NotFound, "There is no task to learn from", {}, "Open a suite with tasks to learn from"};
    const auto device = optimize::deviceOf(machine, m_device);
    if (!device)
        return device.error();
    const auto templates = language::readTemplates();
    if (!templates)
        return templates.error();
    const auto run = learning::startJudged(m_project, m_job.options, m_job.tasks);
    if (!run)
        return run.error();
    m_run = *run;
    m_judge = std::make_unique<learning::ReplyJudge>(m_project, m_crew,
                                                     learning::judgeSettingsOf(m_job.options, {*device}, m_run));
    begin(std::make_unique<learning::JudgedBatches>(m_job.options, m_job.tasks, learning::Asking{machine, *templates},
                                                    m_project, *m_judge));
    return {};
}

void TrainWork::begin(std::unique_ptr<learning::BatchMaker> maker)
{
    m_maker = std::move(maker);
    m_stage = std::make_unique<learning::StageRun>(m_job.options, *m_maker);
    connect(m_stage.get(), &learning::StageRun::log, this, &JobWork::log);
    connect(m_stage.get(), &learning::StageRun::opened, this, [this](const protocol::TrainingOpened& opened) {
        optimize::SearchProgress now;
        now.done = opened.batch;
        now.planned = m_job.options.steps;
        now.text = "first batch";
        emit log(tr("%1 parameters on %2, %3")
                     .arg(opened.parameters)
                     .arg(QString::fromStdString(opened.device), QString::fromStdString(opened.numbers)));
        emit progress(now);
        emit stored();
    });
    connect(m_stage.get(), &learning::StageRun::stepped, this, &TrainWork::stepped);
    connect(m_stage.get(), &learning::StageRun::finished, this, &TrainWork::finish, Qt::QueuedConnection);
    emit log(tr("The trainer is started; reading the model may take a while."));
    m_stage->start();
}

void TrainWork::stepped(const nlohmann::json& line)
{
    const int batch = line.value("batch", 0), done = batch + 1;
    if (m_first < 0) {
        m_first = batch;
        m_since.start();
    }
    optimize::SearchProgress now;
    now.done = done;
    now.planned = m_job.options.steps;
    now.fraction = double(done) / std::max(1, m_job.options.steps);
    if (done > m_first + 1)
        now.secondsLeft = m_since.elapsed() / 1e3 / (batch - m_first) * (m_job.options.steps - done);
    const std::string skipped = line.value("skipped", "");
    now.text = "step " + std::to_string(done) + " of " + std::to_string(m_job.options.steps) +
               (skipped.empty() ? "" : ", skipped: " + skipped);
    emit progress(now);
    emit stored();
}

void TrainWork::finish(const Error& error)
{
    const RunState state = error.message.empty()              ? RunState::Finished
                         : error.code == ErrorCode::Cancelled ? RunState::Stopped
                                                              : RunState::Failed;
    const QString message = state == RunState::Failed ? QString::fromStdString(error.text()) : QString();
    if (m_run)
        if (const auto status = m_project.setRunState(m_run, state, message.toStdString()); !status)
            return fail(status.error());
    if (state == RunState::Finished)
        emit log(tr("checkpoint: %1").arg(QString::fromStdString(m_stage->checkpoint())));
    emit ended(state, message);
}

TrainExampleWork::TrainExampleWork(TrainExampleJob job)
    : m_job(std::move(job)), m_process(new QProcess(this)), m_kill(new QTimer(this))
{
    m_kill->setSingleShot(true);
    m_kill->setInterval(patience);
    connect(m_kill, &QTimer::timeout, m_process, &QProcess::kill);
    connect(m_process, &QProcess::readyReadStandardOutput, this, &TrainExampleWork::readLines);
    connect(m_process, &QProcess::readyReadStandardError, this,
            [this] { m_errors = (m_errors + m_process->readAllStandardError()).right(16'384); });
    connect(m_process, &QProcess::finished, this, &TrainExampleWork::ended);
    connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            fail({ErrorCode::Unavailable, "cudal1 could not be started: " + m_process->errorString().toStdString(),
                  m_process->program().toStdString(), "Install it beside the workbench"});
    });
}

TrainExampleWork::~TrainExampleWork()
{
    m_process->disconnect(this);
    if (m_process->state() == QProcess::NotRunning)
        return;
    m_process->terminate();
    if (!m_process->waitForFinished(2000)) {
        m_process->kill();
        m_process->waitForFinished(1000);
    }
}

void TrainExampleWork::start()
{
    QDir().mkpath(m_job.folder);
    const QString beside = QDir(QCoreApplication::applicationDirPath()).filePath(QStringLiteral("cudal1"));
    const QString program = QFileInfo(beside).isExecutable() ? beside
                                                             : QStandardPaths::findExecutable(QStringLiteral("cudal1"));
    m_process->start(program.isEmpty() ? beside : program,
                     {QStringLiteral("train"), QStringLiteral("--example"), QStringLiteral("--json"),
                      QStringLiteral("--out"), m_job.folder});
    optimize::SearchProgress now;
    now.text = "judging the example's programs";
    emit progress(now);
}

void TrainExampleWork::stop()
{
    m_stopping = true;
    m_process->terminate();
    m_kill->start();
}

void TrainExampleWork::readLines()
{
    while (m_process->canReadLine()) {
        const QByteArray bytes = m_process->readLine();
        const auto line = nlohmann::json::parse(bytes.begin(), bytes.end(), nullptr, false);
        if (!line.is_object() || !line.contains("batch"))
            continue;
        const std::string stage = line.value("stage", "");
        const int done = line.value("batch", 0) + 1, steps = std::max(1, line.value("steps", 1));
        const auto which = learning::stageFromText(stage);
        optimize::SearchProgress now;
        now.done = done;
        now.planned = steps;
        now.fraction = (int(which.value_or(Stage::Supervised)) + double(done) / steps) / 3;
        now.text = stage + ": step " + std::to_string(done) + " of " + std::to_string(steps);
        emit progress(now);
        emit stored();
    }
}

void TrainExampleWork::ended()
{
    m_kill->stop();
    readLines();
    if (m_stopping)
        return emit JobWork::ended(RunState::Stopped, {});
    if (m_process->exitStatus() == QProcess::NormalExit && m_process->exitCode() == 0)
        return emit JobWork::ended(RunState::Finished, {});
    const QString words = QString::fromUtf8(m_errors).trimmed();
    emit JobWork::ended(RunState::Failed, words.isEmpty() ? tr("cudal1 ended without a word") : words);
}

} // namespace cudal1::ui
