// SPDX-License-Identifier: GPL-3.0-or-later
// What stands before the first step of a stage: its data, its record, the run that its samples are stored under, and
// how its programs are judged; and how that run ends.
#pragma once

#include "core/learning/replyjudge.h"
#include "core/learning/stageoptions.h"
#include "core/learning/trainingexamples.h"
#include "core/store/project.h"
#include "core/tasks/suite.h"

#include <string>
#include <vector>

namespace cudal1::learning {

inline constexpr const char* trainingRunKind = "train";

/// Stage 1: reads the examples and makes or compares the folder's record. InvalidArgument for examples of held-out
/// tasks (collect::heldOutAmong) and where the folder has another training; what readExamples() says of the file.
base::Result<LearnedData> startSupervised(const StageOptions& options, const std::string& dataFile,
                                          const tasks::Suite& bundled,
                                          const std::vector<store::TaskRecord>& heldOut = {});

/// Stages 2 and 3: the run that the samples of this training are stored under, made at its first start. InvalidArgument
/// where the folder has another training, or where its samples are in another project.
base::Result<base::RunId> startJudged(store::Project& project, const StageOptions& options,
                                      const std::vector<store::TaskRecord>& tasks);

/// How the programs of stages 2 and 3 are judged on `devices`, one or more of one model, and kept under `run`, as the
/// stage's options say. They are kept under a policy that is named after the folder of the training.
JudgeSettings judgeSettingsOf(const StageOptions& options, const std::vector<protocol::DeviceInfo>& devices,
                              base::RunId run);

/// Stores how the run of a judged stage has ended: finished with a checkpoint, stopped (Cancelled), or failed.
base::Status endJudged(store::Project& project, base::RunId run, const base::Result<std::string>& checkpoint);

/// Folders of trainings that the project has been told of, the newest first.
base::Result<std::vector<std::string>> knownTrainings(const store::Project& project);
base::Status rememberTraining(store::Project& project, const std::string& folder);
/// Tells a copy of a project of the trainings that lie beside the original file, since they stay where they are.
base::Status rememberTrainingsBeside(store::Project& copy, const std::string& original);

/// Those of `places` that are folders of trainings, and the folders within them that are; each once, the one that
/// was worked on last at the end.
std::vector<std::string> findTrainings(const std::vector<std::string>& places);

} // namespace cudal1::learning
