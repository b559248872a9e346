// SPDX-License-Identifier: GPL-3.0-or-later
// Cards over tabs.
#include "ui/training/trainingpage.h"

#include "ui/kit/pagetabs.h"
#include "ui/kit/rowtable.h"
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/kit/tool.h"
#include "ui/training/comparisonmodel.h"
#include "ui/training/curvesgrid.h"
#include "ui/training/groupsview.h"
#include "ui/training/stagecard.h"
#include "ui/training/trainingcurves.h"
#include "ui/training/trainingform.h"
#include "ui/training/traininglog.h"
#include "ui/work/jobsmodel.h"
#include "ui/work/projectmodel.h"
#include "ui/work/selection.h"
#include "ui/work/writing.h"

#include <QAction>
#include <QDateTime>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QTableView>
#include <QTimer>
#include <QVBoxLayout>

#include <utility>

namespace cudal1::ui {

using learning::Stage;

namespace {

const QStringList& keptFiles()
{
    static const QStringList names{QStringLiteral("steps.jsonl"), QStringLiteral("training.json")};
    return names;
}

/// The example makes its three stages in folders within its own.
bool isOfExample(const QString& folder)
{
    return QFileInfo::exists(QDir(QFileInfo(folder).path()).filePath(QStringLiteral("example.cudal1")));
}

} // namespace

TrainingPage::TrainingPage(ProjectModel& project, Selection& selection, JobsModel& jobs, QWidget* parent)
    : Page(QStringLiteral("training"), tr("Training"), QStringLiteral("training"), parent), m_project(project),
      m_selection(selection), m_jobs(jobs), m_tabs(new PageTabs), m_stack(new QStackedWidget), m_curves(new CurvesGrid),
      m_groups(new GroupsView), m_comparison(new ComparisonModel(this)), m_comparisonNote(new QLabel),
      m_log(new TrainingLog), m_form(new TrainingForm), m_wait(new QTimer(this)), m_look(new QTimer(this))
{
    const Theme& theme = Theme::instance();
    auto* content = new QWidget;
    auto* cards = new QHBoxLayout;
    cards->setContentsMargins(theme.unit(2), theme.unit(2), theme.unit(2), theme.unit(1));
    cards->setSpacing(theme.unit(2));
    for (const Stage stage : {Stage::Supervised, Stage::SelfSupervised, Stage::Contrastive}) {
        auto* card = new StageCard(stage);
        m_cards[std::size_t(stage)] = card;
        cards->addWidget(card, 1);
        connect(card, &StageCard::chosen, this, [this, stage] {
            m_question.stage = stage;
            changed();
        });
        connect(card, &StageCard::trainingChosen, this, [this, stage](const QString& folder) {
            m_question.chosen[std::size_t(stage)] = folder;
            m_question.stage = stage;
            changed();
        });
        connect(card, &StageCard::goOnRequested, this, &TrainingPage::goOn);
        connect(card, &StageCard::stopRequested, this, [this, stage] {
            if (const TrainingEntry* entry = m_view ? m_view->at(stage) : nullptr)
                if (const Job* own = job(*entry))
                    emit stopRequested(own->id);
        });
        connect(card, &StageCard::newRequested, this, [this, stage] { beginNew(stage); });
    }
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(cards);
    layout->addWidget(makeTabs(), 1);
    setContent(content);
    makeActions();
    showEmpty(tr("No trainings yet"), tr("Open a project first."));

    m_wait->setSingleShot(true);
    m_wait->setInterval(100); // many changes in a row are read once
    connect(m_wait, &QTimer::timeout, this, &TrainingPage::load);
    m_look->setInterval(1000);
    connect(m_look, &QTimer::timeout, this, &TrainingPage::look);
    connect(&m_project, &ProjectModel::tasksChanged, this, &TrainingPage::changed);
    connect(&m_project, &ProjectModel::opened, this, [this] {
        showEmpty(tr("Reading the trainings"), tr("Those that the project knows, and those beside its file."));
        changed();
    });
    connect(&m_project, &ProjectModel::closed, this, [this] {
        m_asker.forget();
        m_question = {};
        m_view.reset();
        m_setsUp = false;
        showEmpty(tr("No trainings yet"), tr("Open a project first."));
    });
    connect(&m_jobs, &JobsModel::jobChanged, this, [this](quint64 id) {
        const Job* one = m_jobs.job(id);
        if (!one || (one->kind() != JobKind::Train && one->kind() != JobKind::TrainExample))
            return;
        showCards();
        if (!one->isActive())
            changed();
    });
}

QWidget* TrainingPage::makeTabs()
{
    const Theme& theme = Theme::instance();
    m_tabs->setObjectName(QStringLiteral("trainingTabs"));
    m_tabs->setAccessibleName(tr("Of the training"));
    m_tabs->setFocusPolicy(Qt::StrongFocus);
    m_tabs->addTab(tr("Curves"));
    m_tabs->addTab(tr("Groups"));
    m_tabs->addTab(tr("Checkpoints"));
    m_tabs->addTab(tr("Log"));
    m_tabs->addTab(tr("New Training"));
    m_tabs->setTabToolTip(Curves, tr("Loss, reward, success and more, step by step"));
    m_tabs->setTabToolTip(Groups, tr("The replies to each prompt with reward, advantage and verdict"));
    m_tabs->setTabToolTip(Checkpoints, tr("Checkpoints and other policies on tasks that nothing was learnt from"));
    m_tabs->setTabToolTip(Log, tr("How each start of it began and ended, checkpoints, and what the trainer says"));
    m_tabs->setTabToolTip(NewTraining, tr("Settings of a training, with a forecast of memory and time"));
    m_tabs->setMarked(true);
    m_stack->addWidget(m_curves);
    m_stack->addWidget(m_groups);
    m_stack->addWidget(makeComparison());
    m_stack->addWidget(m_log);
    m_stack->addWidget(m_form);
    connect(m_tabs, &QTabBar::currentChanged, m_stack, &QStackedWidget::setCurrentIndex);
    connect(m_groups, &GroupsView::errorRaised, this, &TrainingPage::errorRaised);
    connect(m_groups, &GroupsView::compareRequested, this, [this](const base::TaskId& task, base::VariantId variant) {
        if (m_view && QFileInfo(m_view->groupsProject) == QFileInfo(m_project.path()))
            m_selection.select(task, {}, variant, QStringLiteral("compare"));
        else
            emit errorRaised({base::ErrorCode::InvalidArgument, "The variant is in another project",
                              m_view->groupsProject.toStdString(), "Open that project to compare it"});
    });
    connect(
        m_form, &TrainingForm::startRequested, this,
        [this](const learning::StageOptions& options, const std::string& examples, int level) {
            m_question.places << QString::fromStdString(options.out);
            m_question.stage = options.stage;
            m_question.chosen[std::size_t(options.stage)] = QDir(QString::fromStdString(options.out)).absolutePath();
            emit startRequested(options, examples, level);
            setTab(Curves);
        });
    auto* out = new QWidget;
    auto* layout = new QVBoxLayout(out);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(theme.unit(1));
    layout->addWidget(m_tabs);
    layout->addWidget(m_stack, 1);
    return out;
}

QWidget* TrainingPage::makeComparison()
{
    const Theme& theme = Theme::instance();
    auto* proxy = new QSortFilterProxyModel(this);
    proxy->setSourceModel(m_comparison);
    proxy->setSortRole(TableModel::SortRole);
    m_comparisonTable = new QTableView;
    m_comparisonTable->setModel(proxy);
    setUpRows(*m_comparisonTable, QStringLiteral("trainingComparison"), tr("Policies on held-out tasks"));
    m_comparisonTable->setFrameShape(QFrame::NoFrame);
    m_comparisonTable->setSortingEnabled(true);
    m_comparisonTable->sortByColumn(-1, Qt::AscendingOrder);
    m_comparisonTable->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    constexpr int units[]{54, 16, 18, 21, 22, 18, 22, 19, 20};
    for (int column = 0; column < ComparisonModel::ColumnCount; ++column)
        m_comparisonTable->horizontalHeader()->resizeSection(column, theme.unit(units[column]));
    m_comparisonTable->horizontalHeader()->setSectionResizeMode(ComparisonModel::Policy, QHeaderView::Stretch);
    m_comparisonTools = setupView(m_comparisonTable, QStringLiteral("trainingcomparison"));
    m_comparisonNote->setObjectName(QStringLiteral("trainingComparisonNote"));
    m_comparisonNote->setProperty("class", QStringLiteral("muted"));
    m_comparisonNote->setWordWrap(true);
    m_comparisonNote->setContentsMargins(theme.unit(3), theme.unit(2), theme.unit(3), theme.unit(2));
    auto* out = new QWidget;
    auto* layout = new QVBoxLayout(out);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_comparisonNote);
    layout->addWidget(m_comparisonTable, 1);
    return out;
}

