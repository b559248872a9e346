// SPDX-License-Identifier: GPL-3.0-or-later
// Trainings as jobs: a stage by the library's own loop, and the example as the process `cudal1 train --example`.
#pragma once

#include "core/learning/judgedbatches.h"
#include "core/learning/stagerun.h"
#include "core/learning/supervisedbatches.h"
#include "ui/work/jobwork.h"

#include <memory>

class QProcess;
class QTimer;

namespace cudal1::ui {

/// One stage. The trainer is a process of its own; programs are judged by the evaluator of the place.
class TrainWork : public JobWork {
public:
    TrainWork(const Means& means, TrainJob job, const Place& place);
    ~TrainWork() override;
    void start() override; ///< stages 2 and 3 ask what the machine has first: rewards are of a device
    void stop() override;
    base::Status cutOff() override;

private:
    void takeMachine(const crew::JobOutcome& outcome);
    base::Status beginSupervised();
    base::Status beginJudged(const protocol::Machine& machine);
    void begin(std::unique_ptr<learning::BatchMaker> maker);
    void stepped(const nlohmann::json& line);
    void finish(const base::Error& error);

    store::Project& m_project;
    crew::Crew& m_crew;
    const TrainJob m_job;
    const std::string m_device;
    crew::JobId m_described = 0;
    base::RunId m_run; ///< of the project; none in stage 1
    std::unique_ptr<learning::ReplyJudge> m_judge;
    std::unique_ptr<learning::BatchMaker> m_maker;
    std::unique_ptr<learning::StageRun> m_stage; ///< goes before what it uses
    bool m_stopping = false;
    QElapsedTimer m_since; ///< the first step of this leg
    int m_first = -1;      ///< its batch
};

/// The three stages with a tiny model in a folder. Its evaluator and its project are its own.
class TrainExampleWork : public JobWork {
public:
    explicit TrainExampleWork(TrainExampleJob job);
    ~TrainExampleWork() override;
    void start() override;
    void stop() override; ///< as Ctrl+C does: the same job goes on later

private:
    void readLines();
    void ended();

    const TrainExampleJob m_job;
    QProcess* m_process;
    QTimer* m_kill;
    QByteArray m_errors;
    bool m_stopping = false;
};

} // namespace cudal1::ui
