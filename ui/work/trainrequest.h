// SPDX-License-Identifier: GPL-3.0-or-later
// Trainings as requests: of settings, or of one that a folder keeps.
#pragma once

#include "core/learning/stageoptions.h"
#include "ui/work/request.h"

namespace cudal1::ui {

class ProjectModel;
class RunChoice;

/// On the device, with the precision that is chosen. Stages 2 and 3 learn from the training split of the open suite, of
/// one level where it is not 0. InvalidArgument for wrong settings and for a project that is read only.
base::Result<JobRequest> trainRequest(const ProjectModel& project, const RunChoice& choice,
                                      learning::StageOptions options, const std::string& dataFile, int level);
/// Goes on with the training of a folder, with the tasks that it began with. NotFound and Unreadable of its record;
/// InvalidArgument where a task is not there any more.
base::Result<JobRequest> trainRequest(const ProjectModel& project, const RunChoice& choice, const QString& folder);
/// The example, in a folder beside the project's file.
JobRequest trainExampleRequest(const QString& folder);
/// Where the example of this project is: beside its file, or in the data folder where nothing can be written there.
QString exampleFolderOf(const ProjectModel& project);

} // namespace cudal1::ui
