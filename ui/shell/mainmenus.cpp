// SPDX-License-Identifier: GPL-3.0-or-later
// The window's actions: menus, palettes and what they do.
#include "ui/shell/mainwindow.h"

#include "core/base/ratiotext.h"
#include "core/store/sample.h"
#include "ui/shell/commandpalette.h"
#include "ui/kit/page.h"
#include "ui/kit/settings.h"
#include "ui/shell/settingsdialog.h"
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/kit/uistate.h"
#include "ui/shell/welcomepage.h"

#include <QActionGroup>
#include <QApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QDockWidget>
#include <QMenuBar>
#include <QMessageBox>
#include <QStackedWidget>

namespace cudal1::ui {

namespace {

/// Empty when nothing was chosen.
QString askForProject(QWidget* parent, const QString& title)
{
    return QFileDialog::getOpenFileName(parent, title, {}, MainWindow::tr("Projects (*.cudal1);;All files (*)"));
}

} // namespace

QAction* MainWindow::makeAction(QMenu* menu, const QString& text, const QString& icon, const QKeySequence& shortcut, const QString& tip,
                                std::function<void()> run)
{
    auto* action = new QAction(text, this);
    if (!icon.isEmpty())
        action->setIcon(Theme::instance().icon(icon));
    action->setShortcut(shortcut);
    action->setToolTip(shortcut.isEmpty() ? tip : QStringLiteral("%1 (%2)").arg(tip, shortcut.toString(QKeySequence::NativeText)));
    action->setStatusTip(tip);
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    if (menu)
        menu->addAction(action);
    else
        addAction(action);
    return action;
}

void MainWindow::makeMenus()
{
    menuBar()->setNativeMenuBar(true);
    makeFileMenu();
    makeEditMenu();
    makeViewMenu();
    makeRunMenus();
    QMenu* help = menuBar()->addMenu(tr("&Help"));
    makeAction(help, tr("About CUDA-L1 Workbench"), QStringLiteral("info"), {}, tr("Version and licence"), [this] { about(); });
}

/// Keys of table actions belong to the tables, which have them everywhere; here they are only shown, since two actions with one
/// key would leave neither working.
QAction* MainWindow::tableAction(QMenu* menu, const QString& text, const QString& icon, const QString& keys, const QString& tip, void (ViewTools::*tool)())
{
    QAction* action = makeAction(menu, text, icon, {}, keys.isEmpty() ? tip : QStringLiteral("%1 (%2)").arg(tip, keys), [this, tool] {
        if (ViewTools* table = currentTable())
            (table->*tool)();
    });
    if (!keys.isEmpty())
        action->setText(text + QLatin1Char('\t') + keys);
    return action;
}

void MainWindow::makeEditMenu()
{
    QMenu* edit = menuBar()->addMenu(tr("&Edit"));
    QAction* copy = makeAction(edit, tr("Copy"), QStringLiteral("copy"), {}, tr("Copy the selected rows or text (%1)").arg(QKeySequence(QKeySequence::Copy).toString(QKeySequence::NativeText)), [this] {
        if (ViewTools* table = ViewTools::around(m_focused))
            table->copy();
        else if (m_focused && m_focused->metaObject()->indexOfMethod("copy()") >= 0)
            QMetaObject::invokeMethod(m_focused, "copy");
        else if (ViewTools* main = currentTable())
            main->copy();
    });
    copy->setText(tr("Copy") + QLatin1Char('\t') + QKeySequence(QKeySequence::Copy).toString(QKeySequence::NativeText));
    QAction* tables[] = {
        tableAction(edit, tr("Copy as CSV"), QStringLiteral("copy"), QStringLiteral("Ctrl+Shift+C"), tr("Copy the selected rows of the table, or all, as comma-separated values"), &ViewTools::copyCsv),
        tableAction(edit, tr("Export as CSV…"), QStringLiteral("export"), {}, tr("Write the rows of the table to a file"), &ViewTools::exportCsv),
        nullptr,
        tableAction(edit, tr("Filter Rows…"), QStringLiteral("filter"), QStringLiteral("Ctrl+Shift+L"), tr("Show only the rows of the table that match a regular expression"), &ViewTools::filterRows),
    };
    edit->insertSeparator(tables[3]);
    connect(edit, &QMenu::aboutToShow, this, [this, tables = std::vector(std::begin(tables), std::end(tables))] {
        const ViewTools* table = currentTable();
        for (QAction* action : tables)
            if (action)
                action->setEnabled(table && (action != tables.back() || table->canFilter()));
    });
    makeAction(edit, tr("Find…"), QStringLiteral("search"), QKeySequence::Find, tr("Find in the page shown"), [this] { find(); });
    makeAction(edit, tr("Find a Task…"), QStringLiteral("tasks"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_F), tr("Search the list of tasks"), [this] {
        m_tasksDock->show();
        if (m_findTask)
            m_findTask();
    });
    edit->addSeparator();
    makeAction(edit, tr("Settings…"), QStringLiteral("settings"), QKeySequence(Qt::CTRL | Qt::Key_Comma), tr("Change settings"), [this] {
        auto* dialog = findChild<SettingsDialog*>();
        if (!dialog)
            dialog = new SettingsDialog(this);
        dialog->show();
        dialog->raise();
        dialog->activateWindow();
    });
    // A menu takes the focus away from what it is to act on.
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        if (now && now->window() == this && !qobject_cast<QMenuBar*>(now) && !m_palette->isAncestorOf(now))
            m_focused = now;
    });
}

