// SPDX-License-Identifier: GPL-3.0-or-later
// Puts the reference, the facts, the baselines, the run and the variants of the selected task together.
#include "ui/tasks/taskpage.h"

#include "core/optimize/handedover.h"
#include "core/optimize/outcometext.h"
#include "core/store/storedversus.h"
#include "ui/editor/codeview.h"
#include "ui/kit/elidedlabel.h"
#include "ui/kit/pagetabs.h"
#include "ui/kit/theme.h"
#include "ui/kit/tool.h"
#include "ui/kit/uistate.h"
#include "ui/tasks/baselinespanel.h"
#include "ui/tasks/operatorsview.h"
#include "ui/tasks/runpanel.h"
#include "ui/tasks/taskfactshtml.h"
#include "ui/tasks/tasksmodel.h"
#include "ui/variants/infoview.h"
#include "ui/variants/texts.h"
#include "ui/variants/variantsmodel.h"
#include "ui/variants/variantstable.h"
#include "ui/variants/whymarked.h"
#include "ui/work/projectmodel.h"
#include "ui/work/runchoice.h"
#include "ui/work/selection.h"

#include <QAction>
#include <QCoreApplication>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace cudal1::ui {

TaskPage::TaskPage(ProjectModel& project, Selection& selection, RunChoice& choice, JobsModel& jobs, QWidget* parent)
    : Page(QStringLiteral("task"), tr("Task"), QStringLiteral("task"), parent), m_project(project),
      m_selection(selection), m_title(new ElidedLabel), m_subtitle(new QLabel), m_best(new QLabel), m_choice(choice),
      m_reference(new CodeView), m_operators(new OperatorsView), m_facts(new InfoView),
      m_baselines(new BaselinesPanel(project, jobs)), m_run(new RunPanel(choice, jobs)),
      m_variants(new VariantsTable(project))
{
    const Theme& theme = Theme::instance();
    m_title->setFont(theme.titleFont(1));
    m_subtitle->setProperty("class", QStringLiteral("muted"));
    auto* names = new QVBoxLayout;
    names->setSpacing(0);
    names->addWidget(m_title);
    names->addWidget(m_subtitle);
    auto* header = new QHBoxLayout;
    header->setContentsMargins(theme.unit(4), theme.unit(2), theme.unit(4), theme.unit(2));
    header->addLayout(names, 1);
    m_best->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_best->setObjectName(QStringLiteral("taskBest"));
    WhyMarked::follow(m_best, m_project, [this] {
        const TaskEntry* entry = m_project.entry(m_selection.task());
        return entry ? entry->row.bestVariant : base::VariantId();
    });
    header->addWidget(m_best);

    auto* content = new QWidget;
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(header);
    layout->addWidget(makeBody(), 1);
    setContent(content);

    connect(m_baselines, &BaselinesPanel::measureRequested, this, &TaskPage::baselinesRequested);
    connect(m_run, &RunPanel::optimizeRequested, this, &TaskPage::optimizeRequested);
    connect(m_run, &RunPanel::stopRequested, this, &TaskPage::stopRequested);
    connect(m_run, &RunPanel::promptRequested, this, &TaskPage::promptRequested);
    m_variants->setSelection(selection);
    connect(m_variants, &VariantsTable::evaluateRequested, this, &TaskPage::evaluateRequested);
    connect(m_variants, &VariantsTable::evaluateFileRequested, this,
            [this] { emit evaluateFileRequested(m_selection.task()); });
    connect(m_variants, &VariantsTable::errorRaised, this, &TaskPage::errorRaised);
    const auto compare = [this](base::VariantId left, base::VariantId right) {
        m_selection.select(m_selection.task(), left, right, QStringLiteral("compare"));
    };
    connect(m_variants, &VariantsTable::compareRequested, this, compare);
    connect(m_baselines, &BaselinesPanel::compareRequested, this, compare);
    connect(&Theme::instance(), &Theme::changed, this, &TaskPage::showBest);
    connect(&selection, &Selection::taskChanged, this, &TaskPage::showTask);
    connect(&project, &ProjectModel::tasksChanged, this, &TaskPage::showTask);
    connect(&project, &ProjectModel::closed, this, &TaskPage::showTask);
    connect(&project, &ProjectModel::variantsChanged, this, [this](const base::TaskId& task) {
        if (task != m_selection.task())
            return;
        showBest();
        showFacts();
    });
    connect(&choice, &RunChoice::changed, this, qOverload<>(&TaskPage::showFacts));
    connect(&choice, &RunChoice::devicesChanged, this, qOverload<>(&TaskPage::showFacts));
    showTask();
}

