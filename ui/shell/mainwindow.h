// SPDX-License-Identifier: GPL-3.0-or-later
// The window: composes menus, tool bar, docks, pages and bars, and connects what they ask for to the controller.
#pragma once

#include "ui/shell/edittarget.h"
#include "ui/shell/projectfiles.h"
#include "ui/work/controller.h"
#include "ui/work/jobsmodel.h"
#include "ui/work/modellist.h"
#include "ui/work/projectmodel.h"
#include "ui/work/runchoice.h"
#include "ui/work/selection.h"

#include <QMainWindow>

class QStackedWidget;

namespace cudal1::ui {

class CommandPalette;
class HelpDialog;
class JobsView;
class MainMenus;
class Page;
class PageRoom;
class PageTabs;
class StatusLine;
class WelcomePage;

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(PolicyFactory policy, QWidget* parent = nullptr);
    ~MainWindow() override;

    ProjectModel& project() { return m_project; }
    Selection& selection() { return m_selection; }
    RunChoice& choice() { return m_choice; }
    ModelList& models() { return m_models; }
    JobsModel& jobs() { return m_jobs; }
    Controller& controller() { return *m_controller; }
    ProjectFiles& files() { return m_files; }

    /// In the order of their tabs; Ctrl+1… in that order too. Before the window is shown.
    void addPage(Page* page);
    /// The widget of the tasks dock; `find` puts the cursor into its search field.
    void setTaskList(QWidget* list, std::function<void()> find);
    /// After pages and task list are in: restores the layout of the last time.
    void restoreLayout();

    /// An empty suite: the one in the settings, else the one that came with this program.
    void openProject(const QString& file, const QString& suite = {}) { m_files.openProject(file, suite); }
    /// Shown as soon as the project is open.
    void selectWhenOpen(const QString& task, const QString& page);
    void showMessage(const Message& message);
    /// Of the folder, or the bundled one for an empty text; remembered once it is read.
    void openSuite(const QString& folder) { m_files.openSuite(folder); }
    /// Adds a file as a task of its own and opens it.
    void addTaskFile(const QString& file) { m_files.addTask(file); }
    /// Asks for a file; used by the intents of pages.
    void evaluateFile(const base::TaskId& task);
    /// What a model would be sent for the chosen task.
    void showPrompt();
    /// The user's language models; `adding`: with empty fields, and the one that is added is asked from then on.
    void showModels(bool adding);

signals:
    /// From the menu, with a project open.
    void newTaskRequested();
    /// Of the variant that is looked at, else of the best one of the chosen task.
    void reproducerRequested();

protected:
    void closeEvent(QCloseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void makeDocks();
    void fitDocks();
    void followSetting(const QString& key);
    bool askBeforeClosing();
    void connectModels();
    void connectMenus();
    void askForMany();
    void showPalette();
    void showHelp(int tab);
    void showTaskPalette();
    void findTask();
    void showPage(const QString& name);
    void openTask(const base::TaskId& task, const QString& page);
    void updateActions();
    void projectOpened();
    void projectFailed(const base::Error& error);
    void openResult(quint64 job);
    void offerResume();
    void resumeInterrupted();
    void goToFirstTask();

    ProjectModel m_project;
    Selection m_selection;
    RunChoice m_choice;
    ModelList m_models;
    JobsModel m_jobs;
    Controller* m_controller;

    std::vector<store::RunRecord> m_interrupted; ///< of the open project when it was opened, until they are resumed
    QDockWidget* m_tasksDock = nullptr;
    QDockWidget* m_jobsDock = nullptr;
    JobsView* m_jobsView = nullptr;
    PageTabs* m_tabs;
    QStackedWidget* m_stack;
    WelcomePage* m_welcome;
    MessageBar* m_messages;
    MainMenus* m_menus = nullptr;
    CommandPalette* m_palette = nullptr;
    StatusLine* m_status = nullptr;
    PageRoom* m_room = nullptr;
    HelpDialog* m_help = nullptr; ///< once it was asked for
    std::vector<Page*> m_pages;
    std::function<void()> m_findTask;
    QString m_wantedTask, m_wantedPage;
    bool m_closeAsked = false; ///< while a job was at work
    bool m_arranged = false;   ///< docks have the widths that a person gave them, or ours
    ProjectFiles m_files;
    EditTarget m_target;
};

} // namespace cudal1::ui