ViewTools* MainWindow::currentTable() const
{
    if (ViewTools* table = ViewTools::around(m_focused))
        return table;
    const auto* page = qobject_cast<const Page*>(m_stack->currentWidget());
    return page && !page->isEmpty() ? page->table() : nullptr;
}

void MainWindow::makeFileMenu()
{
    QMenu* file = menuBar()->addMenu(tr("&File"));
    makeAction(file, tr("New Project…"), QStringLiteral("add"), QKeySequence::New, tr("Make a project file"), [this] { newProject(); });
    makeAction(file, tr("Open Project…"), QStringLiteral("open"), QKeySequence::Open, tr("Open a project file"), [this] { chooseProject(); });
    makeAction(file, tr("Open the Default Project"), QStringLiteral("project"), {}, tr("Open the project in your data folder"),
               [this] { openProject(QString::fromStdString(store::Project::defaultPath().string())); });
    makeAction(file, tr("Open the Sample Project"), QStringLiteral("project"), {}, tr("Look around in what this program recorded on a GPU"),
               [this] { openSample(); })
        ->setObjectName(QStringLiteral("openSample"));
    m_recentMenu = file->addMenu(tr("Recent Projects"));
    connect(m_recentMenu, &QMenu::aboutToShow, this, &MainWindow::fillRecent);
    file->addSeparator();
    m_projectActions = {
        makeAction(file, tr("Open Suite…"), QStringLiteral("folder"), {}, tr("Use the tasks of a KernelBench checkout or of any folder of tasks"), [this] { chooseSuite(); }),
        makeAction(file, tr("Open the Bundled Suite"), QStringLiteral("tasks"), {}, tr("Use the tasks that come with this program"), [this] { openSuite({}); }),
    };
    makeAction(file, tr("Add a Task File…"), QStringLiteral("file"), {}, tr("Add a Python file with Model, get_inputs and get_init_inputs"), [this] {
        const QString chosen = QFileDialog::getOpenFileName(this, tr("Add a task file"), {}, tr("Python files (*.py)"));
        if (!chosen.isEmpty())
            addTaskFile(chosen);
    });
    m_projectActions.push_back(makeAction(file, tr("Import from a Project…"), QStringLiteral("project"), {},
                                          tr("Take in what another project file has that this one has not"), [this] {
                                              const QString chosen = askForProject(this, tr("Import from a project"));
                                              if (!chosen.isEmpty())
                                                  m_project.importProject(chosen);
                                          }));
    m_projectActions.push_back(makeAction(file, tr("New Task from Module…"), QStringLiteral("add"), {}, tr("Make a task of a module of yours"),
                                          [this] { emit newTaskRequested(); }));
    m_projectActions.back()->setObjectName(QStringLiteral("newTaskFromModule"));
    file->addSeparator();
    makeAction(file, tr("Quit"), QStringLiteral("close"), QKeySequence::Quit, tr("Close the window; a run that is going on can be resumed"), [this] { close(); });
}

