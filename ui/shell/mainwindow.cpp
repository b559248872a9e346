// SPDX-License-Identifier: GPL-3.0-or-later
// Composition of the window and the life of its project; menus are in mainmenus.cpp.
#include "ui/shell/mainwindow.h"

#include "ui/shell/commandpalette.h"
#include "ui/shell/jobsview.h"
#include "ui/kit/page.h"
#include "ui/kit/pagetabs.h"
#include "ui/kit/settings.h"
#include "ui/shell/statusline.h"
#include "ui/kit/theme.h"
#include "ui/kit/uistate.h"
#include "ui/shell/welcomepage.h"

#include <QAbstractButton>
#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QFrame>
#include <QMenu>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace cudal1::ui {

MainWindow::MainWindow(PolicyFactory policy, QWidget* parent)
    : QMainWindow(parent), m_controller(new Controller(m_project, m_choice, m_jobs, std::move(policy), this)), m_tabs(new PageTabs),
      m_stack(new QStackedWidget), m_welcome(new WelcomePage), m_messages(new MessageBar)
{
    setObjectName(QStringLiteral("mainWindow"));
    setWindowIcon(QIcon(QStringLiteral(":/cudal1-workbench.svg")));
    setWindowTitle(tr("CUDA-L1 Workbench"));
    const Theme& theme = Theme::instance();
    setMinimumSize(theme.unit(180), theme.unit(120));
    resize(theme.unit(330), theme.unit(210));

    auto* central = new QWidget;
    auto* layout = new QVBoxLayout(central);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_messages);
    m_tabs->setObjectName(QStringLiteral("pageTabs"));
    layout->addWidget(m_tabs);
    auto* line = new QFrame;
    line->setProperty("class", QStringLiteral("separator"));
    line->setFixedHeight(1);
    layout->addWidget(line);
    layout->addWidget(m_stack, 1);
    setCentralWidget(central);
    m_stack->addWidget(m_welcome);
    m_stack->insertWidget(0, new QWidget); // until it is known whether a project opens
    m_stack->setCurrentIndex(0);
    connect(m_stack, &QStackedWidget::currentChanged, this, [this](int index) { m_tabs->setMarked(index > m_stack->indexOf(m_welcome)); });

    loadChoice();
    makeMenus();
    auto* bar = new RunBar(m_project, m_selection, m_choice, m_runActions, this);
    addToolBar(bar);
    connect(bar, &RunBar::devicesWanted, m_controller, &Controller::describeMachine);
    m_status = new StatusLine(m_jobs, m_project, this);
    setStatusBar(m_status);
    makeDocks();
    m_palette = new CommandPalette(this);
    connectModels();
    updateActions();
}

MainWindow::~MainWindow()
{
    disconnect(qApp, nullptr, this, nullptr); // children lose the focus when the members are gone
    // The controller's thread uses what this window owns, so it ends before the members go.
    delete m_controller;
}

void MainWindow::makeDocks()
{
    const auto dock = [this](const QString& name, const QString& title, const QString& tip) {
        auto* made = new QDockWidget(title, this);
        made->setObjectName(name);
        made->setFeatures(QDockWidget::DockWidgetMovable | QDockWidget::DockWidgetClosable);
        made->toggleViewAction()->setToolTip(tip);
        made->setMinimumWidth(Theme::instance().unit(48));
        if (auto* close = made->findChild<QAbstractButton*>(QStringLiteral("qt_dockwidget_closebutton"))) {
            close->setAccessibleName(tr("Hide %1").arg(title));
            close->setToolTip(close->accessibleName());
        }
        addDockWidget(Qt::LeftDockWidgetArea, made);
        m_viewMenu->insertAction(m_firstDockAction, made->toggleViewAction());
        return made;
    };
    m_tasksDock = dock(QStringLiteral("tasksDock"), tr("Tasks"), tr("Show or hide the list of tasks"));
    m_jobsDock = dock(QStringLiteral("jobsDock"), tr("Jobs"), tr("Show or hide the list of jobs"));
    m_jobsView = new JobsView(m_jobs);
    m_jobsDock->setWidget(m_jobsView);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    const Theme& theme = Theme::instance();
    resizeDocks({m_tasksDock, m_jobsDock}, {theme.unit(66), theme.unit(66)}, Qt::Horizontal);
    resizeDocks({m_tasksDock, m_jobsDock}, {theme.unit(120), theme.unit(40)}, Qt::Vertical);
    connect(m_jobsView, &JobsView::stopRequested, m_controller, &Controller::stop);
    connect(m_jobsView, &JobsView::repeatRequested, m_controller, &Controller::repeat);
    connect(m_jobsView, &JobsView::taskRequested, this,
            [this](const base::TaskId& task) { m_selection.open(task, QStringLiteral("task")); });
}

