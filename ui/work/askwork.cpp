// SPDX-License-Identifier: GPL-3.0-or-later
// Single requests as jobs.
#include "ui/work/askwork.h"

#include "core/baselines/baselinekinds.h"
#include "core/optimize/options.h"
#include "core/optimize/outcometext.h"

namespace cudal1::ui {

using store::RunState;

AskWork::AskWork(const Means& means, const Place& place)
    : m_project(means.project), m_device(optimize::deviceName(place.device.toStdString())), m_crew(*means.crews.at(0))
{
    connect(&m_crew, &crew::Crew::log, this, &JobWork::log);
    connect(&m_crew, &crew::Crew::done, this, [this](quint64 id, const crew::JobOutcome& outcome) {
        if (m_asked && id == m_asked)
            takeOutcome(outcome);
    });
    connect(&m_crew, &crew::Crew::progress, this, [this](quint64 id, const protocol::Progress& seen) {
        if (!m_asked || id != m_asked)
            return;
        optimize::SearchProgress out;
        std::tie(out.done, out.planned) = doneOf();
        out.fraction = (out.done + seen.fraction) / out.planned;
        out.text = seen.text.empty() ? seen.phase : seen.phase + ": " + seen.text;
        emit progress(out);
    });
}

AskWork::~AskWork()
{
    if (m_asked)
        m_crew.cancel(m_asked); // where it is measured is free for another job
}

void AskWork::ask(farm::Request request, const std::string& name)
{
    m_asked = m_crew.submit({std::move(request), name, false, {}, true});
}

void AskWork::stop()
{
    m_stopping = true;
    m_crew.cancel(m_asked);
}

void AskWork::takeOutcome(const crew::JobOutcome& outcome)
{
    m_asked = 0;
    if (outcome.kind == crew::JobOutcome::Kind::Answered)
        take(outcome.answer);
    else if (outcome.kind == crew::JobOutcome::Kind::Cancelled)
        emit ended(RunState::Stopped, {});
    else
        fail(outcome.error);
}

template<class Request, class Job> Request AskWork::requestOf(const Job& job) const
{
    Request request;
    request.task = {job.task.id.value, job.task.source};
    request.candidate = job.variant.source;
    request.candidateName = "variant_" + std::to_string(job.variant.id.value) + ".py";
    request.device = m_device;
    request.precision = job.precision;
    return request;
}

void EvaluateWork::start()
{
    if (!m_job.variant.id) {
        if (const auto put = m_project.putTask(m_job.task); !put)
            return fail(put.error());
        const auto added = m_project.addVariant(m_job.variant);
        if (!added)
            return fail(added.error());
        m_job.variant.id = *added;
        emit stored();
    }
    auto request = requestOf<protocol::EvaluateRequest>(m_job);
    request.preset = m_job.preset;
    if (!m_job.variant.baseline.empty())
        request.buildLimit_s = baselines::buildLimit_s;
    ask(std::move(request), "variant " + std::to_string(m_job.variant.id.value));
}

void EvaluateWork::take(const farm::Answer& answer)
{
    const auto& evaluation = *std::get<std::shared_ptr<const protocol::Evaluation>>(answer);
    const auto id = m_project.addEvaluation(m_job.variant.id, evaluation);
    if (!id)
        return fail(id.error());
    emit stored();
    const QString line = QString::fromStdString(optimize::outcomeText(evaluation));
    emit log(line);
    emit ended(RunState::Finished, line);
}

void TimelineWork::start()
{
    if (const auto put = m_project.putTask(m_job.task); !put)
        return fail(put.error());
    askNext();
}

void TimelineWork::askNext()
{
    protocol::TimelineRequest request;
    request.task = {m_job.task.id.value, m_job.task.source};
    if (!m_job.variants.empty()) {
        const store::VariantRecord& variant = m_job.variants[m_recorded];
        request.candidate = variant.source;
        request.candidateName = "variant " + std::to_string(variant.id.value);
    }
    request.device = m_device;
    request.precision = m_job.precision;
    ask(request, m_job.variants.empty() ? "the reference" : request.candidateName);
}

void TimelineWork::take(const farm::Answer& answer)
{
    const bool ofVariant = m_recorded < m_job.variants.size();
    const auto id = m_project.addTimeline(m_job.task.id, ofVariant ? m_job.variants[m_recorded].id : base::VariantId(),
                                          *std::get<std::shared_ptr<const protocol::TimelineAnswer>>(answer));
    if (!id)
        return fail(id.error());
    emit stored();
    emit log(ofVariant ? tr("Recorded the reference and variant %1").arg(m_job.variants[m_recorded].id.value)
                       : tr("Recorded the reference"));
    if (++m_recorded < m_job.variants.size())
        return m_stopping ? emit ended(RunState::Stopped, {}) : askNext();
    emit ended(RunState::Finished, {});
}

void KernelsWork::start()
{
    ask(requestOf<protocol::KernelsRequest>(m_job), "the kernels of variant " + std::to_string(m_job.variant.id.value));
}

void KernelsWork::take(const farm::Answer& answer)
{
    const auto& kernels = *std::get<std::shared_ptr<const protocol::Kernels>>(answer);
    if (const base::Status kept = m_project.putKernels(m_job.variant.id, kernels); !kept)
        return fail(kept.error());
    emit stored();
    for (const std::string& note : kernels.notes)
        emit log(QString::fromStdString(note));
    emit ended(RunState::Finished,
               kernels.modules.size() == 1 ? tr("1 module") : tr("%1 modules").arg(kernels.modules.size()));
}

void CountersWork::start()
{
    ask(requestOf<protocol::CountersRequest>(m_job),
        "the counters of variant " + std::to_string(m_job.variant.id.value));
}

void CountersWork::take(const farm::Answer& answer)
{
    const auto& counters = *std::get<std::shared_ptr<const protocol::Counters>>(answer);
    if (const base::Status kept = m_project.putCounters(m_job.task.id, m_job.variant.id, counters); !kept)
        return fail(kept.error());
    emit stored();
    if (!counters.reason.empty())
        emit log(QString::fromStdString(counters.reason));
    emit ended(RunState::Finished, counters.source == protocol::CounterSource::Static
                                       ? tr("Launches and times alone")
                                       : QString::fromStdString(counters.tool));
}

} // namespace cudal1::ui
