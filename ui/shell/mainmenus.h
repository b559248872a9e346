// SPDX-License-Identifier: GPL-3.0-or-later
// The menus of the window with their actions.
#pragma once

#include "core/base/ids.h"
#include "ui/shell/runbar.h"

#include <QObject>

#include <functional>
#include <vector>

class QKeySequence;
class QMainWindow;
class QMenu;

namespace cudal1::ui {

class Controller;
class EditTarget;
class JobsModel;
class ProjectFiles;
class ProjectModel;
class Selection;
class ViewTools;

/// A child of the window, which owns the actions too. They act on what the constructor is given, which outlives this as
/// long as the window is used; a signal asks for what only the window can do.
class MainMenus : public QObject {
    Q_OBJECT
public:
    MainMenus(QMainWindow& window, ProjectModel& project, Selection& selection, JobsModel& jobs, Controller& controller,
              ProjectFiles& files, EditTarget& target);

    /// Those that the tool bar shows as well.
    const RunActions& runActions() const { return m_runActions; }
    /// In the menu View, in the order of the calls. The action is given back; Ctrl and `number` trigger it.
    QAction* addPage(const QString& title, const QString& icon, int number, std::function<void()> show);
    void addDock(QAction* toggle);
    /// Gives the page shown the whole window; checkable.
    QAction* room() const { return m_room; }
    /// Which actions there is something for, by the project, the chosen task and its jobs, whether a run was cut off,
    /// and whether anything can be begun.
    void update(bool canResume, bool startable);
    /// With the cursor in the field of this setting; the empty key is for none.
    void showSettings(const QString& key = {});

signals:
    void newTaskRequested();
    void reproducerRequested();
    void evaluateFileRequested(const cudal1::base::TaskId& task);
    void resumeRequested();
    void optimizeManyRequested();
    void policiesRequested();
    void machineRequested();
    void findTaskRequested();
    void goToTaskRequested();
    void promptRequested();
    void modelsRequested();
    void paletteRequested();
    void pageHelpRequested();
    void keysRequested();
    void wordsRequested();
    void copyRequested(); ///< of the project file

private:
    QAction* add(QMenu* menu, const QString& text, const QString& icon, const QKeySequence& shortcut,
                 const QString& tip, std::function<void()> run);
    QAction* addForTable(QMenu* menu, const QString& text, const QString& icon, const QString& keys, const QString& tip,
                         void (ViewTools::*tool)());
    void makeFileMenu();
    void makeEditMenu();
    void makeViewMenu();
    void makeThemes();
    void makeTaskMenu();
    void makeRunMenu();
    void makeToolsMenu();
    void fillRecent();
    void makeHelpMenu();
    void stop();
    void about();

    QMainWindow& m_window;
    ProjectModel& m_project;
    Selection& m_selection;
    JobsModel& m_jobs;
    Controller& m_controller;
    ProjectFiles& m_files;
    EditTarget& m_target;

    RunActions m_runActions{};
    QAction* m_evaluateFile = nullptr;
    QAction* m_baselines = nullptr;
    QAction* m_optimizeMany = nullptr;
    QAction* m_runAgain = nullptr;
    QAction* m_resume = nullptr;
    std::vector<QAction*> m_projectActions; ///< that need an open project
    std::vector<QAction*> m_writingActions; ///< that write into it
    QMenu* m_recent = nullptr;
    QMenu* m_view = nullptr;
    QAction* m_room = nullptr;
    QAction* m_pagesEnd = nullptr; ///< pages go before it in the menu
    QAction* m_docksEnd = nullptr; ///< and docks before this one
};

} // namespace cudal1::ui
