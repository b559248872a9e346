// SPDX-License-Identifier: GPL-3.0-or-later
// The tool bar: back and forward, the task, policies, device, precision, Optimize with its preset and rounds, Stop.
#pragma once

#include "core/base/ids.h"

#include <QToolBar>

class QAction;
class QMenu;
class QToolButton;

namespace cudal1::ui {

class JobsModel;
class ModelList;
class PolicyPopup;
class ProjectModel;
class RunChoice;
class Selection;

/// The actions are the window's; the bar shows them and adds the choosers.
struct RunActions {
    QAction* back;
    QAction* forward;
    QAction* goToTask;
    QAction* optimize;
    QAction* stop;
};

class RunBar : public QToolBar {
    Q_OBJECT
public:
    RunBar(ProjectModel& project, Selection& selection, RunChoice& choice, ModelList& models, const RunActions& actions,
           QWidget* parent = nullptr);

    void openPolicies();

signals:
    /// The device menu was opened: whoever knows may look for more of them.
    void devicesWanted();
    void addModelRequested();
    void modelsRequested();
    void promptRequested();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fit();
    void showTask();
    void showTexts();
    void fillDevices();
    QToolButton* makeChooser(const QString& name, const QString& label, QMenu* menu);
    void makePolicyChooser(ModelList& models);
    QMenu* makeOptimizeMenu();

    ProjectModel& m_project;
    Selection& m_selection;
    RunChoice& m_choice;
    QToolButton* m_task;
    QToolButton* m_policy;
    PolicyPopup* m_policies;
    QToolButton* m_device;
    QToolButton* m_precision;
    QToolButton* m_optimize;
    QMenu* m_devices;
    QMenu* m_precisions;
    int m_form = 1; ///< how much is said
};

} // namespace cudal1::ui
