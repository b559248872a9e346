// SPDX-License-Identifier: GPL-3.0-or-later
// Composition of the window, and what it shows when a project opens or fails to.
#include "ui/shell/mainwindow.h"

#include "ui/kit/page.h"
#include "ui/kit/pagetabs.h"
#include "ui/kit/settings.h"
#include "ui/kit/theme.h"
#include "ui/kit/uistate.h"
#include "ui/policies/modelsdialog.h"
#include "ui/policies/promptdialog.h"
#include "ui/shell/choicesettings.h"
#include "ui/shell/commandpalette.h"
#include "ui/shell/helpdialog.h"
#include "ui/shell/jobsview.h"
#include "ui/shell/mainmenus.h"
#include "ui/shell/optimizemanydialog.h"
#include "ui/shell/pageroom.h"
#include "ui/shell/paletteitems.h"
#include "ui/shell/runbar.h"
#include "ui/shell/statusline.h"
#include "ui/shell/welcomepage.h"
#include "ui/variants/texts.h"

#include <QAbstractButton>
#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QFrame>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace cudal1::ui {

MainWindow::MainWindow(PolicyFactory policy, QWidget* parent)
    : QMainWindow(parent), m_controller(new Controller(m_project, m_choice, m_jobs, std::move(policy), this)),
      m_tabs(new PageTabs), m_stack(new QStackedWidget), m_welcome(new WelcomePage), m_messages(new MessageBar),
      m_files(m_project, m_selection, *m_messages, *this), m_target(*this, *m_stack)
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
    connect(m_stack, &QStackedWidget::currentChanged, this,
            [this](int index) { m_tabs->setMarked(index > m_stack->indexOf(m_welcome)); });

    keepInSettings(m_choice);
    m_menus = new MainMenus(*this, m_project, m_selection, m_jobs, *m_controller, m_files, m_target);
    auto* bar = new RunBar(m_project, m_selection, m_choice, m_models, m_menus->runActions(), this);
    addToolBar(bar);
    connect(bar, &RunBar::addModelRequested, this, [this] { showModels(true); });
    connect(m_menus, &MainMenus::policiesRequested, bar, &RunBar::openPolicies);
    connect(bar, &RunBar::modelsRequested, this, [this] { showModels(false); });
    connect(bar, &RunBar::promptRequested, this, &MainWindow::showPrompt);
    connect(bar, &RunBar::devicesWanted, m_controller, &Controller::describeMachine);
    m_status = new StatusLine(m_jobs, m_project, this);
    setStatusBar(m_status);
    makeDocks();
    m_room = new PageRoom(*m_menus->room(), *m_stack, *this, {m_tasksDock, m_jobsDock});
    connect(m_room, &PageRoom::unfolded, this, &MainWindow::fitDocks);
    m_palette = new CommandPalette(this);
    connectModels();
    connectMenus();
    updateActions();
}

MainWindow::~MainWindow()
{
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
        m_menus->addDock(made->toggleViewAction());
        return made;
    };
    m_tasksDock = dock(QStringLiteral("tasksDock"), tr("Tasks"), tr("Show or hide the list of tasks"));
    m_jobsDock = dock(QStringLiteral("jobsDock"), tr("Jobs"), tr("Show or hide the list of jobs"));
    m_jobsView = new JobsView(m_jobs);
    m_jobsDock->setWidget(m_jobsView);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    connect(m_jobsView, &JobsView::stopRequested, m_controller, &Controller::stop);
    connect(m_jobsView, &JobsView::repeatRequested, m_controller, &Controller::repeat);
    connect(m_jobsView, &JobsView::resultRequested, this, &MainWindow::openResult);
    connect(m_jobsView, &JobsView::taskRequested, this,
            [this](const base::TaskId& task) { m_selection.open(task, QStringLiteral("task")); });
}

