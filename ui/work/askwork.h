// SPDX-License-Identifier: GPL-3.0-or-later
// Jobs that are one request to the evaluator, or a few one after another: a variant judged, timelines, kernels,
// counters.
#pragma once

#include "ui/work/jobwork.h"

namespace cudal1::ui {

class AskWork : public JobWork {
public:
    AskWork(const Means& means, const Place& place);
    ~AskWork() override;
    void stop() final;

protected:
    void ask(farm::Request request, const std::string& name);
    /// About the job's variant, on this device.
    template<class Request, class Job> Request requestOf(const Job& job) const;
    virtual void take(const farm::Answer& answer) = 0;
    /// Of several requests: how many are done, and how many there are.
    virtual std::pair<int, int> doneOf() const { return {0, 1}; }

    store::Project& m_project;
    std::string m_device;
    bool m_stopping = false;

private:
    void takeOutcome(const crew::JobOutcome& outcome);

    crew::Crew& m_crew;
    crew::JobId m_asked = 0;
};

class EvaluateWork : public AskWork {
public:
    EvaluateWork(const Means& means, EvaluateJob job, const Place& place) : AskWork(means, place), m_job(std::move(job))
    {
    }
    void start() override;

private:
    void take(const farm::Answer& answer) override;

    EvaluateJob m_job;
};

class TimelineWork : public AskWork {
public:
    TimelineWork(const Means& means, TimelineJob job, const Place& place) : AskWork(means, place), m_job(std::move(job))
    {
    }
    void start() override;

private:
    void askNext();
    void take(const farm::Answer& answer) override;
    std::pair<int, int> doneOf() const override { return {int(m_recorded), std::max(1, int(m_job.variants.size()))}; }

    TimelineJob m_job;
    std::size_t m_recorded = 0;
};

class KernelsWork : public AskWork {
public:
    KernelsWork(const Means& means, KernelsJob job, const Place& place) : AskWork(means, place), m_job(std::move(job))
    {
    }
    void start() override;

private:
    void take(const farm::Answer& answer) override;

    KernelsJob m_job;
};

class CountersWork : public AskWork {
public:
    CountersWork(const Means& means, CountersJob job, const Place& place) : AskWork(means, place), m_job(std::move(job))
    {
    }
    void start() override;

private:
    void take(const farm::Answer& answer) override;

    CountersJob m_job;
};

} // namespace cudal1::ui
