// SPDX-License-Identifier: GPL-3.0-or-later
// The bar of the experiments' page: which one is shown, how far it is, and what can be done about it.
#pragma once

#include "core/base/ids.h"

#include <QFrame>

class QAction;
class QProgressBar;
class QPushButton;

namespace cudal1::ui {

class ElidedComboBox;
class ElidedLabel;
class ProjectModel;
struct ExperimentView;
struct Job;

class ExperimentBar : public QFrame {
    Q_OBJECT
public:
    explicit ExperimentBar(QWidget* parent = nullptr);

    /// `job` is the window's own that makes the runs of what is shown; null where there is none.
    void show(const ExperimentView& view, const Job* job, int queuePosition, const ProjectModel& project);

signals:
    void chosen(cudal1::base::RunId experiment);
    void openRequested();
    void goOnRequested();
    void stopRequested();

private:
    void showButtons(const ExperimentView& view, const Job* job, const ProjectModel& project);
    QString stateOf(const ExperimentView& view, const Job* job, int queuePosition) const;

    ElidedComboBox* m_which;
    ElidedLabel* m_state;
    ElidedLabel* m_conditions;
    QProgressBar* m_progress;
    QPushButton *m_open, *m_goOn, *m_stop;
};

} // namespace cudal1::ui
