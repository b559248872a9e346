// SPDX-License-Identifier: GPL-3.0-or-later
// Submitting ahead, and outcomes that come early.
#include "core/optimize/evaluationqueue.h"

#include <algorithm>

namespace cudal1::optimize {

base::Status EvaluationQueue::submitAll(const JobOf& jobOf)
{
    for (const store::QueueItem& item : m_items) {
        if (m_jobs.contains(item.variant))
            continue;
        const auto variant = m_project.variant(item.variant);
        if (!variant)
            return variant.error();
        m_jobs[item.variant] = m_crew.submit(jobOf(*variant));
    }
    return {};
}

base::Result<EvaluationQueue::Turn> EvaluationQueue::beginTurn(const JobOf& jobOf)
{
    auto variant = m_project.variant(m_items.front().variant);
    if (!variant)
        return variant.error();
    if (const auto status = submitAll(jobOf); !status)
        return status.error();
    Turn out{std::move(*variant), m_jobs.extract(m_items.front().variant).mapped(), {}};
    if (auto known = m_early.extract(out.job))
        out.outcome = std::move(known.mapped());
    return out;
}

void EvaluationQueue::keepEarly(crew::JobId job, const crew::JobOutcome& outcome)
{
    if (std::any_of(m_jobs.begin(), m_jobs.end(), [job](const auto& one) { return one.second == job; }))
        m_early.emplace(job, outcome);
}

std::vector<crew::JobId> EvaluationQueue::waiting() const
{
    std::vector<crew::JobId> out;
    for (const auto& [variant, job] : m_jobs)
        out.push_back(job);
    return out;
}

void EvaluationQueue::clear()
{
    m_items.clear();
    m_jobs.clear();
    m_early.clear();
}

} // namespace cudal1::optimize
