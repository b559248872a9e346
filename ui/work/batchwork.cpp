// SPDX-License-Identifier: GPL-3.0-or-later
// Recipes as jobs.
#include "ui/work/batchwork.h"

#include "core/ablation/ablationrecipe.h"
#include "core/baselines/baselinerecipe.h"
#include "core/optimize/options.h"
#include "core/optimize/outcometext.h"

#include <algorithm>

namespace cudal1::ui {

using store::RunState;

BatchWork::BatchWork(const Means& means, const Place& place)
    : m_project(means.project), m_session(means.project, *means.crews.at(0)), m_crew(*means.crews.at(0)),
      m_device(optimize::deviceName(place.device.toStdString()))
{
    connect(&m_crew, &crew::Crew::done, this, [this](quint64 id, const crew::JobOutcome& outcome) {
        if (m_described && id == m_described)
            takeMachine(outcome);
    });
    connect(&m_session, &batch::BatchRun::log, this, &JobWork::log);
    connect(&m_session, &batch::BatchRun::progress, this, [this](const batch::BatchProgress& now) { tell(now); });
    connect(&m_session, &batch::BatchRun::evaluationStored, this, &JobWork::stored);
    connect(&m_session, &batch::BatchRun::finished, this, &JobWork::ended);
}

BatchWork::~BatchWork()
{
    if (m_described)
        m_crew.cancel(m_described);
}

void BatchWork::start()
{
    m_described = m_crew.submitFirst(crew::describing());
}

void BatchWork::stop()
{
    m_stopping = true;
    if (m_described)
        m_crew.cancel(m_described);
    else
        m_session.stop();
}

void BatchWork::takeMachine(const crew::JobOutcome& outcome)
{
    m_described = 0;
    if (m_stopping || outcome.kind == crew::JobOutcome::Kind::Cancelled)
        return emit ended(RunState::Stopped, {});
    if (outcome.kind != crew::JobOutcome::Kind::Answered)
        return fail(outcome.error);
    const auto& devices = std::get<protocol::Machine>(outcome.answer).devices;
    const auto device = std::find_if(devices.begin(), devices.end(),
                                     [this](const auto& one) { return one.name == m_device; });
    if (device == devices.end())
        return fail({base::ErrorCode::Unavailable, "This machine has no device " + m_device, {}, "Choose another one"});
    if (const base::Status begun = begin(*device); !begun)
        fail(begun.error());
}

void BatchWork::judge(const batch::BatchOptions& options, const batch::Recipe& recipe)
{
    m_session.start(options, recipe);
}

base::Status BaselinesWork::begin(const protocol::DeviceInfo& device)
{
    batch::BatchOptions options;
    options.kind = baselines::runKind;
    options.device = device;
    options.precision = m_job.precision;
    options.preset = m_job.preset;
    options.buildLimit_s = baselines::buildLimit_s;
    options.selection = m_job.task.id.value;
    const auto kinds = baselines::choose({}, device.name.starts_with("cuda"));
    if (!kinds)
        return kinds.error();
    const std::vector<store::TaskRecord> tasks{m_job.task};
    const auto rows = baselines::rowsOf(m_project, tasks, *kinds, {device.model, options.precision, options.preset});
    if (!rows)
        return rows.error();
    const bool all = std::all_of(rows->begin(), rows->end(),
                                 [](const baselines::BaselineRow& row) { return row.found.has_value(); });
    const auto recipe = baselines::recipeFor(m_project, tasks, *rows, options, all, 0);
    if (!recipe)
        return recipe.error();
    judge(options, *recipe);
    return {};
}

base::Status AblationWork::begin(const protocol::DeviceInfo& device)
{
    if (!m_job.variant.id) {
        if (const auto put = m_project.putTask(m_job.task); !put)
            return put.error();
        const auto added = m_project.addVariant(m_job.variant);
        if (!added)
            return added.error();
        m_job.variant.id = *added;
    }
    const auto plan = ablation::planFor(m_project, m_job.variant.id, m_job.request.toggles, m_job.request.design,
                                        m_job.request.list);
    if (!plan)
        return plan.error();
    const ablation::AblationSettings settings{device.name, device.model, m_job.precision, m_job.preset};
    const auto record = ablation::prepare(m_project, *plan, settings);
    if (!record)
        return record.error();
    const auto rows = ablation::rowsOf(m_project, *plan, settings);
    if (!rows)
        return rows.error();
    emit stored();
    batch::BatchOptions options;
    options.kind = ablation::runKind;
    options.device = device;
    options.precision = m_job.precision;
    options.preset = m_job.preset;
    const auto recipe = ablation::recipeFor(m_project, *record, *rows, options, m_job.request.again);
    if (!recipe)
        return recipe.error();
    judge(options, *recipe);
    return m_session.run() ? m_project.setAblationRun(record->id, m_session.run()) : base::Status();
}

} // namespace cudal1::ui
