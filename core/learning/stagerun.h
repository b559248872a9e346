// SPDX-License-Identifier: GPL-3.0-or-later
// One stage of a training: opens the trainer, goes from batch to batch, and leaves a checkpoint.
#pragma once

#include "core/learning/batchmaker.h"
#include "core/learning/stageoptions.h"
#include "core/learning/steplog.h"
#include "core/learning/trainerclient.h"
#include "core/learning/traininglock.h"

#include <nlohmann/json.hpp>

#include <QObject>

#include <memory>
#include <optional>

namespace cudal1::learning {

/// Starts at the batch that the newest checkpoint of the folder has next (protocol::TrainingOpened::batch), so a
/// training that was stopped or killed goes on when it is started again. Each step is kept in the folder's StepLog. The
/// folder is locked from start() to the end of the object, so that two processes never train in one. Lives on one
/// thread with an event loop.
class StageRun : public QObject {
    Q_OBJECT
public:
    /// `maker` makes the batches and must outlive the run.
    StageRun(StageOptions options, BatchMaker& maker, farm::Launcher launcher = TrainerClient::standardLauncher(),
             QObject* parent = nullptr);
    ~StageRun() override;

    void start(); ///< once; `finished` follows
    /// Lets an update that is under way come to its end and writes a checkpoint; gives up what is only being sampled
    /// or judged, which the next start does again.
    void stop();
    TrainerClient& trainer() { return *m_trainer; } ///< for samples of the weights of now, once it is opened
    /// The newest checkpoint, a Hugging Face folder, once it has finished well.
    const std::string& checkpoint() const { return m_checkpoint; }
    bool isOver() const { return m_ended; } ///< `finished` was told

signals:
    void log(const QString& line); ///< for a person
    void opened(const cudal1::protocol::TrainingOpened& opened);
    /// One update, or one that was skipped: the fields of protocol::TrainingStep, and what the maker knows of it.
    void stepped(const nlohmann::json& line);
    /// No message: all steps are made. Cancelled: stopped.
    void finished(const cudal1::base::Error& error);

private:
    void next();
    void learn(MadeBatch batch);
    void learned(const nlohmann::json& step);
    void save(bool stopped);
    void say(const QString& line);
    void end(base::Error error = {});
    void note(const base::Status& written);

    const StageOptions m_options;
    BatchMaker& m_maker;
    std::unique_ptr<TrainingLock> m_lock; ///< goes after the trainer
    std::unique_ptr<TrainerClient> m_trainer;
    StepLog m_log;
    nlohmann::json m_facts;
    std::string m_checkpoint;
    int m_batch = 0; ///< that is made or learnt
    bool m_unsaved = false, m_learning = false, m_stopping = false, m_ended = false;
    bool m_begun = false; ///< a leg of the log
    bool m_noted = false; ///< that the log cannot be written
};

} // namespace cudal1::learning
