// SPDX-License-Identifier: GPL-3.0-or-later
// How a task's next run shall be made, the run in progress, its log, and the reply that a model writes.
#pragma once

#include "core/base/ids.h"

#include <QWidget>

class QLabel;
class QLayout;
class QMenu;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace cudal1::ui {

class JobsModel;
class RunChoice;

class RunPanel : public QWidget {
    Q_OBJECT
public:
    RunPanel(RunChoice& choice, JobsModel& jobs, QWidget* parent = nullptr);

    void setTask(const base::TaskId& task);
    /// A warning beside Optimize; empty takes it away.
    void setWarning(const QString& sentence);

signals:
    void optimizeRequested(const cudal1::base::TaskId& task);
    void stopRequested(quint64 job);
    void promptRequested();
    /// The log is to have the page's height, or no longer.
    void heightRequested(bool full);

private:
    void setUpFields();
    void applyTheme();
    void addToLog(quint64 id, const base::TaskId& task, const QString& text);
    void addToReply(quint64 id, const base::TaskId& task, const QString& text, bool begins);
    QLayout* makeControls();
    void showChoice();
    QWidget* makeReply();
    void showJob();
    void showReply(const QString& title);
    bool showMany(); ///< what a job about several tasks does for this one; false where there is none

    RunChoice& m_choice;
    JobsModel& m_jobs;
    base::TaskId m_task;
    quint64 m_job = 0;      ///< whose log is shown
    QToolButton* m_chooser; ///< device, precision, preset and rounds in words; its menu changes them
    QMenu* m_choices;
    QPushButton* m_optimize;
    QPushButton* m_stop;
    QWidget* m_warning; ///< icon and sentence
    QLabel* m_warningIcon;
    QLabel* m_warningText;
    QProgressBar* m_progress;
    QLabel* m_status;
    QLabel* m_figures;
    QWidget* m_logFrame;
    QPlainTextEdit* m_log;
    QToolButton* m_tall;       ///< checked: the log has the page's height
    QToolButton* m_prompt;     ///< shown while a model is chosen
    QWidget* m_replyBox;       ///< shown once a model has begun to write
    QToolButton* m_replyTitle; ///< folds the reply
    QPlainTextEdit* m_reply;
};

} // namespace cudal1::ui
