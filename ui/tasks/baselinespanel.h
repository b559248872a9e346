// SPDX-License-Identifier: GPL-3.0-or-later
// What the framework's own switches make of the selected task, with the button that measures it, and what others claim.
#pragma once

#include "core/baselines/baselinerows.h"

#include <QWidget>

#include <vector>

class QPushButton;

namespace cudal1::ui {

class InfoView;
class JobsModel;
class ProjectModel;

/// A table with a row a baseline, for an InfoView; one sentence where there is none.
QString baselinesHtml(const std::vector<baselines::BaselineRow>& rows);

/// What others published of the task: a column for each variant and device, a row for each program that it was
/// compared with. Empty where there is none.
QString claimsHtml(const std::vector<store::ClaimRecord>& claims);

class BaselinesPanel : public QWidget {
    Q_OBJECT
public:
    BaselinesPanel(ProjectModel& project, JobsModel& jobs, QWidget* parent = nullptr);

    void setTask(const base::TaskId& task);

signals:
    void measureRequested(const cudal1::base::TaskId& task);
    /// The reference is 0.
    void compareRequested(cudal1::base::VariantId left, cudal1::base::VariantId right);

private:
    void showRows(bool sameTask);
    void showJob();

    ProjectModel& m_project;
    JobsModel& m_jobs;
    base::TaskId m_task;
    QPushButton* m_measure;
    InfoView* m_rows;
};

} // namespace cudal1::ui
