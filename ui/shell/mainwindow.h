// SPDX-License-Identifier: GPL-3.0-or-later
// The window: composes tool bar, docks, pages and bars, and connects what they ask for to the controller.
#pragma once

#include "ui/work/controller.h"
#include "ui/work/jobsmodel.h"
#include "ui/work/projectmodel.h"
#include "ui/shell/runbar.h"
#include "ui/work/runchoice.h"
#include "ui/work/selection.h"

#include <QMainWindow>
#include <QPointer>

class QMenu;
class QStackedWidget;

namespace cudal1::ui {

class CommandPalette;
class JobsView;
class Page;
class PageTabs;
class StatusLine;
class ViewTools;
class WelcomePage;

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(PolicyFactory policy, QWidget* parent = nullptr);
    ~MainWindow() override;

    ProjectModel& project() { return m_project; }
    Selection& selection() { return m_selection; }
    RunChoice& choice() { return m_choice; }
    JobsModel& jobs() { return m_jobs; }
    Controller& controller() { return *m_controller; }

    /// In the order of their tabs; Ctrl+1… in that order too. Before the window is shown.
    void addPage(Page* page);
    /// The widget of the tasks dock; `find` puts the cursor into its search field.
    void setTaskList(QWidget* list, std::function<void()> find);
    /// After pages and task list are in: restores the layout of the last time.
    void restoreLayout();

    /// An empty suite: the one in the settings, else the one that came with this program.
    void openProject(const QString& file, const QString& suite = {});
    /// Shown as soon as the project is open.
    void selectWhenOpen(const QString& task, const QString& page);
    void showMessage(const Message& message);
    /// Of the folder, or the bundled one for an empty text; remembered once it is read.
    void openSuite(const QString& folder);
    /// Adds a file as a task of its own and opens it.
    void addTaskFile(const QString& file);

signals:
    /// From the menu, with a project open.
    void newTaskRequested();
    /// Of the variant that is looked at, else of the best one of the chosen task.
    void reproducerRequested();

public:

    /// Asks for a file; used by the intents of pages.
    void evaluateFile(const base::TaskId& task);

protected:
    void closeEvent(QCloseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QAction* makeAction(QMenu* menu, const QString& text, const QString& icon, const QKeySequence& shortcut, const QString& tip,
                        std::function<void()> run);
    void makeMenus();
    void makeFileMenu();
    void makeViewMenu();
    void makeRunMenus();
    void makeDocks();
    void connectModels();
    void fillRecent();
    void showPalette();
    void showTaskPalette();
    void showPage(const QString& name);
    void updateActions();
    void projectOpened();
    void projectFailed(const base::Error& error);
    void offerResume();
    void resumeInterrupted();
    void newProject();
    void openSample();
    void chooseProject();
    void chooseSuite();
    void tellOfSuite();
    void tellOfProblems();
    QString bundledFolder();
    void find();
    void makeEditMenu();
    ViewTools* currentTable() const;
    QAction* tableAction(QMenu* menu, const QString& text, const QString& icon, const QString& keys, const QString& tip, void (ViewTools::*tool)());
    void goToFirstTask();
    void loadChoice();
    void applySetting(const QString& key);
    void about();

    ProjectModel m_project;
    Selection m_selection;
    RunChoice m_choice;
    JobsModel m_jobs;
    Controller* m_controller;

    RunActions m_runActions{};
    QAction* m_baselines = nullptr;
    QAction* m_runAgain = nullptr;
    QAction* m_resume = nullptr;
    std::vector<store::RunRecord> m_interrupted; ///< of the open project when it was opened, until they are resumed
    QAction* m_evaluateFile = nullptr;
    std::vector<QAction*> m_projectActions; ///< that need an open project
    QMenu* m_viewMenu = nullptr;
    QMenu* m_recentMenu = nullptr;
    QAction* m_pagesEnd = nullptr;       ///< pages go before it in the menu
    QAction* m_firstDockAction = nullptr;
    QDockWidget* m_tasksDock = nullptr;
    QDockWidget* m_jobsDock = nullptr;
    JobsView* m_jobsView = nullptr;
    PageTabs* m_tabs;
    QStackedWidget* m_stack;
    WelcomePage* m_welcome;
    MessageBar* m_messages;
    CommandPalette* m_palette = nullptr;
    StatusLine* m_status;
    std::vector<Page*> m_pages;
    std::function<void()> m_findTask;
    QPointer<QWidget> m_focused; ///< the last that had the focus and is no menu and no popup
    QString m_wantedTask, m_wantedPage;
    QString m_problems; ///< the message of files that are no tasks, while it stands
    QString m_wantedSuite; ///< to be remembered when it turns out to be one
};

} // namespace cudal1::ui