void TrainingPage::makeActions()
{
    const auto add = [this](const QString& text, const QString& tip, auto slot) {
        QAction* action = makeTool(this, {}, text, tip);
        connect(action, &QAction::triggered, this, slot);
        return action;
    };
    add(tr("New training…"), tr("Set up a stage of a training, with a forecast of memory and time"),
        [this] { beginNew(Stage::Supervised); });
    add(tr("Open a training…"), tr("Show trainings of a folder"), &TrainingPage::chooseFolder);
    m_example = add(tr("Run the training example"), tr("All three stages with a tiny model on small tasks of its own"),
                    &TrainingPage::exampleRequested);
    m_goOn = add(tr("Go on with the training"), tr("Go on from the newest checkpoint"), [this] {
        if (m_view && m_view->entry())
            goOn(m_view->entry()->folder);
    });
    m_stop = add(tr("Stop the training"), tr("Stop after the update that is under way"), [this] {
        const Job* own = m_view && m_view->entry() ? job(*m_view->entry()) : nullptr;
        if (own)
            emit stopRequested(own->id);
    });
    m_goOn->setEnabled(false);
    m_stop->setEnabled(false);
}

ViewTools* TrainingPage::table() const
{
    if (m_stack->currentIndex() == Groups)
        return m_groups->tools();
    return m_stack->currentIndex() == Checkpoints ? m_comparisonTools : nullptr;
}

