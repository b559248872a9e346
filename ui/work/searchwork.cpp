// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions and campaigns as jobs.
#include "ui/work/searchwork.h"

#include "core/optimize/options.h"

#include <algorithm>

namespace cudal1::ui {

using store::RunState;

OptimizeWork::OptimizeWork(Means means, OptimizeJob job) : m_means(std::move(means)), m_job(std::move(job))
{
    connect(&m_written, &GatheredText::gathered, this, &JobWork::partialReply);
}

void OptimizeWork::makeSession()
{
    m_session = std::make_unique<optimize::Search>(m_means.project, *m_means.crews.at(0), *m_policy);
    connect(m_session.get(), &optimize::Search::log, this, [this](const QString& line) {
        m_written.flush(); // what was written came before
        emit log(line);
    });
    connect(m_session.get(), &optimize::Search::partialReply, &m_written, &GatheredText::add);
    connect(m_session.get(), &optimize::Search::progress, this, &JobWork::progress);
    connect(m_session.get(), &optimize::Search::variantProposed, this, &JobWork::stored);
    connect(m_session.get(), &optimize::Search::evaluationStored, this, &JobWork::stored);
    connect(m_session.get(), &optimize::Search::declined, this, [this](const std::vector<policy::Declined>& declined) {
        for (const policy::Declined& one : declined)
            emit log(
                tr("Not used: %1. %2").arg(QString::fromStdString(one.technique), QString::fromStdString(one.why)));
    });
    connect(m_session.get(), &optimize::Search::finished, this, [this](RunState state, const QString& message) {
        m_written.flush();
        emit ended(state, message);
    });
}

void OptimizeWork::start()
{
    m_sources.run = std::make_shared<models::RunLedgers>();
    auto policy = m_job.policies.make(m_means.makeLibrary, m_sources);
    if (!policy)
        return fail(policy.error());
    m_policy = std::move(*policy);
    makeSession();
    begin();
    if (m_session->run() && !m_job.policies.methodText().empty()) // limits go on counting where the run goes on
        m_spending.emplace(m_means.project, models::spendingKey(m_session->run()), m_sources.run);
}

void OptimizeWork::begin()
{
    if (m_job.resume) {
        const auto runs = m_means.project.runs();
        if (!runs)
            return fail(runs.error());
        for (const store::RunRecord& run : *runs)
            if (run.id == m_job.resume && run.state != RunState::Finished && !optimize::isRunning(m_means.project, run))
                return m_session->resume(m_job.resume);
    }
    const auto unfinished = optimize::unfinishedRun(m_means.project, m_job.options, m_policy->name());
    if (unfinished && *unfinished) {
        const auto waiting = m_means.project.queue((*unfinished)->id);
        if (waiting && !waiting->empty()) {
            emit log(tr("Going on with an earlier run that was not finished"));
            return m_session->resume((*unfinished)->id);
        }
    }
    m_session->start(m_job.options);
}

void OptimizeWork::stop()
{
    m_stopped = true;
    if (m_session)
        m_session->stop();
}

base::Status OptimizeWork::cutOff()
{
    const base::RunId run = m_session && m_session->isRunning() && !m_stopped ? m_session->run() : base::RunId();
    m_session.reset();
    return run ? optimize::leaveRunning(m_means.project, run) : base::Status();
}

OptimizeManyWork::OptimizeManyWork(Means means, OptimizeManyJob job, std::vector<Place> places)
    : m_means(std::move(means)), m_job(std::move(job)), m_places(std::move(places)),
      m_campaign(std::make_unique<optimize::Campaign>(
          m_means.project, [this] { return m_job.policies.makeOrFail(m_means.makeLibrary, m_sources); }))
{
    connect(m_campaign.get(), &optimize::Campaign::partialReply, this, &OptimizeManyWork::write);
    connect(m_campaign.get(), &optimize::Campaign::log, this, [this](const QString& line) {
        flush(); // what was written came before
        emit log(line);
        emit stored(); // a line is of something that was committed, or soon will be
    });
    connect(m_campaign.get(), &optimize::Campaign::progress, this,
            [this](const optimize::CampaignProgress& now) { tell(now); });
    connect(m_campaign.get(), &optimize::Campaign::finished, this, [this](RunState state) {
        flush();
        const auto& results = m_campaign->results();
        const auto failed = std::count_if(results.begin(), results.end(),
                                          [](const auto& one) { return one.state == RunState::Failed; });
        emit ended(state, state == RunState::Failed ? QString::fromStdString(m_campaign->error().text())
                          : failed > 0
                              ? tr("%1 of %2 searches failed; the log says why").arg(failed).arg(results.size())
                              : QString());
    });
}

void OptimizeManyWork::write(const base::TaskId& task, const QString& text)
{
    const auto [place, isNew] = m_written.try_emplace(task);
    if (isNew)
        connect(&place->second, &GatheredText::gathered, this,
                [this, task](const QString& gathered) { emit partialReplyOf(task, gathered); });
    place->second.add(text);
}

void OptimizeManyWork::flush()
{
    for (auto& [task, written] : m_written)
        written.flush();
}

void OptimizeManyWork::start()
{
    if (const auto one = m_job.policies.make(m_means.makeLibrary); !one)
        return fail(one.error()); // before anything is started
    std::vector<optimize::SearchPlace> places;
    for (std::size_t i = 0; i < m_places.size(); ++i) {
        places.push_back(searchPlace(m_places[i]));
        places.back().crew = m_means.crews.at(i);
    }
    m_sources.run = std::make_shared<models::RunLedgers>();
    if (!m_job.policies.methodText().empty())
        m_spending.emplace(
            m_means.project,
            models::spendingKey(optimize::campaignKey(m_job.options, m_job.policies.namesText(), m_job.tasks)),
            m_sources.run, m_job.fresh);
    m_campaign->start(m_job.options, m_job.tasks, places, m_job.fresh);
}

base::Status OptimizeManyWork::cutOff()
{
    const std::vector<base::RunId> runs = m_stopped ? std::vector<base::RunId>() : m_campaign->runs();
    m_campaign.reset();
    base::Status out;
    for (const base::RunId run : runs)
        if (const base::Status left = optimize::leaveRunning(m_means.project, run); !left)
            out = left;
    return out;
}

} // namespace cudal1::ui