void MainWindow::connectModels()
{
    connect(m_tabs, &QTabBar::tabBarClicked, this, [this](int index) {
        if (index >= 0 && index < int(m_pages.size()) && m_project.isOpen())
            showPage(m_pages[std::size_t(index)]->objectName());
    });
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int index) {
        if (index >= 0 && index < int(m_pages.size()) && m_tabs->hasFocus())
            showPage(m_pages[std::size_t(index)]->objectName());
    });
    connect(&m_selection, &Selection::pageChanged, this, &MainWindow::showPage);
    connect(&m_selection, &Selection::taskChanged, this, [this](const base::TaskId& task) {
        if (!task.empty() && m_stack->currentWidget() == m_welcome)
            m_selection.selectPage(QStringLiteral("task"));
        if (!task.empty() && m_stack->currentWidget() == m_welcome)
            showPage(QStringLiteral("task"));
        updateActions();
    });
    connect(&m_selection, &Selection::historyChanged, this, &MainWindow::updateActions);
    connect(&m_jobs, &JobsModel::jobChanged, this, &MainWindow::updateActions);
    connect(&m_project, &ProjectModel::opened, this, &MainWindow::projectOpened);
    connect(&m_project, &ProjectModel::failed, this, &MainWindow::projectFailed);
    connect(&m_project, &ProjectModel::suiteChanged, this, [this] {
        Settings::instance().set("suite", m_wantedSuite);
        const base::TaskId task = m_selection.task();
        if (!task.empty() && !m_project.entry(task))
            m_selection.clear();
        tellOfSuite();
    });
    connect(&m_project, &ProjectModel::imported, this, [this](const QString& file, const store::MergeCounts& counts) {
        showMessage({Message::Kind::Info, tr("Imported from %1: %2.").arg(QFileInfo(file).fileName(), QString::fromStdString(counts.text())), {}, {}, {}});
    });
    connect(m_controller, &Controller::messageRaised, this, &MainWindow::showMessage);
    connect(m_controller, &Controller::evaluatorStateChanged, m_status, &StatusLine::setEvaluator);
    connect(m_controller, &Controller::machineReady, m_welcome, &WelcomePage::showMachine);
    connect(m_status, &StatusLine::stopRequested, m_controller, &Controller::stop);
    connect(m_welcome, &WelcomePage::newProjectRequested, this, &MainWindow::newProject);
    connect(m_welcome, &WelcomePage::openProjectRequested, this, &MainWindow::chooseProject);
    connect(m_welcome, &WelcomePage::sampleRequested, this, &MainWindow::openSample);
    connect(m_welcome, &WelcomePage::recentRequested, this, [this](const QString& path) { openProject(path); });
    connect(m_welcome, &WelcomePage::machineRequested, m_controller, &Controller::describeMachine);
    connect(m_welcome, &WelcomePage::chooseTaskRequested, this, &MainWindow::showTaskPalette);
    connect(m_welcome, &WelcomePage::firstTaskRequested, this, &MainWindow::goToFirstTask);
    connect(&Settings::instance(), &Settings::changed, this, &MainWindow::applySetting);
}

void MainWindow::addPage(Page* page)
{
    m_pages.push_back(page);
    m_stack->addWidget(page);
    const int number = int(m_pages.size());
    const int index = m_tabs->addTab(Theme::instance().icon(page->iconName(), Role::Muted), page->title());
    QAction* action = makeAction(nullptr, page->title(), page->iconName(), QKeySequence(Qt::CTRL | Qt::Key(Qt::Key_0 + number)),
                                 tr("Show the page %1").arg(page->title()), [this, page] {
                                     if (m_project.isOpen())
                                         showPage(page->objectName());
                                 });
    m_viewMenu->insertAction(m_pagesEnd, action);
    m_tabs->setTabToolTip(index, action->toolTip());
}

void MainWindow::setTaskList(QWidget* list, std::function<void()> find)
{
    m_tasksDock->setWidget(list);
    m_findTask = std::move(find);
}

void MainWindow::restoreLayout()
{
    UiState::instance().keep(this, QStringLiteral("main"));
}