QWidget* TaskPage::makeBody()
{
    m_reference->setAccessibleName(tr("Source of the reference"));
    m_facts->setAccessibleName(tr("Facts of the task"));
    auto* side = new QSplitter(Qt::Vertical);
    side->setObjectName(QStringLiteral("taskSide"));
    side->addWidget(makeFactTabs());
    side->addWidget(m_run);
    side->setStretchFactor(0, 3);
    side->setStretchFactor(1, 2);
    auto* upper = new QSplitter(Qt::Horizontal);
    upper->setObjectName(QStringLiteral("taskUpper"));
    upper->addWidget(makeReferenceTabs());
    upper->addWidget(side);
    upper->setStretchFactor(0, 3);
    upper->setStretchFactor(1, 2);
    m_upper = upper;
    auto* body = new QSplitter(Qt::Vertical);
    body->setObjectName(QStringLiteral("taskBody"));
    body->addWidget(upper);
    body->addWidget(m_variants);
    body->setStretchFactor(0, 2);
    body->setStretchFactor(1, 3);
    side->setSizes({600, 400});
    upper->setSizes({600, 400});
    body->setSizes({430, 570}); // the variants are what one comes for
    for (QSplitter* splitter : {side, upper, body}) {
        splitter->setChildrenCollapsible(false);
        splitter->setHandleWidth(Theme::instance().unit(1));
        UiState::instance().keep(splitter, splitter->objectName());
    }
    connect(m_run, &RunPanel::heightRequested, this, [this](bool full) {
        m_factColumn->setVisible(!full);
        m_variants->setVisible(!full);
    });
    return body;
}

namespace {

/// Tabs over the widgets of which one is seen.
QWidget* tabbed(PageTabs* tabs, QStackedWidget* pages, QWidget* corner)
{
    QObject::connect(tabs, &QTabBar::currentChanged, pages, &QStackedWidget::setCurrentIndex);
    tabs->setMarked(true);
    auto* column = new QWidget;
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* head = new QFrame;
    head->setProperty("class", QStringLiteral("bar"));
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(0, 0, Theme::instance().unit(1), 0);
    row->setSpacing(0);
    row->addWidget(tabs, 1);
    if (corner)
        row->addWidget(corner);
    layout->addWidget(head);
    layout->addWidget(pages, 1);
    return column;
}

} // namespace

QWidget* TaskPage::makeReferenceTabs()
{
    auto* tabs = new PageTabs;
    tabs->setObjectName(QStringLiteral("referenceTabs"));
    tabs->setAccessibleName(tr("Source or operators of the reference"));
    tabs->addTab(tr("Source"));
    tabs->addTab(tr("Operators"));
    auto* pages = new QStackedWidget;
    pages->addWidget(m_reference);
    pages->addWidget(m_operators);
    return tabbed(tabs, pages, nullptr);
}

QWidget* TaskPage::makeFactTabs()
{
    auto* tabs = new PageTabs;
    tabs->setObjectName(QStringLiteral("factTabs"));
    tabs->setAccessibleName(tr("Facts, baselines and claims"));
    tabs->addTab(tr("Facts"));
    tabs->addTab(tr("Baselines and claims"));
    m_factPages = new QStackedWidget;
    m_factPages->addWidget(m_facts);
    m_factPages->addWidget(m_baselines);
    QAction* fold = makeTool(this, QStringLiteral("fold"), tr("Fold the facts"),
                             tr("Hide or show what is known of the task, so that the run has the room"));
    fold->setCheckable(true);
    fold->setObjectName(QStringLiteral("foldFacts"));
    connect(fold, &QAction::toggled, this, &TaskPage::foldFacts);
    m_factColumn = tabbed(tabs, m_factPages, makeToolButton(fold));
    UiState::instance().keep(fold, QStringLiteral("task/foldFacts"));
    return m_factColumn;
}

