// SPDX-License-Identifier: GPL-3.0-or-later
// Reads what the page of trainings shows, on a worker with a connection of its own. Values in, const values out.
#pragma once

#include "core/learning/checkpoints.h"
#include "core/learning/stagerecord.h"
#include "core/learning/steplog.h"

#include <QString>
#include <QStringList>

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace cudal1::ui {

struct TrainingEntry {
    QString folder;
    QString name; ///< "train-example/sft"
    learning::StageOptions options;
    learning::StageRecord record;
    learning::LoggedSteps log;
    std::vector<learning::CheckpointFacts> checkpoints; ///< the oldest first
    QString trouble;                                    ///< what cannot be read of it

    bool isFinished() const { return log.end == learning::LegEnd::Finished && log.nextBatch() >= options.steps; }
    const learning::CheckpointFacts* newest() const { return checkpoints.empty() ? nullptr : &checkpoints.back(); }
};

/// The replies to one prompt.
struct TrainingGroup {
    int batch = 0; ///< from 0
    base::TaskId task;
    int shown = 0; ///< exemplars in its prompt
    std::vector<optimize::SampleFacts> replies;
    std::vector<std::optional<double>> advantages; ///< by equation 4; none in stage 2

    int correct() const;
    std::optional<double> meanReward() const; ///< of replies that have one
    std::optional<double> deviation() const;  ///< with n - 1; none for fewer than two rewards
};

struct TrainingsView {
    std::vector<TrainingEntry> all;         ///< the one that was worked on last at the end
    std::array<int, 3> ofStage{-1, -1, -1}; ///< the one of each stage that its card shows; -1: none
    int shown = -1;                         ///< whose curves and groups are shown
    QString groupsProject;                  ///< the project file that has the samples of what is shown
    std::vector<TrainingGroup> groups;      ///< newest batch first
    std::vector<learning::ComparedPolicy> compared;
    int learntTasks = 0; ///< that any training learns from

    const TrainingEntry* entry() const { return shown < 0 ? nullptr : &all[std::size_t(shown)]; }
    const TrainingEntry* at(learning::Stage stage) const
    {
        const int found = ofStage[std::size_t(stage)];
        return found < 0 ? nullptr : &all[std::size_t(found)];
    }
};

struct TrainingsQuestion {
    QString project;               ///< that is open; may be empty
    QStringList places;            ///< folders that were opened by hand, or where trainings of this window are
    std::array<QString, 3> chosen; ///< folders, by stage; empty: the newest, or the one that led to a later stage
    std::optional<learning::Stage> stage; ///< that is shown; none: the one that runs, else the last
};
base::Result<std::shared_ptr<const TrainingsView>> loadTrainings(const TrainingsQuestion& question);

/// "Supervised fine-tuning", "Self-supervised", "Contrastive".
QString stageTitle(learning::Stage stage);

} // namespace cudal1::ui
