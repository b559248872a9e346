// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the device, then makes the runs.
#include "ui/work/experimentwork.h"

#include "core/optimize/options.h"

namespace cudal1::ui {

using store::RunState;

ExperimentWork::ExperimentWork(const Means& means, ExperimentJob job, const Place& place)
    : m_job(std::move(job)), m_crew(*means.crews.at(0)), m_device(optimize::deviceName(place.device.toStdString())),
      m_run(means.project, m_crew, means.makeLibrary)
{
    m_job.record.evaluator = place.launcher.text().toStdString();
    connect(&m_crew, &crew::Crew::done, this, [this](quint64 id, const crew::JobOutcome& outcome) {
        if (m_described && id == m_described)
            takeMachine(outcome);
    });
    connect(&m_written, &GatheredText::gathered, this, &JobWork::partialReply);
    connect(&m_run, &experiment::ExperimentRun::partialReply, &m_written, &GatheredText::add);
    connect(&m_run, &experiment::ExperimentRun::log, this, [this](const QString& line) {
        m_written.flush(); // what was written came before
        emit log(line);
    });
    connect(&m_run, &experiment::ExperimentRun::progress, this,
            [this](const experiment::ExperimentProgress& now) { tell(now); });
    connect(&m_run, &experiment::ExperimentRun::stored, this, &JobWork::stored);
    connect(&m_run, &experiment::ExperimentRun::finished, this, [this](RunState state, const QString& message) {
        m_written.flush();
        emit ended(state, message);
    });
}

ExperimentWork::~ExperimentWork()
{
    if (m_described)
        m_crew.cancel(m_described);
}

void ExperimentWork::start()
{
    m_described = m_crew.submitFirst(crew::describing());
}

void ExperimentWork::stop()
{
    m_stopping = true;
    if (m_described)
        m_crew.cancel(m_described);
    else
        m_run.stop();
}

base::Status ExperimentWork::cutOff()
{
    return m_run.isRunning() ? m_run.cutOff() : base::Status();
}

void ExperimentWork::takeMachine(const crew::JobOutcome& outcome)
{
    m_described = 0;
    if (m_stopping || outcome.kind == crew::JobOutcome::Kind::Cancelled)
        return emit ended(RunState::Stopped, {});
    if (outcome.kind != crew::JobOutcome::Kind::Answered)
        return fail(outcome.error);
    const auto device = optimize::deviceOf(std::get<protocol::Machine>(outcome.answer), m_device);
    if (!device)
        return fail(device.error());
    if (m_job.record.id && m_job.record.deviceModel != device->model)
        return fail({base::ErrorCode::Unavailable,
                     "The experiment was begun on " + m_job.record.deviceModel + ", and " + m_device + " is now " +
                         device->model,
                     {},
                     "Open its file again, which begins it anew on this device"});
    m_job.record.device = device->name;
    m_job.record.deviceModel = device->model;
    m_run.start(m_job.record, m_job.tasks);
}

} // namespace cudal1::ui