void MainWindow::makeViewMenu()
{
    m_viewMenu = menuBar()->addMenu(tr("&View"));
    m_pagesEnd = m_viewMenu->addSeparator();
    m_runActions.back = makeAction(m_viewMenu, tr("Back"), QStringLiteral("back"), QKeySequence::Back, tr("Back to what was shown before"), [this] { m_selection.goBack(); });
    m_runActions.forward = makeAction(m_viewMenu, tr("Forward"), QStringLiteral("forward"), QKeySequence::Forward, tr("Forward again"), [this] { m_selection.goForward(); });
    m_viewMenu->addSeparator();
    QMenu* themes = new QMenu(tr("Theme"), m_viewMenu);
    themes->setIcon(Theme::instance().icon(QStringLiteral("theme")));
    auto* group = new QActionGroup(this);
    const std::pair<const char*, QString> modes[] = {{"system", tr("Follow the System")}, {"light", tr("Light")}, {"dark", tr("Dark")}};
    for (const auto& [word, label] : modes) {
        QAction* action = makeAction(themes, label, {}, {}, tr("Theme: %1").arg(label),
                                     [word = word] { Settings::instance().set("theme", QString::fromLatin1(word)); });
        action->setCheckable(true);
        action->setChecked(Settings::instance().text("theme") == QLatin1String(word));
        group->addAction(action);
        connect(&Settings::instance(), &Settings::changed, action,
                [action, word = word] { action->setChecked(Settings::instance().text("theme") == QLatin1String(word)); });
    }
    m_firstDockAction = m_viewMenu->addMenu(themes);
    makeAction(m_viewMenu, tr("Full Screen"), {}, QKeySequence::FullScreen, tr("Use the whole screen"), [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });
    makeAction(m_viewMenu, tr("Reset Layout"), QStringLiteral("layout"), {}, tr("Put docks, splitters and columns back where they began"), [this] { UiState::instance().reset(); })
        ->setObjectName(QStringLiteral("resetLayout"));
}