void MainWindow::showPage(const QString& name)
{
    for (std::size_t i = 0; i < m_pages.size(); ++i) {
        if (m_pages[i]->objectName() != name)
            continue;
        m_stack->setCurrentWidget(m_pages[i]);
        m_tabs->setCurrentIndex(int(i));
    }
    m_selection.selectPage(name);
}

void MainWindow::openProject(const QString& file, const QString& suite)
{
    QString folder = suite.isEmpty() ? Settings::instance().text("suite") : suite;
    m_selection.clear();
    m_project.open(QFileInfo(file).absoluteFilePath(), folder.isEmpty() ? bundledFolder() : folder);
}

QString MainWindow::bundledFolder()
{
    const auto bundled = tasks::bundledSuite(QApplication::applicationDirPath().toStdString());
    if (bundled)
        return QString::fromStdString(bundled.value().string());
    showMessage(Message::fromError(bundled.error()));
    return {};
}

void MainWindow::addTaskFile(const QString& file)
{
    const auto added = m_project.addTaskFile(file);
    if (!added)
        return showMessage(Message::fromError(added.error()));
    m_selection.open(added.value(), QStringLiteral("task"));
    showPage(QStringLiteral("task"));
}

void MainWindow::chooseSuite()
{
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Open a suite: a KernelBench checkout, or a folder of tasks"),
                                                             Settings::instance().text("suite"));
    if (!folder.isEmpty())
        openSuite(folder);
}

void MainWindow::openSuite(const QString& folder)
{
    const QString from = folder.isEmpty() ? bundledFolder() : folder;
    if (from.isEmpty())
        return;
    m_wantedSuite = folder;
    m_project.openSuite(from);
}

/// What a person has to know of the suite that was opened: where its numbers may not be put beside others.
void MainWindow::tellOfSuite()
{
    tellOfProblems();
    const std::vector<base::TaskId> changed = m_project.changedTexts();
    if (changed.empty())
        return;
    Message message;
    message.kind = Message::Kind::Info;
    message.cause = changed.size() == 1 ? tr("The file of task %1 was changed since it was measured.").arg(QString::fromStdString(changed.front().value))
                                        : tr("The files of %1 tasks were changed since they were measured.").arg(changed.size());
    message.nextStep = tr("The project goes on with the texts that it measured; with the new ones, earlier results are kept and count nowhere.");
    message.actions.push_back({tr("Take the new texts"), [this] {
                                   if (const auto taken = m_project.takeChangedTexts(); !taken)
                                       showMessage(Message::fromError(taken.error()));
                               }});
    showMessage(message);
}

void MainWindow::tellOfProblems()
{
    m_messages->retract(std::exchange(m_problems, {})); // of a suite that was open before
    if (m_project.problems().empty())
        return;
    QStringList lines;
    for (const tasks::Problem& problem : m_project.problems())
        lines << QStringLiteral("%1:%2: %3").arg(QString::fromStdString(problem.path.string())).arg(problem.line).arg(QString::fromStdString(problem.message));
    m_problems = lines.size() == 1 ? tr("A file of the suite is no task: %1").arg(lines.first())
                                   : tr("%1 files of the suite are no tasks; the others are here. The first: %2").arg(lines.size()).arg(lines.first());
    showMessage({Message::Kind::Warning, m_problems, tr("Correct them and open the suite again; Copy details has all of them."), lines.join(QLatin1Char('\n')), {}});
}

void MainWindow::selectWhenOpen(const QString& task, const QString& page)
{
    m_wantedTask = task;
    m_wantedPage = page;
}

void MainWindow::projectOpened()
{
    const QString path = m_project.path();
    setWindowTitle(tr("%1 — CUDA-L1 Workbench").arg(QFileInfo(path).fileName()));
    Settings::instance().addRecentProject(path);
    m_welcome->setProjectOpen(true);
    const auto tasks = m_project.tasks();
    const bool untouched = std::none_of(tasks->begin(), tasks->end(), [](const TaskEntry& e) { return e.row.variants > 0; })
        && m_project.loneBaselines()->empty();
    const QString standard = m_wantedTask.isEmpty() ? QStringLiteral("overview") : QStringLiteral("task");
    const QString page = m_wantedPage.isEmpty() ? standard : m_wantedPage;
    const base::TaskId wanted{std::exchange(m_wantedTask, {}).toStdString()};
    m_wantedPage.clear();
    if (!wanted.empty() && !m_project.entry(wanted))
        showMessage({Message::Kind::Warning, tr("There is no task %1.").arg(QString::fromStdString(wanted.value)), tr("The list on the left shows those there are."), {}, {}});
    if (untouched && wanted.empty() && page == QLatin1String("overview")) {
        m_stack->setCurrentWidget(m_welcome);
    } else {
        const TaskEntry* entry = m_project.entry(wanted);
        m_selection.select(entry ? wanted : base::TaskId{}, {}, entry ? entry->row.bestVariant : base::VariantId{}, page);
        showPage(page);
    }
    tellOfSuite();
    m_interrupted = m_controller->interruptedRuns();
    if (Settings::instance().value("offerResume").toBool())
        offerResume();
    updateActions();
}

