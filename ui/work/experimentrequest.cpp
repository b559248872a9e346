// SPDX-License-Identifier: GPL-3.0-or-later
// From the file of an experiment to its tasks.
#include "ui/work/experimentrequest.h"

#include "core/tasks/split.h"
#include "ui/work/projectmodel.h"
#include "ui/work/runchoice.h"

#include <QFile>
#include <QFileInfo>

#include <algorithm>

namespace cudal1::ui {

using base::Error;
using base::ErrorCode;
using experiment::ExperimentPlan;

namespace {

base::Result<std::vector<store::TaskRecord>> tasksOf(const ProjectModel& project, const ExperimentPlan& plan)
{
    std::optional<tasks::Split> split;
    if (!plan.split.empty() && !(split = tasks::splitFromText(plan.split)))
        return Error{ErrorCode::InvalidArgument,
                     "\"split\" is train or held-out, not \"" + plan.split + "\"",
                     "the experiment's file",
                     {}};
    std::vector<base::TaskId> ids;
    for (const std::string& name : plan.tasks)
        ids.push_back({name});
    if (ids.empty())
        for (const TaskEntry& entry : *project.tasks())
            if (entry.inSuite && (plan.level == 0 || entry.level == plan.level) &&
                (!split || tasks::splitOf(entry.level, entry.id) == *split))
                ids.push_back(entry.id);
    if (ids.empty())
        return Error{ErrorCode::NotFound, "No task fits the experiment", "the experiment's file",
                     "Open the suite that has its tasks"};
    return project.taskRecords(ids);
}

} // namespace

base::Result<JobRequest> experimentRequest(const ProjectModel& project, const RunChoice& choice, const QString& file)
{
    QFile opened(file);
    if (!opened.open(QIODevice::ReadOnly))
        return Error{ErrorCode::NotFound, "The experiment cannot be read: " + opened.errorString().toStdString(),
                     file.toStdString(), "Choose a file of JSON as docs/prompts.md describes it"};
    auto plan = ExperimentPlan::read(opened.readAll().toStdString());
    if (!plan)
        return plan.error();
    auto tasks = tasksOf(project, *plan);
    if (!tasks)
        return tasks.error();
    auto record = experiment::recordOf(std::move(*plan), QFileInfo(file).completeBaseName().toStdString(), *tasks);
    if (!record)
        return record.error();
    record->precision = choice.precision();
    record->preset = choice.preset();
    return JobRequest{{choice.place()}, ExperimentJob{std::move(*record), std::move(*tasks)}};
}

base::Result<JobRequest> experimentRequest(const ProjectModel& project, const experiment::ExperimentRecord& record)
{
    ExperimentJob job{record, {}};
    for (const experiment::ExperimentTask& one : record.tasks) {
        auto task = project.taskRecord(one.id);
        if (!task)
            return task.error();
        if (task->hash != one.hash)
            return Error{ErrorCode::InvalidArgument, "The task has changed since the experiment was begun",
                         one.id.value, "Open the experiment's file again, which begins it anew with the present text"};
        job.tasks.push_back(std::move(*task));
    }
    Place place{farm::Launcher::fromText(QString::fromStdString(record.evaluator)),
                QString::fromStdString(record.device), QString::fromStdString(record.device)};
    if (!place.launcher.isEmpty())
        place.name += QStringLiteral(" on ") + place.launcher.place();
    return JobRequest{{std::move(place)}, std::move(job)};
}

} // namespace cudal1::ui