void MainWindow::makeRunMenus()
{
    QMenu* task = menuBar()->addMenu(tr("&Task"));
    m_runActions.goToTask = makeAction(task, tr("Go to Task…"), QStringLiteral("task"), QKeySequence(Qt::CTRL | Qt::Key_P), tr("Choose a task by its number or name"), [this] { showTaskPalette(); });
    m_evaluateFile = makeAction(task, tr("Evaluate a File…"), QStringLiteral("file"), {}, tr("Judge a Python file that defines ModelNew against this task"), [this] { evaluateFile(m_selection.task()); });
    makeAction(task, tr("Save Reproducer…"), QStringLiteral("export"), {}, tr("Write the chosen variant as one Python file that checks and times it with torch alone"),
               [this] { emit reproducerRequested(); })
        ->setObjectName(QStringLiteral("saveReproducer"));

    QMenu* run = menuBar()->addMenu(tr("&Run"));
    m_runActions.optimize = makeAction(run, tr("Optimize"), QStringLiteral("optimize"), QKeySequence(Qt::CTRL | Qt::Key_Return), tr("Propose and judge variants of the chosen task"), [this] { m_controller->optimize(m_selection.task()); });
    m_runActions.optimize->setObjectName(QStringLiteral("optimize"));
    m_baselines = makeAction(run, tr("Measure Baselines"), QStringLiteral("device"), {}, tr("Measure what torch.compile, a CUDA graph and other switches of the framework make of the chosen task"), [this] { m_controller->measureBaselines(m_selection.task()); });
    m_baselines->setObjectName(QStringLiteral("measureBaselinesAction"));
    m_runAgain = makeAction(run, tr("Run Again"), QStringLiteral("refresh"), QKeySequence(Qt::Key_F5), tr("Do the last job of this task once more"), [this] { m_controller->runAgain(m_selection.task()); });
    m_resume = makeAction(run, tr("Resume Interrupted Runs"), QStringLiteral("play"), {}, tr("Go on with the runs that were cut off when the program was last closed or killed"), [this] { resumeInterrupted(); });
    m_resume->setObjectName(QStringLiteral("resume"));
    m_runActions.stop = makeAction(run, tr("Stop"), QStringLiteral("stop"), {}, tr("Stop the job of this task, else the one that runs; what was measured is kept (Esc)"), [this] {
        const Job* job = m_jobs.jobOf(m_selection.task());
        if (!job || !job->isActive())
            job = m_jobs.active();
        if (job)
            m_controller->stop(job->id);
    });
    m_runActions.stop->setObjectName(QStringLiteral("stop"));
    makeAction(run, tr("Stop All"), QStringLiteral("stop"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Period), tr("Stop every job"), [this] { m_controller->stopAll(); });

    QMenu* tools = menuBar()->addMenu(tr("T&ools"));
    makeAction(tools, tr("Command Palette…"), QStringLiteral("palette"), QKeySequence(Qt::CTRL | Qt::Key_K), tr("Run any action by its name"), [this] { showPalette(); });
    makeAction(tools, tr("Check this Machine"), QStringLiteral("device"), {}, tr("Start the evaluator and list devices and what is missing"), [this] {
        m_stack->setCurrentWidget(m_welcome);
        m_controller->describeMachine();
    });
}

void MainWindow::fillRecent()
{
    m_recentMenu->clear();
    for (const QString& path : Settings::instance().recentProjects()) {
        QAction* action = m_recentMenu->addAction(QFileInfo(path).fileName());
        action->setToolTip(path);
        connect(action, &QAction::triggered, this, [this, path] { openProject(path); });
    }
    if (m_recentMenu->isEmpty())
        m_recentMenu->addAction(tr("None yet"))->setEnabled(false);
}

void MainWindow::showPalette()
{
    std::vector<PaletteItem> items;
    QSet<const QAction*> seen;
    const auto collect = [&](QWidget* widget) {
        for (QAction* action : widget->findChildren<QAction*>()) {
            if (action->text().isEmpty() || action->menu() || action->isSeparator() || !action->isEnabled() || !action->isVisible() || seen.contains(action))
                continue;
            seen.insert(action);
            QString title = action->text();
            title.remove(QLatin1Char('&')).remove(QStringLiteral("…"));
            // A key that a menu only shows stands behind a tab.
            const QString shown = title.section(QLatin1Char('\t'), 1);
            QString name = title.section(QLatin1Char('\t'), 0, 0);
            for (const QObject* place : action->associatedObjects())
                if (const auto* menu = qobject_cast<const QMenu*>(place); menu && qobject_cast<QMenu*>(menu->parent()))
                    name = menu->title().remove(QLatin1Char('&')) + QStringLiteral(": ") + name; // "Theme: Dark"
            // Every table has the same tools as the Edit menu, which acts on the right one.
            if (std::any_of(items.begin(), items.end(), [&name](const PaletteItem& item) { return item.title == name; }))
                continue;
            items.push_back({name, shown.isEmpty() ? action->shortcut().toString(QKeySequence::NativeText) : shown, action->icon(), [action = QPointer<QAction>(action)] {
                                 if (action)
                                     action->trigger();
                             }});
        }
    };
    // The page's own first: they are the most likely to be meant. Those of hidden pages have nothing to act on.
    if (QWidget* page = m_stack->currentWidget())
        collect(page);
    for (int i = 0; i < m_stack->count(); ++i)
        for (QAction* action : m_stack->widget(i)->findChildren<QAction*>())
            seen.insert(action);
    collect(this);
    m_palette->open(tr("Type the name of an action"), std::move(items));
}

