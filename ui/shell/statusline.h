// SPDX-License-Identifier: GPL-3.0-or-later
// The line at the window's foot: the job that runs, the device that it has, the evaluator's state, the project.
#pragma once

#include <QStatusBar>

#include <map>
#include <utility>

class QLabel;
class QProgressBar;
class QToolButton;

namespace cudal1::ui {

class JobsModel;
class ElidedLabel;
struct Job;
class ProjectModel;

class StatusLine : public QStatusBar {
    Q_OBJECT
public:
    StatusLine(JobsModel& jobs, ProjectModel& project, QWidget* parent = nullptr);

    /// As Engine::evaluatorStateChanged says.
    void setEvaluator(int seat, const QString& state, const QString& sentence);

signals:
    void stopRequested(quint64 job);

private:
    void showJob();
    void showDevice(const Job* job);
    void showProject();

    JobsModel& m_jobs;
    ProjectModel& m_project;
    ElidedLabel* m_job;
    QProgressBar* m_bar;
    QToolButton* m_stop;
    QLabel* m_device;
    QLabel* m_evaluator;
    QLabel* m_projectName;
    std::map<int, std::pair<QString, QString>> m_evaluators; ///< state and sentence of each that was started
};

} // namespace cudal1::ui