void TrainingPage::setTab(Tab tab)
{
    m_tabs->setCurrentIndex(tab);
}

void TrainingPage::openFolder(const QString& folder)
{
    m_question.places.removeAll(folder);
    m_question.places << folder;
    m_question.chosen = {};
    m_question.stage.reset();
    changed();
}

void TrainingPage::chooseFolder()
{
    const QString folder = QFileDialog::getExistingDirectory(window(), tr("Open a Training"));
    if (!folder.isEmpty())
        openFolder(folder);
}

void TrainingPage::goOn(const QString& folder)
{
    if (isOfExample(folder))
        emit exampleRequested();
    else
        emit goOnRequested(folder);
}

void TrainingPage::beginNew(Stage stage)
{
    m_setsUp = true;
    if (!m_view) { // once it is read
        m_wanted = stage;
        return changed();
    }
    showContent();
    showCards();
    m_form->setView(m_view, m_project);
    m_form->begin(stage);
    setTab(NewTraining);
}

void TrainingPage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    m_look->start();
    if (m_stale)
        m_wait->start();
}

void TrainingPage::changed()
{
    m_stale = true;
    if (isVisible() && !m_wait->isActive())
        m_wait->start();
}

/// Folders whose files may change, whoever trains.
QStringList TrainingPage::watched() const
{
    QStringList out = m_question.places;
    if (m_view)
        for (const TrainingEntry& entry : m_view->all)
            out << entry.folder;
    for (int row = 0; row < m_jobs.rowCount(); ++row) {
        const Job* one = m_jobs.at(row);
        if (const auto* train = std::get_if<TrainJob>(&one->request.what))
            out << QString::fromStdString(train->options.out);
        if (const auto* example = std::get_if<TrainExampleJob>(&one->request.what))
            for (const char* stage : {"sft", "self", "contrastive"})
                out << QDir(example->folder).filePath(QLatin1String(stage));
    }
    out.removeDuplicates();
    return out;
}

void TrainingPage::look()
{
    if (!isVisible())
        return m_look->stop();
    QString seen;
    for (const QString& folder : watched())
        for (const QString& name : keptFiles()) {
            const QFileInfo file(QDir(folder).filePath(name));
            if (file.exists())
                seen += QStringLiteral("%1 %2 %3\n")
                            .arg(file.filePath())
                            .arg(file.size())
                            .arg(file.lastModified().toMSecsSinceEpoch());
        }
    if (m_view) // a process that was killed leaves no line
        for (const TrainingEntry& entry : m_view->all)
            seen += entry.log.isRunning() ? u'1' : u'0';
    if (seen != m_seen) {
        m_seen = seen;
        changed();
    }
}

void TrainingPage::load()
{
    if (!isVisible() || !m_project.isOpen())
        return;
    if (m_asker.isWaiting()) // a long read is not begun anew by each change, or none would come to its end
        return m_wait->start();
    m_stale = false;
    TrainingsQuestion question = m_question;
    question.project = m_project.path();
    for (const QString& folder : watched())
        if (!question.places.contains(folder))
            question.places << folder;
    m_asker.ask([question] { return loadTrainings(question); },
                [this](const base::Result<std::shared_ptr<const TrainingsView>>& view) {
                    if (view)
                        display(*view);
                    else
                        emit errorRaised(view.error());
                });
}

void TrainingPage::display(std::shared_ptr<const TrainingsView> view)
{
    m_view = std::move(view);
    listTrainings();
    enableWriting(*m_example, m_project);
    if (!m_view->entry() && !m_setsUp)
        return showNothing();
    showContent();
    showCards();
    showTraining();
    if (const auto wanted = std::exchange(m_wanted, std::nullopt))
        beginNew(*wanted);
}

