// SPDX-License-Identifier: GPL-3.0-or-later
// Settings, tasks and place of a training.
#include "ui/work/trainrequest.h"

#include "core/learning/stagerecord.h"
#include "core/tasks/split.h"
#include "ui/work/projectmodel.h"
#include "ui/work/runchoice.h"

#include <QDir>
#include <QFileInfo>

namespace cudal1::ui {

using base::Error;
using base::ErrorCode;
using learning::Stage;

base::Result<JobRequest> trainRequest(const ProjectModel& project, const RunChoice& choice,
                                      learning::StageOptions options, const std::string& dataFile, int level)
{
    options.precision = choice.precision();
    if (!options.model.empty()) // as `cudal1 train` has it: a record's relative paths are from its own folder
        options.model = QFileInfo(QString::fromStdString(options.model)).absoluteFilePath().toStdString();
    if (const base::Status status = learning::check(options); !status)
        return status.error();
    TrainJob job{std::move(options), {}, dataFile};
    if (job.options.stage == Stage::Supervised) {
        if (dataFile.empty())
            return Error{
                ErrorCode::InvalidArgument, "The data set is missing", {}, "Choose a file that `cudal1 collect` wrote"};
        return JobRequest{{choice.place()}, std::move(job)};
    }
    if (project.isReadOnly())
        return Error{ErrorCode::InvalidArgument, "Samples are stored in the project, which is read only",
                     project.path().toStdString(), "Open a project that can be written"};
    std::vector<base::TaskId> ids;
    for (const TaskEntry& entry : *project.tasks())
        if (entry.inSuite && (level == 0 || entry.level == level) &&
            tasks::splitOf(entry.level, entry.id) == tasks::Split::Train)
            ids.push_back(entry.id);
    if (ids.empty())
        return Error{ErrorCode::NotFound,
                     "The open suite has no task to learn from",
                     {},
                     "Open a suite, or choose another level"};
    auto records = project.taskRecords(ids);
    if (!records)
        return records.error();
    job.tasks = std::move(*records);
    return JobRequest{{choice.place()}, std::move(job)};
}

base::Result<JobRequest> trainRequest(const ProjectModel& project, const RunChoice& choice, const QString& folder)
{
    auto found = learning::findRecord(folder.toStdString());
    if (!found)
        return found.error();
    TrainJob job{std::move(found->options), {}, found->record.dataFile};
    if (job.options.stage != Stage::Supervised) {
        if (QFileInfo(QString::fromStdString(found->record.project)).canonicalFilePath() !=
            QFileInfo(project.path()).canonicalFilePath())
            return Error{ErrorCode::InvalidArgument, "The samples of this training are in another project",
                         found->record.project, "Open that project first"};
        auto records = project.taskRecords(found->record.tasks);
        if (!records)
            return records.error();
        job.tasks = std::move(*records);
    } else if (job.dataFile.empty())
        return Error{ErrorCode::InvalidArgument, "This training does not learn from a file of examples",
                     folder.toStdString(), "Go on with it as it was begun, for example by `cudal1 train --example`"};
    return JobRequest{{choice.place()}, std::move(job)};
}

JobRequest trainExampleRequest(const QString& folder)
{
    return {{Place{{}, QStringLiteral("cpu"), QStringLiteral("cpu")}}, TrainExampleJob{folder}};
}

QString exampleFolderOf(const ProjectModel& project)
{
    const QString own = QFileInfo(project.path()).absolutePath();
    const QString data = QFileInfo(QString::fromStdString(store::Project::defaultPath().string())).absolutePath();
    return QDir(QFileInfo(own).isWritable() ? own : data).filePath(QStringLiteral("train-example"));
}

} // namespace cudal1::ui
