// SPDX-License-Identifier: GPL-3.0-or-later
// A training that is open: model, trainer and checkpoints, in each of its processes.
#pragma once

#include "core/protocol/training.h"
#include "core/training/trainer.h"
#include "core/training/trainingfolder.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cudal1::training {

/// Every process makes the same calls. Where one of them fails, all get an error.
class TrainingSession {
public:
    /// With checkpoints in `out` it goes on from the newest, or from the one that is named; newer ones than that are
    /// moved to `out`/undone. InvalidArgument for settings that make no sense, and what the model's files say.
    static base::Result<std::unique_ptr<TrainingSession>> open(const protocol::OpenTraining& asked,
                                                               Workgroup& workgroup);

    const protocol::TrainingOpened& opened() const { return m_opened; }
    const protocol::OpenTraining& settings() const { return m_asked; }
    TrainingModel& model() { return *m_model; }
    int step() const { return m_trainer->step(); }
    int batch() const { return m_trainer->batch(); }

    /// A checkpoint is written behind every `save_every`th batch, before the batch's last report is told.
    base::Result<void> sft(std::span<const Sequence> sequences, const protocol::SftRequest& settings,
                           const Trainer::Told& told);
    base::Result<void> grpo(const std::vector<ReplyGroup>& groups, const protocol::GrpoSettings& settings,
                            const Trainer::Told& told);
    base::Result<protocol::TrainingSaved> save(const protocol::SaveRequest& asked);

private:
    TrainingSession(const protocol::OpenTraining& asked, Workgroup& workgroup) : m_asked(asked), m_workgroup(workgroup)
    {
    }
    base::Result<void> begin();
    base::Result<void> tellLast(protocol::TrainingStep report, const Trainer::Told& told);

    protocol::OpenTraining m_asked;
    Workgroup& m_workgroup;
    protocol::TrainingOpened m_opened;
    std::unique_ptr<TrainingModel> m_model;
    std::unique_ptr<Trainer> m_trainer;
    std::uint64_t m_seed = 0;
};

} // namespace cudal1::training
