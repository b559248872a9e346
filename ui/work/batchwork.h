// SPDX-License-Identifier: GPL-3.0-or-later
// Jobs that judge a list of variants: baselines of a task, combinations of an ablation.
#pragma once

#include "core/batch/batchrun.h"
#include "ui/work/jobwork.h"

namespace cudal1::ui {

class BatchWork : public JobWork {
public:
    BatchWork(const Means& means, const Place& place);
    ~BatchWork() override;
    void start() final; ///< asks what the machine has first: results are of a device model
    void stop() final;

protected:
    /// Calls judge().
    virtual base::Status begin(const protocol::DeviceInfo& device) = 0;
    void judge(const batch::BatchOptions& options, const batch::Recipe& recipe);

    store::Project& m_project;
    batch::BatchRun m_session;

private:
    void takeMachine(const crew::JobOutcome& outcome);

    crew::Crew& m_crew;
    std::string m_device;
    crew::JobId m_described = 0;
    bool m_stopping = false;
};

class BaselinesWork : public BatchWork {
public:
    BaselinesWork(const Means& means, BaselinesJob job, const Place& place)
        : BatchWork(means, place), m_job(std::move(job))
    {
    }

private:
    base::Status begin(const protocol::DeviceInfo& device) override;

    BaselinesJob m_job;
};

class AblationWork : public BatchWork {
public:
    AblationWork(const Means& means, AblationJob job, const Place& place)
        : BatchWork(means, place), m_job(std::move(job))
    {
    }

private:
    base::Status begin(const protocol::DeviceInfo& device) override;

    AblationJob m_job;
};

} // namespace cudal1::ui
