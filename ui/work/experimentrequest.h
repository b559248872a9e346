// SPDX-License-Identifier: GPL-3.0-or-later
// Experiments as requests: of a file, or of one that the project keeps.
#pragma once

#include "ui/work/request.h"

namespace cudal1::ui {

class ProjectModel;
class RunChoice;

/// Reads the file of an experiment, as `cudal1 experiment` does, for the device, precision and preset that are chosen.
/// NotFound and Unreadable for the file, InvalidArgument for what stands in it, NotFound where no task fits.
base::Result<JobRequest> experimentRequest(const ProjectModel& project, const RunChoice& choice, const QString& file);
/// Goes on where and how it was begun. InvalidArgument where the text of a task has changed since.
base::Result<JobRequest> experimentRequest(const ProjectModel& project, const experiment::ExperimentRecord& record);

} // namespace cudal1::ui