/// A fifth of the window, within what names need.
void MainWindow::fitDocks()
{
    const Theme& theme = Theme::instance();
    const int wide = std::clamp(width() / 5, theme.unit(48), theme.unit(70));
    resizeDocks({m_tasksDock, m_jobsDock}, {wide, wide}, Qt::Horizontal);
    resizeDocks({m_tasksDock, m_jobsDock}, {3 * height() / 4, height() / 4}, Qt::Vertical);
}

void MainWindow::showEvent(QShowEvent* event)
{
    QMainWindow::showEvent(event);
    // Once the docks have a size that can be divided.
    if (!std::exchange(m_arranged, true))
        QTimer::singleShot(0, this, &MainWindow::fitDocks);
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
    connect(&m_choice, &RunChoice::changed, this, &MainWindow::updateActions);
    connect(&m_project, &ProjectModel::opened, this, &MainWindow::projectOpened);
    connect(&m_project, &ProjectModel::failed, this, &MainWindow::projectFailed);
    connect(&m_files, &ProjectFiles::taskAdded, this,
            [this](const base::TaskId& task) { openTask(task, QStringLiteral("task")); });
    connect(m_controller, &Controller::messageRaised, this, &MainWindow::showMessage);
    connect(m_controller, &Controller::evaluatorStateChanged, m_status, &StatusLine::setEvaluator);
    connect(m_controller, &Controller::machineReady, m_welcome, &WelcomePage::showMachine);
    connect(m_status, &StatusLine::stopRequested, m_controller, &Controller::stop);
    connect(m_welcome, &WelcomePage::newProjectRequested, &m_files, &ProjectFiles::newProject);
    connect(m_welcome, &WelcomePage::openProjectRequested, &m_files, &ProjectFiles::chooseProject);
    connect(m_welcome, &WelcomePage::sampleRequested, &m_files, &ProjectFiles::openSample);
    connect(m_welcome, &WelcomePage::recentRequested, this, [this](const QString& path) { openProject(path); });
    connect(m_welcome, &WelcomePage::machineRequested, m_controller, &Controller::describeMachine);
    connect(m_welcome, &WelcomePage::chooseTaskRequested, this, &MainWindow::showTaskPalette);
    connect(m_welcome, &WelcomePage::firstTaskRequested, this, &MainWindow::goToFirstTask);
    connect(&Settings::instance(), &Settings::changed, this, &MainWindow::followSetting);
    connect(&UiState::instance(), &UiState::wasReset, this, [this] {
        fitScreen(*this);
        fitDocks();
    });
}

void MainWindow::followSetting(const QString& key)
{
    Theme& theme = Theme::instance();
    if (key == QLatin1String("theme")) {
        const QString mode = Settings::instance().text("theme");
        using Mode = Theme::Mode;
        theme.setMode(mode == QLatin1String("dark")    ? Mode::Dark
                      : mode == QLatin1String("light") ? Mode::Light
                                                       : Mode::System);
    } else if (key == QLatin1String("textSize")) {
        const double before = theme.textFont().pointSizeF();
        theme.setPoints(Settings::instance().number("textSize"));
        UiState::instance().scaleColumns(theme.textFont().pointSizeF() / before);
    }
}

void MainWindow::connectMenus()
{
    connect(m_menus, &MainMenus::newTaskRequested, this, &MainWindow::newTaskRequested);
    connect(m_menus, &MainMenus::reproducerRequested, this, &MainWindow::reproducerRequested);
    connect(m_menus, &MainMenus::evaluateFileRequested, this, &MainWindow::evaluateFile);
    connect(m_menus, &MainMenus::resumeRequested, this, &MainWindow::resumeInterrupted);
    connect(m_menus, &MainMenus::optimizeManyRequested, this, &MainWindow::askForMany);
    connect(m_menus, &MainMenus::promptRequested, this, &MainWindow::showPrompt);
    connect(m_menus, &MainMenus::modelsRequested, this, [this] { showModels(false); });
    connect(m_menus, &MainMenus::findTaskRequested, this, &MainWindow::findTask);
    connect(m_menus, &MainMenus::goToTaskRequested, this, &MainWindow::showTaskPalette);
    connect(m_menus, &MainMenus::paletteRequested, this, &MainWindow::showPalette);
    connect(m_menus, &MainMenus::pageHelpRequested, this, [this] { showHelp(HelpDialog::OfPage); });
    connect(m_menus, &MainMenus::keysRequested, this, [this] { showHelp(HelpDialog::Keys); });
    connect(m_menus, &MainMenus::wordsRequested, this, [this] { showHelp(HelpDialog::Words); });
    connect(&m_choice, &RunChoice::evaluatorsWanted, this,
            [this] { m_menus->showSettings(QStringLiteral("evaluators")); });
    connect(m_menus, &MainMenus::machineRequested, this, [this] {
        m_stack->setCurrentWidget(m_welcome);
        m_controller->describeMachine();
    });
}