void TrainingPage::showNothing()
{
    if (const Job* example = exampleJob(); example && example->isActive())
        return showEmpty(tr("The example is being prepared"),
                         tr("Its programs are judged before the first stage: %1.")
                             .arg(describe(*example, m_jobs.queuePosition(example->id))));
    for (const TrainingEntry& entry : m_view->all)
        if (!entry.trouble.isEmpty())
            return showEmpty(tr("A training cannot be read"), entry.trouble, tr("Open a Training…"),
                             [this] { chooseFolder(); });
    showEmpty(tr("No trainings yet"),
              tr("A language model learns here from what the judge finds: by examples, by its own successes, and by "
                 "comparing its replies. The example goes through all three stages with a tiny model, on the CPU, in "
                 "about ten minutes. For a model of your own, press Ctrl+K and choose New training; what "
                 "`cudal1 train` trains is shown by Open a training.") +
                  u' ' + m_project.readOnlyReason(),
              m_project.isReadOnly() ? QString() : tr("Run the Example"), [this] { emit exampleRequested(); });
}

void TrainingPage::showCards()
{
    if (!m_view)
        return;
    if (!m_view->entry() && !m_setsUp)
        return showNothing();
    for (StageCard* card : m_cards) {
        const TrainingEntry* entry = m_view->at(card->stage());
        card->show(*m_view, entry ? job(*entry) : nullptr, m_project);
    }
    const TrainingEntry* shown = m_view->entry();
    const Job* own = shown ? job(*shown) : nullptr;
    enableWriting(*m_goOn, m_project, shown && !own && !shown->log.isRunning() && !shown->isFinished(),
                  shown && shown->options.stage != Stage::Supervised);
    m_stop->setEnabled(own != nullptr);
}

void TrainingPage::showTraining()
{
    std::vector<std::shared_ptr<const charts::Chart>> charts;
    const TrainingEntry* entry = m_view->entry();
    if (entry)
        for (charts::Chart& chart : curvesOf(entry->log, entry->options.steps))
            charts.push_back(std::make_shared<const charts::Chart>(std::move(chart)));
    m_curves->setCharts(charts, entry ? tr("No step was made yet. The curves grow with each step.")
                                      : tr("Begin a training to see its curves."));
    m_log->setMessages(entry ? entry->log.messages : std::vector<learning::LoggedMessage>(),
                       tr("Nothing was said yet."));
    m_groups->setView(m_view);
    m_comparison->setView(m_view);
    m_comparisonNote->setText(
        m_view->compared.empty()
            ? tr("Nothing to compare yet: no policy was asked about a task that these trainings leave out. `cudal1 "
                 "collect --held-out --policy NAME` asks a checkpoint that `cudal1 models` knows; the example tests "
                 "itself after each stage.")
            : tr("Replies to tasks that none of these trainings learns from (%1 tasks are learnt from).")
                  .arg(m_view->learntTasks));
    m_form->setView(m_view, m_project);
}

/// In the palette, while the page is shown.
void TrainingPage::listTrainings()
{
    qDeleteAll(m_listed);
    m_listed.clear();
    for (auto entry = m_view->all.rbegin(); entry != m_view->all.rend(); ++entry) {
        if (!entry->trouble.isEmpty())
            continue;
        QAction* action = makeTool(this, QStringLiteral("training"), tr("Training: %1").arg(entry->name),
                                   stateOf(*entry));
        const Stage stage = entry->options.stage;
        connect(action, &QAction::triggered, this, [this, stage, folder = entry->folder] {
            m_question.chosen[std::size_t(stage)] = folder;
            m_question.stage = stage;
            changed();
        });
        m_listed.push_back(action);
    }
}

const Job* TrainingPage::job(const TrainingEntry& entry) const
{
    for (int row = 0; row < m_jobs.rowCount(); ++row) {
        const Job* one = m_jobs.at(row);
        if (!one->isActive())
            continue;
        if (const auto* train = std::get_if<TrainJob>(&one->request.what))
            if (QFileInfo(QString::fromStdString(train->options.out)) == QFileInfo(entry.folder))
                return one;
        if (const auto* example = std::get_if<TrainExampleJob>(&one->request.what))
            if (QFileInfo(example->folder) == QFileInfo(QFileInfo(entry.folder).path()) && entry.log.isRunning())
                return one;
    }
    return nullptr;
}

const Job* TrainingPage::exampleJob() const
{
    for (int row = 0; row < m_jobs.rowCount(); ++row)
        if (m_jobs.at(row)->kind() == JobKind::TrainExample)
            return m_jobs.at(row);
    return nullptr;
}

} // namespace cudal1::ui
