// SPDX-License-Identifier: GPL-3.0-or-later
// How a task's next run shall be made, the run in progress, and its log.
#pragma once

#include "core/base/ids.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;

namespace cudal1::ui {

class JobsModel;
class RunChoice;

class RunPanel : public QWidget {
    Q_OBJECT
public:
    RunPanel(RunChoice& choice, JobsModel& jobs, QWidget* parent = nullptr);

    void setTask(const base::TaskId& task);
    /// The bar with the choices and buttons; the page puts it into its header.
    QWidget* controls() const { return m_controls; }

signals:
    void optimizeRequested(const cudal1::base::TaskId& task);
    void stopRequested(quint64 job);

private:
    void makeControls();
    void fillDevices();
    void showChoice();
    void showJob();

    RunChoice& m_choice;
    JobsModel& m_jobs;
    base::TaskId m_task;
    quint64 m_job = 0; ///< whose log is shown
    QWidget* m_controls;
    QComboBox* m_device;
    QComboBox* m_precision;
    QComboBox* m_preset;
    QPushButton* m_optimize;
    QPushButton* m_stop;
    QProgressBar* m_progress;
    QLabel* m_status;
    QLabel* m_figures;
    QPlainTextEdit* m_log;
};

} // namespace cudal1::ui