void TaskPage::foldFacts(bool folded)
{
    m_factPages->setVisible(!folded);
    if (m_factColumn)
        m_factColumn->setMaximumHeight(folded ? m_factColumn->layout()->itemAt(0)->sizeHint().height()
                                              : QWIDGETSIZE_MAX);
}

void TaskPage::setRoomy(bool roomy)
{
    m_upper->setVisible(!roomy);
}

/// What the task computes, not how its file begins.
void TaskPage::showForward()
{
    if (!std::exchange(m_forwardWanted, false))
        return;
    // Once the editor has its height.
    QTimer::singleShot(0, m_reference, [this] { m_reference->revealLine(QStringLiteral("def forward(")); });
}

void TaskPage::showTask()
{
    const base::TaskId task = m_selection.task();
    m_baselines->setTask(task);
    m_run->setTask(task);
    m_variants->setTask(task);
    if (task.empty()) {
        const base::TaskId first = m_project.firstTask();
        showEmpty(tr("No task is open"),
                  tr("The reference of a task, what is known of it, its run and its variants stand here. Choose a task "
                     "on the left."),
                  first.empty() ? QString() : tr("Open %1").arg(QString::fromStdString(first.value)),
                  [this, first] { m_selection.selectTask(first); });
        return;
    }
    const base::Result<store::TaskRecord> record = m_project.taskRecord(task);
    if (!record) {
        // While the project still loads this is not an error yet.
        showEmpty(m_project.isLoading() ? tr("Loading…") : tr("This task cannot be shown"),
                  m_project.isLoading() ? QString() : QString::fromStdString(record.error().text()));
        return;
    }
    const QString name = shownName(record->name, record->level);
    m_title->setText(record->level > 0 ? QStringLiteral("%1  %2").arg(QString::fromStdString(task.value), name) : name);
    showBest();
    QString subtitle = QString::fromStdString(record->suite.empty() ? task.value : record->suite);
    if (const TaskEntry* entry = m_project.entry(task); entry && entry->level > 0)
        subtitle += QStringLiteral(" · ") + (isHeldOut(*entry) ? tr("held out") : tr("train"));
    m_subtitle->setText(subtitle);
    if (m_reference->code().toStdString() != record->source) {
        m_reference->setCode(record->source);
        m_forwardWanted = true;
    }
    if (isVisible())
        showForward();
    showFacts();
    showContent();
}

void TaskPage::showBest()
{
    const TaskEntry* entry = m_project.entry(m_selection.task());
    const base::Interval best = entry ? entry->row.best : base::Interval();
    const std::string marks = entry ? entry->row.marks : std::string();
    m_best->setVisible(best.valid());
    if (!best.valid())
        return;
    const Theme& theme = Theme::instance();
    const bool kept = optimize::referenceIsBest(best);
    QString where = tr("on %1").arg(
        QString::fromStdString(optimize::measuredOn(entry->row.deviceModel, m_project.countedPrecision().counts)));
    const auto rows = m_project.variants(m_selection.task());
    if (const auto slow = rows ? store::slowHostOf(*rows) : std::nullopt)
        where += tr("; %1 on a usual host").arg(speedupPhrase(slow->there));
    m_best->setText(
        QStringLiteral(
            "<span style='font-size:%1pt; font-weight:600; color:%2'>%3</span>&nbsp; <span style='color:%4'>%5</span>")
            .arg(theme.titleFont(1).pointSizeF(), 0, 'f', 1)
            .arg(theme.color(kept ? Role::Text : speedupRole(best, marks)).name(),
                 kept ? tr("the reference is best") : speedupPhrase(best), theme.color(Role::Muted).name(),
                 kept ? tr("fastest variant %1").arg(speedupPhrase(best, marks)) : intervalText(best)) +
        (kept || marks.empty() ? QString()
                               : QStringLiteral("&nbsp; <a href='why' style='color:%1'>%2</a>")
                                     .arg(theme.color(speedupRole(best, marks)).name(), marksBadge(marks))) +
        (entry->row.deviceModel.empty() ? QString()
                                        : QStringLiteral("<br><span style='color:%1'>%2</span>")
                                              .arg(theme.color(Role::Muted).name(), where.toHtmlEscaped())));
    m_best->setTextInteractionFlags(kept || marks.empty() ? Qt::TextSelectableByMouse : Qt::TextBrowserInteraction);
    m_best->setToolTip((kept ? tr("No variant is faster than the reference by its whole interval. The fastest correct "
                                  "one, wall clock: %1")
                             : tr("Best correct variant, wall clock: %1"))
                           .arg(speedupSentence(best, marks)) +
                       (marks.empty() ? QString() : u'\n' + marksNote(marks)));
}

