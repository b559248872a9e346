// SPDX-License-Identifier: GPL-3.0-or-later
// Experiments as jobs.
#pragma once

#include "core/experiment/experimentrun.h"
#include "ui/work/gatheredtext.h"
#include "ui/work/jobwork.h"

namespace cudal1::ui {

class ExperimentWork : public JobWork {
public:
    ExperimentWork(const Means& means, ExperimentJob job, const Place& place);
    ~ExperimentWork() override;
    void start() override; ///< asks what the machine has first: results are of a device model
    void stop() override;
    base::Status cutOff() override;

private:
    void takeMachine(const crew::JobOutcome& outcome);

    ExperimentJob m_job;
    crew::Crew& m_crew;
    std::string m_device;
    experiment::ExperimentRun m_run;
    crew::JobId m_described = 0;
    bool m_stopping = false;
    GatheredText m_written; ///< of the reply that comes
};

} // namespace cudal1::ui