void MainWindow::showTaskPalette()
{
    std::vector<PaletteItem> items;
    for (const TaskEntry& entry : *m_project.tasks()) {
        const QString id = entry.level > 0 ? QString::fromStdString(entry.id.value) + QStringLiteral("  ") : QString();
        const QString best = entry.row.best.valid() ? QString::fromStdString(base::estimateText(entry.row.best)) + QString::fromStdString(entry.row.marks) : QString();
        items.push_back({id + entry.name, best, Theme::instance().icon(QStringLiteral("task"), Role::Muted), [this, task = entry.id] {
                             const QString page = m_selection.page() == QLatin1String("compare") ? m_selection.page() : QStringLiteral("task");
                             m_selection.open(task, page);
                             showPage(page);
                         }});
    }
    m_palette->open(tr("Type a task's number or name"), std::move(items));
}

void MainWindow::find()
{
    if (ViewTools* table = ViewTools::around(m_focused))
        return table->find();
    if (auto* page = qobject_cast<Page*>(m_stack->currentWidget()))
        page->find();
}

void MainWindow::newProject()
{
    QString file = QFileDialog::getSaveFileName(this, tr("New project"), QStringLiteral("project.cudal1"), tr("Projects (*.cudal1)"), nullptr, QFileDialog::DontConfirmOverwrite);
    if (file.isEmpty())
        return;
    if (QFileInfo(file).suffix().isEmpty())
        file += QStringLiteral(".cudal1");
    openProject(file);
}

void MainWindow::openSample()
{
    const auto sample = store::sampleProject(QApplication::applicationDirPath().toStdString(), store::Project::defaultPath().parent_path());
    if (!sample)
        return showMessage(Message::fromError(sample.error()));
    openProject(QString::fromStdString(sample->string()));
}

void MainWindow::chooseProject()
{
    const QString file = askForProject(this, tr("Open project"));
    if (!file.isEmpty())
        openProject(file);
}

void MainWindow::loadChoice()
{
    Settings& settings = Settings::instance();
    for (const char* key : {"device", "precision", "preset", "rounds"})
        applySetting(QLatin1String(key));
    connect(&m_choice, &RunChoice::changed, this, [this, &settings] {
        const auto word = [](std::string_view text) { return QString::fromUtf8(text.data(), qsizetype(text.size())); };
        settings.set("device", m_choice.device());
        settings.set("precision", word(protocol::toString(m_choice.precision())));
        settings.set("preset", word(protocol::toString(m_choice.preset())));
        settings.set("rounds", m_choice.rounds());
    });
}

/// A setting changed, perhaps in the dialog: the choice of the tool bar follows.
void MainWindow::applySetting(const QString& key)
{
    const Settings& settings = Settings::instance();
    if (key == QLatin1String("device"))
        m_choice.setDevice(settings.text("device"));
    if (key == QLatin1String("rounds"))
        m_choice.setRounds(settings.integer("rounds"));
    if (protocol::Precision precision; key == QLatin1String("precision") && protocol::fromString(settings.text("precision").toStdString(), precision))
        m_choice.setPrecision(precision);
    if (protocol::Preset preset; key == QLatin1String("preset") && protocol::fromString(settings.text("preset").toStdString(), preset))
        m_choice.setPreset(preset);
    if (key == QLatin1String("theme")) {
        const QString theme = settings.text("theme");
        Theme::instance().setMode(theme == QLatin1String("dark") ? Theme::Mode::Dark : theme == QLatin1String("light") ? Theme::Mode::Light : Theme::Mode::System);
    }
}

void MainWindow::about()
{
    QMessageBox box(this);
    box.setWindowTitle(tr("About"));
    box.setIconPixmap(windowIcon().pixmap(Theme::instance().unit(16)));
    box.setText(tr("<b>CUDA-L1 Workbench %1</b>").arg(QApplication::applicationVersion()));
    box.setInformativeText(tr("Faster PyTorch modules, proven correct and measured so that they cannot cheat.<br>Free software under the GNU General Public "
                              "License, version 3 or later."));
    box.exec();
}

} // namespace cudal1::ui