void MainWindow::projectFailed(const base::Error& error)
{
    std::vector<Message::Action> actions;
    if (!m_project.isOpen()) {
        m_welcome->setProjectOpen(false);
        m_stack->setCurrentWidget(m_welcome);
        setWindowTitle(tr("CUDA-L1 Workbench"));
        actions.push_back({tr("Open another…"), [this] { chooseProject(); }});
        actions.push_back({tr("New project…"), [this] { newProject(); }});
    }
    showMessage(Message::fromError(error, std::move(actions)));
    updateActions();
}

void MainWindow::offerResume()
{
    if (m_interrupted.empty())
        return;
    QStringList names;
    for (const store::RunRecord& run : m_interrupted)
        names << QString::fromStdString(run.task.value);
    Message message;
    message.kind = Message::Kind::Info;
    message.cause = names.size() == 1 ? tr("A run of %1 was cut off.").arg(names.first()) : tr("%1 runs were cut off: %2.").arg(names.size()).arg(names.join(QStringLiteral(", ")));
    message.nextStep = tr("What it measured is kept; resuming goes on with the rest of its queue.");
    message.actions.push_back({tr("Resume"), [this] { resumeInterrupted(); }});
    showMessage(message);
}

void MainWindow::resumeInterrupted()
{
    for (const store::RunRecord& run : std::exchange(m_interrupted, {}))
        m_controller->resume(run);
    updateActions();
}

void MainWindow::showMessage(const Message& message)
{
    m_messages->add(message);
}

void MainWindow::updateActions()
{
    const base::TaskId& task = m_selection.task();
    const Job* job = m_jobs.jobOf(task);
    const bool busy = job && job->isActive();
    const bool chosen = m_project.isOpen() && !task.empty();
    m_runActions.back->setEnabled(m_selection.canGoBack());
    m_runActions.forward->setEnabled(m_selection.canGoForward());
    m_runActions.goToTask->setEnabled(m_project.isOpen());
    m_runActions.optimize->setEnabled(chosen && !busy);
    m_runActions.stop->setEnabled(busy ? job->state != Job::State::Stopping : m_jobs.active() != nullptr);
    m_baselines->setEnabled(chosen && !busy);
    m_runAgain->setEnabled(chosen && !busy);
    m_evaluateFile->setEnabled(chosen);
    for (QAction* action : m_projectActions)
        action->setEnabled(m_project.isOpen());
    m_resume->setEnabled(m_project.isOpen() && !m_interrupted.empty());
}

void MainWindow::goToFirstTask()
{
    const auto tasks = m_project.tasks();
    if (tasks->empty())
        return showTaskPalette();
    m_selection.open(tasks->front().id, QStringLiteral("task"));
    showPage(QStringLiteral("task"));
}

void MainWindow::evaluateFile(const base::TaskId& task)
{
    const QString file = QFileDialog::getOpenFileName(this, tr("Evaluate a file"), {}, tr("Python files (*.py)"));
    if (!file.isEmpty())
        m_controller->evaluateFile(task, file);
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    UiState::instance().save();
    hide(); // ending the evaluator may take a moment
    QMainWindow::closeEvent(event);
}

void MainWindow::keyPressEvent(QKeyEvent* event)
{
    // Esc arrives here when nothing that has the focus wanted it.
    if (event->key() != Qt::Key_Escape)
        return QMainWindow::keyPressEvent(event);
    const Job* job = m_jobs.jobOf(m_selection.task());
    if (job && job->isActive())
        m_controller->stop(job->id);
    else if (m_messages->count() > 0)
        m_messages->dismiss();
}

} // namespace cudal1::ui
