// SPDX-License-Identifier: GPL-3.0-or-later
// Menus and actions: their names, keys and tips.
#include "ui/shell/mainmenus.h"

#include "ui/kit/settings.h"
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/kit/uistate.h"
#include "ui/shell/edittarget.h"
#include "ui/shell/projectfiles.h"
#include "ui/shell/settingsdialog.h"
#include "ui/work/controller.h"
#include "ui/work/jobsmodel.h"
#include "ui/work/projectmodel.h"
#include "ui/work/selection.h"

#include <QActionGroup>
#include <QApplication>
#include <QFileInfo>
#include <QMainWindow>
#include <QMenuBar>
#include <QMessageBox>

namespace cudal1::ui {

MainMenus::MainMenus(QMainWindow& window, ProjectModel& project, Selection& selection, JobsModel& jobs,
                     Controller& controller, ProjectFiles& files, EditTarget& target)
    : QObject(&window), m_window(window), m_project(project), m_selection(selection), m_jobs(jobs),
      m_controller(controller), m_files(files), m_target(target)
{
    window.menuBar()->setNativeMenuBar(true);
    makeFileMenu();
    makeEditMenu();
    makeViewMenu();
    makeTaskMenu();
    makeRunMenu();
    makeToolsMenu();
    makeHelpMenu();
}

void MainMenus::makeHelpMenu()
{
    QMenu* help = m_window.menuBar()->addMenu(tr("&Help"));
    add(help, tr("Help for This Page"), QStringLiteral("help"), QKeySequence(Qt::Key_F1),
        tr("What the page shows and how it is used"), [this] { emit pageHelpRequested(); })
        ->setObjectName(QStringLiteral("pageHelp"));
    add(help, tr("Keyboard Shortcuts"), QStringLiteral("help"), QKeySequence(Qt::CTRL | Qt::Key_F1),
        tr("All keys, by page"), [this] { emit keysRequested(); })
        ->setObjectName(QStringLiteral("shortcuts"));
    add(help, tr("Words"), QStringLiteral("help"), QKeySequence(Qt::SHIFT | Qt::Key_F1),
        tr("What each word of this window means"), [this] { emit wordsRequested(); })
        ->setObjectName(QStringLiteral("words"));
    add(help, tr("About CUDA-L1 Workbench"), QStringLiteral("info"), {}, tr("Version and licence"),
        [this] { about(); });
}

QAction* MainMenus::add(QMenu* menu, const QString& text, const QString& icon, const QKeySequence& shortcut,
                        const QString& tip, std::function<void()> run)
{
    auto* action = new QAction(text, &m_window);
    if (!icon.isEmpty())
        action->setIcon(Theme::instance().icon(icon));
    action->setShortcut(shortcut);
    action->setToolTip(
        shortcut.isEmpty() ? tip : QStringLiteral("%1 (%2)").arg(tip, shortcut.toString(QKeySequence::NativeText)));
    action->setStatusTip(tip);
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    if (menu)
        menu->addAction(action);
    else
        m_window.addAction(action);
    return action;
}

/// Keys of table actions belong to the tables, which have them everywhere; here they are only shown, since two actions
/// with one key would leave neither working.
QAction* MainMenus::addForTable(QMenu* menu, const QString& text, const QString& icon, const QString& keys,
                                const QString& tip, void (ViewTools::*tool)())
{
    QAction* action = add(menu, text, icon, {}, keys.isEmpty() ? tip : QStringLiteral("%1 (%2)").arg(tip, keys),
                          [this, tool] {
                              if (ViewTools* table = m_target.table())
                                  (table->*tool)();
                          });
    if (!keys.isEmpty())
        action->setText(text + QLatin1Char('\t') + keys);
    return action;
}

QAction* MainMenus::addPage(const QString& title, const QString& icon, int number, std::function<void()> show)
{
    QAction* action = add(nullptr, title, icon, QKeySequence(Qt::CTRL | Qt::Key(Qt::Key_0 + number)),
                          tr("Show the page %1").arg(title), std::move(show));
    m_view->insertAction(m_pagesEnd, action);
    return action;
}

void MainMenus::addDock(QAction* toggle)
{
    m_view->insertAction(m_docksEnd, toggle);
}

void MainMenus::update(bool canResume, bool startable)
{
    const base::TaskId& task = m_selection.task();
    const Job* job = m_jobs.jobOf(task);
    const bool busy = job && job->isActive();
    const bool chosen = m_project.isOpen() && !task.empty();
    m_runActions.back->setEnabled(m_selection.canGoBack());
    m_runActions.forward->setEnabled(m_selection.canGoForward());
    m_runActions.goToTask->setEnabled(m_project.isOpen());
    m_runActions.optimize->setEnabled(chosen && !busy && startable);
    m_runActions.stop->setEnabled(busy ? job->state != Job::State::Stopping : m_jobs.active() != nullptr);
    m_baselines->setEnabled(chosen && !busy && startable);
    m_runAgain->setEnabled(chosen && !busy && startable);
    m_evaluateFile->setEnabled(chosen && startable);
    for (QAction* action : m_projectActions)
        action->setEnabled(m_project.isOpen());
    for (QAction* action : m_writingActions)
        action->setEnabled(m_project.isOpen() && startable);
    m_resume->setEnabled(m_project.isOpen() && canResume && startable);
}

// ---- File -----------------------------------------------------------------------------------------------------------

void MainMenus::makeFileMenu()
{
    QMenu* file = m_window.menuBar()->addMenu(tr("&File"));
    add(file, tr("New Project…"), QStringLiteral("add"), QKeySequence::New, tr("Make a project file"),
        [this] { m_files.newProject(); });
    add(file, tr("Open Project…"), QStringLiteral("open"), QKeySequence::Open, tr("Open a project file"),
        [this] { m_files.chooseProject(); });
    add(file, tr("Open the Default Project"), QStringLiteral("project"), {}, tr("Open the project in your data folder"),
        [this] { m_files.openDefault(); });
    add(file, tr("Open the Sample Project"), QStringLiteral("project"), {},
        tr("Look around in what this program recorded on a GPU"), [this] { m_files.openSample(); })
        ->setObjectName(QStringLiteral("openSample"));
    m_projectActions.push_back(add(file, tr("Save a Copy…"), QStringLiteral("export"), {},
                                   tr("Write all of this project as another file, and go on in that"),
                                   [this] { m_files.saveCopy(); }));
    m_projectActions.back()->setObjectName(QStringLiteral("saveCopy"));
    m_recent = file->addMenu(tr("Recent Projects"));
    connect(m_recent, &QMenu::aboutToShow, this, &MainMenus::fillRecent);
    file->addSeparator();
    for (QAction* action : {
             add(file, tr("Open Suite…"), QStringLiteral("folder"), {},
                 tr("Use the tasks of a KernelBench checkout or of any folder of tasks"),
                 [this] { m_files.chooseSuite(); }),
             add(file, tr("Open the Bundled Suite"), QStringLiteral("tasks"), {},
                 tr("Use the tasks that come with this program"), [this] { m_files.openSuite({}); }),
         })
        m_projectActions.push_back(action);
    add(file, tr("Add a Task File…"), QStringLiteral("file"), {},
        tr("Add a Python file with Model, get_inputs and get_init_inputs"), [this] { m_files.chooseTask(); });
    m_writingActions.push_back(add(file, tr("Import from a Project…"), QStringLiteral("project"), {},
                                   tr("Take in what another project file has that this one has not"),
                                   [this] { m_files.chooseImport(); }));
    m_projectActions.push_back(add(file, tr("New Task from Module…"), QStringLiteral("add"), {},
                                   tr("Make a task of a module of yours"), [this] { emit newTaskRequested(); }));
    m_projectActions.back()->setObjectName(QStringLiteral("newTaskFromModule"));
    file->addSeparator();
    add(file, tr("Quit"), QStringLiteral("close"), QKeySequence::Quit,
        tr("Close the window; a run that is going on can be resumed"), [this] { m_window.close(); });
}

void MainMenus::fillRecent()
{
    m_recent->clear();
    for (const QString& path : Settings::instance().recentProjects()) {
        QAction* action = m_recent->addAction(QFileInfo(path).fileName());
        action->setToolTip(path);
        connect(action, &QAction::triggered, this, [this, path] { m_files.openProject(path); });
    }
    if (m_recent->isEmpty())
        m_recent->addAction(tr("None yet"))->setEnabled(false);
}

// ---- Edit -----------------------------------------------------------------------------------------------------------

void MainMenus::makeEditMenu()
{
    QMenu* edit = m_window.menuBar()->addMenu(tr("&Edit"));
    const QString copyKey = QKeySequence(QKeySequence::Copy).toString(QKeySequence::NativeText);
    add(edit, tr("Copy"), QStringLiteral("copy"), {}, tr("Copy the selected rows or text (%1)").arg(copyKey), [this] {
        m_target.copy();
    })->setText(tr("Copy") + QLatin1Char('\t') + copyKey);
    QAction* copyCsv = addForTable(edit, tr("Copy as CSV"), QStringLiteral("copy"), QStringLiteral("Ctrl+Shift+C"),
                                   tr("Copy the selected rows of the table, or all, as comma-separated values"),
                                   &ViewTools::copyCsv);
    QAction* exportCsv = addForTable(edit, tr("Export as CSV…"), QStringLiteral("export"), {},
                                     tr("Write the rows of the table to a file"), &ViewTools::exportCsv);
    QAction* filter = addForTable(edit, tr("Filter Rows…"), QStringLiteral("filter"), QStringLiteral("Ctrl+Shift+L"),
                                  tr("Show only the rows of the table that match a regular expression"),
                                  &ViewTools::filterRows);
    edit->insertSeparator(filter);
    connect(edit, &QMenu::aboutToShow, this, [this, copyCsv, exportCsv, filter] {
        const ViewTools* table = m_target.table();
        copyCsv->setEnabled(table);
        exportCsv->setEnabled(table);
        filter->setEnabled(table && table->canFilter());
    });
    add(edit, tr("Find…"), QStringLiteral("search"), QKeySequence::Find, tr("Find in the page shown"),
        [this] { m_target.find(); });
    add(edit, tr("Find a Task…"), QStringLiteral("tasks"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_F),
        tr("Search the list of tasks"), [this] { emit findTaskRequested(); });
    edit->addSeparator();
    add(edit, tr("Settings…"), QStringLiteral("settings"), QKeySequence(Qt::CTRL | Qt::Key_Comma),
        tr("Change settings"), [this] { showSettings(); });
}

void MainMenus::showSettings(const QString& key)
{
    auto* dialog = m_window.findChild<SettingsDialog*>();
    if (!dialog)
        dialog = new SettingsDialog(&m_window);
    dialog->show();
    dialog->raise();
    dialog->activateWindow();
    dialog->goTo(key);
}

// ---- View -----------------------------------------------------------------------------------------------------------

void MainMenus::makeViewMenu()
{
    m_view = m_window.menuBar()->addMenu(tr("&View"));
    m_pagesEnd = m_view->addSeparator();
    m_runActions.back = add(m_view, tr("Back"), QStringLiteral("back"), QKeySequence::Back,
                            tr("Back to what was shown before"), [this] { m_selection.goBack(); });
    m_runActions.forward = add(m_view, tr("Forward"), QStringLiteral("forward"), QKeySequence::Forward,
                               tr("Forward again"), [this] { m_selection.goForward(); });
    m_view->addSeparator();
    makeThemes();
    m_room = add(m_view, tr("More Room for the Page"), QStringLiteral("layout"), QKeySequence(Qt::Key_F9),
                 tr("Hide the docks and what stands beside the page's main area; each page remembers it"), [] {});
    m_room->setCheckable(true);
    m_room->setObjectName(QStringLiteral("pageRoom"));
    add(m_view, tr("Full Screen"), {}, QKeySequence::FullScreen, tr("Use the whole screen"),
        [this] { m_window.setWindowState(m_window.windowState() ^ Qt::WindowFullScreen); });
    for (const double points : {1.0, -1.0}) {
        add(m_view, points > 0 ? tr("Larger Text") : tr("Smaller Text"), {}, {},
            tr("Change the size of all text by a point; Settings has it as a number"),
            [points] { Settings::instance().set("textSize", Settings::instance().number("textSize") + points); })
            ->setObjectName(points > 0 ? QStringLiteral("largerText") : QStringLiteral("smallerText"));
    }
    add(m_view, tr("Reset Layout"), QStringLiteral("layout"), {},
        tr("Put docks, splitters and columns back where they began"), [] { UiState::instance().reset(); })
        ->setObjectName(QStringLiteral("resetLayout"));
}

void MainMenus::makeThemes()
{
    auto* themes = new QMenu(tr("Theme"), m_view);
    themes->setIcon(Theme::instance().icon(QStringLiteral("theme")));
    auto* group = new QActionGroup(this);
    const std::pair<const char*, QString> modes[] = {
        {"system", tr("Follow the System")}, {"light", tr("Light")}, {"dark", tr("Dark")}};
    for (const auto& [word, label] : modes) {
        QAction* action = add(themes, label, {}, {}, tr("Theme: %1").arg(label),
                              [word = word] { Settings::instance().set("theme", QString::fromLatin1(word)); });
        const auto check = [action, word = word] {
            action->setChecked(Settings::instance().text("theme") == QLatin1String(word));
        };
        action->setCheckable(true);
        check();
        group->addAction(action);
        connect(&Settings::instance(), &Settings::changed, action, check);
    }
    m_docksEnd = m_view->addMenu(themes);
}

// ---- Task, Run, Tools, Help -----------------------------------------------------------------------------------------

void MainMenus::makeTaskMenu()
{
    QMenu* task = m_window.menuBar()->addMenu(tr("&Task"));
    m_runActions.goToTask = add(task, tr("Go to Task…"), QStringLiteral("task"), QKeySequence(Qt::CTRL | Qt::Key_P),
                                tr("Choose a task by its number or name"), [this] { emit goToTaskRequested(); });
    m_evaluateFile = add(task, tr("Evaluate a File…"), QStringLiteral("file"), {},
                         tr("Judge a Python file that defines ModelNew against this task"),
                         [this] { emit evaluateFileRequested(m_selection.task()); });
    m_projectActions.push_back(add(task, tr("Show Prompt…"), QStringLiteral("policy"), {},
                                   tr("Show what a language model would be sent for this task, without sending it"),
                                   [this] { emit promptRequested(); }));
    add(task, tr("Save Reproducer…"), QStringLiteral("export"), {},
        tr("Write the chosen variant as one Python file that checks and times it with torch alone"),
        [this] { emit reproducerRequested(); })
        ->setObjectName(QStringLiteral("saveReproducer"));
}

void MainMenus::makeRunMenu()
{
    QMenu* run = m_window.menuBar()->addMenu(tr("&Run"));
    m_runActions.optimize = add(
        run, tr("Optimize"), QStringLiteral("optimize"), QKeySequence(Qt::CTRL | Qt::Key_Return),
        tr("Propose and judge variants of the chosen task"), [this] { m_controller.optimize(m_selection.task()); });
    m_runActions.optimize->setObjectName(QStringLiteral("optimize"));
    m_optimizeMany = add(
        run, tr("Optimize Many Tasks…"), QStringLiteral("optimize"), {},
        tr("Search for faster variants of a level, of a split, or of all tasks, on several devices at a time"),
        [this] { emit optimizeManyRequested(); });
    m_optimizeMany->setObjectName(QStringLiteral("optimizeManyAction"));
    m_writingActions.push_back(m_optimizeMany);
    add(run, tr("Policies…"), QStringLiteral("policy"), {},
        tr("Choose who proposes variants in the next run, and how language models are asked"),
        [this] { emit policiesRequested(); })
        ->setObjectName(QStringLiteral("policiesAction"));
    m_baselines = add(
        run, tr("Measure Baselines"), QStringLiteral("device"), {},
        tr("Measure what torch.compile, a CUDA graph and other switches of the framework make of the chosen task"),
        [this] { m_controller.measureBaselines(m_selection.task()); });
    m_baselines->setObjectName(QStringLiteral("measureBaselinesAction"));
    m_runAgain = add(run, tr("Run Again"), QStringLiteral("refresh"), QKeySequence(Qt::Key_F5),
                     tr("Do the last job of this task once more"),
                     [this] { m_controller.runAgain(m_selection.task()); });
    m_resume = add(run, tr("Resume Interrupted Runs"), QStringLiteral("play"), {},
                   tr("Go on with the runs that were cut off when the program was last closed or killed"),
                   [this] { emit resumeRequested(); });
    m_resume->setObjectName(QStringLiteral("resume"));
    m_runActions.stop = add(run, tr("Stop"), QStringLiteral("stop"), {},
                            tr("Stop the job of this task, else the one that runs; what was measured is kept (Esc)"),
                            [this] { stop(); });
    m_runActions.stop->setObjectName(QStringLiteral("stop"));
    add(run, tr("Stop All"), QStringLiteral("stop"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Period),
        tr("Stop every job"), [this] { m_controller.stopAll(); });
}

void MainMenus::stop()
{
    const Job* job = m_jobs.jobOf(m_selection.task());
    if (!job || !job->isActive())
        job = m_jobs.active();
    if (job)
        m_controller.stop(job->id);
}

void MainMenus::makeToolsMenu()
{
    QMenu* tools = m_window.menuBar()->addMenu(tr("T&ools"));
    add(tools, tr("Command Palette…"), QStringLiteral("palette"), QKeySequence(Qt::CTRL | Qt::Key_K),
        tr("Run any action by its name"), [this] { emit paletteRequested(); });
    add(tools, tr("Language Models and Agents…"), QStringLiteral("policy"), {},
        tr("Add, change, test and remove the language models and coding agents that can be asked"),
        [this] { emit modelsRequested(); })
        ->setObjectName(QStringLiteral("languageModels"));
    add(tools, tr("Check this Machine"), QStringLiteral("device"), {},
        tr("Start the evaluator and list devices and what is missing"), [this] { emit machineRequested(); });
}

void MainMenus::about()
{
    QMessageBox box(&m_window);
    box.setWindowTitle(tr("About"));
    box.setIconPixmap(m_window.windowIcon().pixmap(Theme::instance().unit(16)));
    box.setText(tr("<b>CUDA-L1 Workbench %1</b>").arg(QApplication::applicationVersion()));
    box.setInformativeText(
        tr("Faster PyTorch modules, proven correct and measured so that they cannot cheat.<br>Free software under the "
           "GNU General Public License, version 3 or later."));
    box.exec();
}

} // namespace cudal1::ui