void MainWindow::askForMany()
{
    auto* dialog = new OptimizeManyDialog(m_project, m_selection, m_choice, this);
    connect(dialog, &OptimizeManyDialog::devicesWanted, m_controller, &Controller::describeMachine);
    connect(dialog, &OptimizeManyDialog::startRequested, m_controller, &Controller::optimizeMany);
    dialog->open();
}

void MainWindow::showPrompt()
{
    auto* dialog = findChild<PromptDialog*>();
    if (!dialog) {
        dialog = new PromptDialog(m_project, m_selection, m_choice, this);
        connect(dialog, &PromptDialog::basisWanted, m_controller, &Controller::preparePrompt);
        connect(dialog, &PromptDialog::askRequested, m_controller, &Controller::optimizeBy);
        connect(m_controller, &Controller::promptReady, dialog, &PromptDialog::takeBasis);
        connect(m_controller, &Controller::promptFailed, dialog, &PromptDialog::takeFailure);
    }
    dialog->show();
    dialog->raise();
    dialog->activateWindow();
}

void MainWindow::showModels(bool adding)
{
    auto* dialog = new ModelsDialog(m_models, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    if (adding)
        connect(dialog, &ModelsDialog::saved, this, [this](const std::string& policy) {
            std::vector<std::string> names = m_choice.policies().names();
            if (std::find(names.begin(), names.end(), policy) == names.end())
                names.push_back(policy);
            m_choice.setPolicyNames(names);
        });
    dialog->show();
    if (adding)
        dialog->addNew();
}

void MainWindow::addPage(Page* page)
{
    m_pages.push_back(page);
    m_stack->addWidget(page);
    const int number = int(m_pages.size());
    const int index = m_tabs->addTab(Theme::instance().icon(page->iconName(), Role::Muted), page->title());
    const QAction* action = m_menus->addPage(page->title(), page->iconName(), number, [this, page] {
        if (m_project.isOpen())
            showPage(page->objectName());
    });
    m_tabs->setTabToolTip(index, action->toolTip());
    m_room->addPage(*page);
}

void MainWindow::setTaskList(QWidget* list, std::function<void()> find)
{
    m_tasksDock->setWidget(list);
    m_findTask = std::move(find);
}

void MainWindow::restoreLayout()
{
    m_arranged = UiState::instance().keep(this, QStringLiteral("main"));
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

void MainWindow::openTask(const base::TaskId& task, const QString& page)
{
    m_selection.open(task, page);
    showPage(page);
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
    const bool untouched = std::none_of(tasks->begin(), tasks->end(),
                                        [](const TaskEntry& e) { return e.row.variants > 0; }) &&
                           m_project.loneBaselines()->empty();
    const QString standard = m_wantedTask.isEmpty() ? QStringLiteral("overview") : QStringLiteral("task");
    const QString page = m_wantedPage.isEmpty() ? standard : m_wantedPage;
    const base::TaskId wanted{std::exchange(m_wantedTask, {}).toStdString()};
    m_wantedPage.clear();
    if (!wanted.empty() && !m_project.entry(wanted))
        showMessage({Message::Kind::Warning,
                     tr("There is no task %1.").arg(QString::fromStdString(wanted.value)),
                     tr("The list on the left shows those there are."),
                     {},
                     {}});
    if (untouched && wanted.empty() && page == QLatin1String("overview")) {
        m_stack->setCurrentWidget(m_welcome);
    } else {
        const TaskEntry* entry = m_project.entry(wanted);
        m_selection.select(entry ? wanted : base::TaskId{}, {}, entry ? entry->row.bestVariant : base::VariantId{},
                           page);
        showPage(page);
    }
    m_files.tellOfSuite();
    if (m_project.isReadOnly())
        m_files.tellOfReadOnly();
    m_choice.setStartable(!m_project.isReadOnly());
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
        actions.push_back({tr("Open another…"), [this] { m_files.chooseProject(); }});
        actions.push_back({tr("New project…"), [this] { m_files.newProject(); }});
    }
    showMessage(Message::fromError(error, std::move(actions)));
    updateActions();
}

void MainWindow::openResult(quint64 id)
{
    const Job* job = m_jobs.job(id);
    if (!job)
        return;
    const QString page = resultPage(job->kind());
    if (job->task().empty())
        return showPage(page);
    if (const base::VariantId variant = job->request.variant())
        m_selection.select(job->task(), {}, variant, page);
    else
        m_selection.open(job->task(), page);
    showPage(page);
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
    message.cause = names.size() == 1
                      ? tr("A run of %1 was cut off.").arg(names.first())
                      : tr("%1 runs were cut off: %2.").arg(names.size()).arg(names.join(QStringLiteral(", ")));
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
    m_menus->update(!m_interrupted.empty(), m_choice.isStartable());
}

void MainWindow::showPalette()
{
    m_palette->open(tr("Type the name of an action"), actionItems(*this, *m_stack));
}

void MainWindow::showHelp(int tab)
{
    if (!m_help) {
        std::vector<Page*> pages = m_pages;
        pages.insert(pages.begin(), m_welcome);
        m_help = new HelpDialog(*this, pages);
        connect(m_stack, &QStackedWidget::currentChanged, m_help,
                [this] { m_help->setPage(qobject_cast<Page*>(m_stack->currentWidget())); });
    }
    m_help->setPage(qobject_cast<Page*>(m_stack->currentWidget()));
    m_help->open(HelpDialog::Tab(tab));
}

void MainWindow::showTaskPalette()
{
    m_palette->open(tr("Type a task's number or name"), taskItems(m_project, [this](const base::TaskId& task) {
                        openTask(task, m_selection.page() == QLatin1String("compare") ? m_selection.page()
                                                                                      : QStringLiteral("task"));
                    }));
}

void MainWindow::findTask()
{
    m_tasksDock->show();
    if (m_findTask)
        m_findTask();
}

void MainWindow::goToFirstTask()
{
    const base::TaskId first = m_project.firstTask();
    if (first.empty())
        return showTaskPalette();
    openTask(first, QStringLiteral("task"));
}

void MainWindow::evaluateFile(const base::TaskId& task)
{
    const QString file = QFileDialog::getOpenFileName(this, tr("Evaluate a file"), {}, tr("Python files (*.py)"));
    if (!file.isEmpty())
        m_controller->evaluateFile(task, file);
}

/// Whether the window stays open, since work goes on that nobody said may end. The second time nobody is asked.
bool MainWindow::askBeforeClosing()
{
    const int active = m_jobs.active() ? std::max(1, m_jobs.running()) : 0;
    if (active == 0 || m_closeAsked || qApp->isSavingSession())
        return false;
    m_closeAsked = true;
    showMessage({Message::Kind::Warning,
                 counted(active, tr("job is at work"), tr("jobs are at work")) + u'.',
                 tr("What was judged is kept, and the next start offers to go on with searches that are cut off."),
                 {},
                 {{tr("Close all the same"), [this] { QTimer::singleShot(0, this, &QWidget::close); }},
                  {tr("Stay"), [this] { m_closeAsked = false; }}}});
    return true;
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (askBeforeClosing())
        return event->ignore();
    m_room->leave();
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