/// What the worker made.
struct TaskPage::Shown {
    std::string hash;
    QString html;
    std::shared_ptr<const OperatorTree> operators;
    QString operatorsFrom;
    QString warning;
    bool unknown = false;
    std::map<std::string, double> floors_ns; ///< by device model
};

void TaskPage::showFacts()
{
    const base::Result<store::TaskRecord> record = m_project.taskRecord(m_selection.task());
    if (!record)
        return;
    if (record->hash != m_factsOf) {
        m_factsOf.clear();
        m_facts->setBody({});
        m_operators->setTree(nullptr, {});
        m_operatorsOf.clear();
        m_run->setWarning({});
    }
    taskfacts::FactsQuestion question{*record, {}, m_choice.chosen(), m_choice.place().device.toStdString()};
    if (const auto suite = tasks::bundledSuite(QCoreApplication::applicationDirPath().toStdString()))
        question.suite = *suite;
    m_asker.ask(
        [question = std::move(question), file = m_project.path().toStdString(),
         why = m_traced.value(QString::fromStdString(record->hash))]() -> base::Result<Shown> {
            // This thread's own connection: a Project is used on the thread that opened it.
            const auto project = file.empty() ? base::Result<std::unique_ptr<store::Project>>(nullptr)
                                              : store::Project::open(file);
            const taskfacts::TaskFacts facts = taskfacts::gather(question, project ? project->get() : nullptr);
            Shown shown{question.task.hash,
                        taskFactsHtml(question.task, facts, why),
                        nullptr,
                        tr("not known yet"),
                        QString::fromStdString(taskfacts::shortMemoryWarning(facts)),
                        !facts.program,
                        {}};
            for (const auto* one : {&facts, facts.onRecordedGpu.get()})
                if (const double floor_ns = one && one->device ? one->floor_ns(one->device->model) : 0; floor_ns > 0)
                    shown.floors_ns.emplace(one->device->model, floor_ns);
            if (facts.program) {
                shown.operators = std::make_shared<const OperatorTree>(operatorTree(*facts.program));
                shown.operatorsFrom =
                    tr("%1, %2").arg(facts.program->calls.size()).arg(QString::fromStdString(facts.programSource));
            }
            return shown;
        },
        [this](const base::Result<Shown>& shown) {
            if (shown)
                showFacts(*shown);
            else
                emit errorRaised(shown.error());
        });
}

void TaskPage::showFacts(const Shown& shown)
{
    m_facts->setBody(shown.html, shown.hash == m_factsOf);
    m_factsOf = shown.hash;
    m_run->setWarning(shown.warning);
    m_variants->model()->setFloors(shown.floors_ns);
    // What is unfolded and selected stays where the operators are the same.
    if (const QString of = QString::fromStdString(shown.hash) + shown.operatorsFrom; of != m_operatorsOf) {
        m_operatorsOf = of;
        m_operators->setTree(shown.operators, shown.operatorsFrom);
    }
    m_unknown = shown.unknown;
    askForShapes();
}

void TaskPage::askForShapes()
{
    const QString hash = QString::fromStdString(m_factsOf);
    if (!m_unknown || !isVisible() || hash.isEmpty() || m_traced.contains(hash))
        return;
    m_traced.insert(hash, {});
    emit shapesRequested(m_selection.task());
}

void TaskPage::shapesTraced(const QString& hash, const QString& why)
{
    m_traced[hash] = why;
    if (hash == QString::fromStdString(m_factsOf))
        showFacts();
}

void TaskPage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    askForShapes();
    showForward();
}

void TaskPage::find()
{
    m_reference->find();
}

ViewTools* TaskPage::table() const
{
    return m_variants->tools();
}

} // namespace cudal1::ui
