// SPDX-License-Identifier: GPL-3.0-or-later
// The task dock: search field, state chips, tree.
#include "ui/tasks/taskbrowser.h"

#include "ui/kit/filterchips.h"
#include "ui/kit/flowlayout.h"
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/tasks/taskdelegate.h"
#include "ui/tasks/tasksfilter.h"
#include "ui/tasks/tasksmodel.h"
#include "ui/variants/texts.h"
#include "ui/variants/whymarked.h"
#include "ui/work/projectmodel.h"
#include "ui/work/selection.h"
#include "ui/work/writing.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace cudal1::ui {

namespace {

constexpr TaskGroup groups[] = {TaskGroup::Gain,    TaskGroup::OtherPrecision, TaskGroup::Questioned,
                                TaskGroup::NoGain,  TaskGroup::Slower,         TaskGroup::Failed,
                                TaskGroup::Running, TaskGroup::NotTried};

/// How much a state's chip says beside its number.
enum class Wording { Words, ShortWords, None };

QString chipWord(TaskGroup group, Wording wording)
{
    if (group == TaskGroup::OtherPrecision && wording != Wording::None)
        return wording == Wording::Words ? TaskBrowser::tr("other precision") : TaskBrowser::tr("precision");
    const QString word = group == TaskGroup::Questioned ? TaskBrowser::tr("questioned") : groupStyle(group).word;
    return wording == Wording::None ? QString() : word;
}

} // namespace

TaskBrowser::TaskBrowser(ProjectModel& project, Selection& selection, QWidget* parent)
    : QWidget(parent), m_project(project), m_selection(selection), m_model(new TasksModel(this)),
      m_filter(new TasksFilter(*m_model, this)), m_search(new QLineEdit), m_chipRows(new FlowLayout),
      m_heldOut(new QToolButton), m_active(new FilterChips), m_tree(new QTreeView), m_tools(nullptr),
      m_count(new QLabel), m_suite(new QLabel)
{
    const Theme& theme = Theme::instance();
    setObjectName(QStringLiteral("taskBrowser"));
    setUpSearch();
    setUpTree();
    m_count->setObjectName(QStringLiteral("count"));
    m_count->setProperty("class", QStringLiteral("muted"));
    m_count->setFont(theme.smallFont());
    m_suite->setObjectName(QStringLiteral("suite"));
    m_suite->setProperty("class", QStringLiteral("muted"));
    m_suite->setFont(theme.smallFont());
    m_suite->setTextFormat(Qt::PlainText);
    m_suite->setWordWrap(true);

    auto* top = new QVBoxLayout;
    top->setContentsMargins(theme.unit(2), theme.unit(2), theme.unit(2), theme.unit(1));
    top->setSpacing(theme.unit(2));
    top->addWidget(m_search);
    addStateChips(top);
    top->addWidget(m_active);
    top->addWidget(m_count);
    top->addWidget(m_suite);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(top);
    layout->addWidget(m_tree, 1);

    connect(m_active, &FilterChips::removed, this, &TaskBrowser::removeFilter);
    connect(m_active, &FilterChips::cleared, this, [this] { removeFilter({}); });
    connect(&project, &ProjectModel::tasksChanged, this, &TaskBrowser::reload);
    connect(&project, &ProjectModel::tasksChanged, this, &TaskBrowser::showSuite);
    connect(&project, &ProjectModel::loadingChanged, this, &TaskBrowser::updateCounts);
    connect(&selection, &Selection::taskChanged, this, &TaskBrowser::showSelected);
    connect(&selection, &Selection::filtersChanged, this, &TaskBrowser::applyFilter);
    showSuite();
    reload();
}

void TaskBrowser::setUpSearch()
{
    m_search->setPlaceholderText(tr("Search by id or name"));
    m_search->setAccessibleName(tr("Search tasks"));
    m_search->setClearButtonEnabled(true);
    m_search->addAction(Theme::instance().icon(QStringLiteral("search"), Role::Muted), QLineEdit::LeadingPosition);
    m_forAll = m_search->addAction(Theme::instance().icon(QStringLiteral("filter"), Role::Muted),
                                   QLineEdit::TrailingPosition);
    m_forAll->setVisible(false);
    m_forAll->setObjectName(QStringLiteral("filterAllViews"));
    m_forAll->setText(tr("Filter all views by this search"));
    m_forAll->setToolTip(tr("Filter all views by this search (Shift+Return)"));
    m_search->installEventFilter(this);
    connect(m_forAll, &QAction::triggered, this, &TaskBrowser::filterAllViews);
    connect(m_search, &QLineEdit::textChanged, this, &TaskBrowser::applyFilter);
}

void TaskBrowser::addStateChips(QVBoxLayout* layout)
{
    layout->addLayout(m_chipRows);
    for (const TaskGroup group : groups) {
        auto* chip = new QToolButton;
        const StateStyle style = groupStyle(group);
        chip->setProperty("class", QStringLiteral("chip"));
        chip->setObjectName(QStringLiteral("group%1").arg(int(group)));
        chip->setCheckable(true);
        chip->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        chip->setIcon(Theme::instance().icon(style.icon, style.role));
        connect(chip, &QToolButton::toggled, this, &TaskBrowser::chooseStates);
        chip->setMinimumWidth(1); // its words must not keep the list from being made narrow
        m_chips[group] = chip;
        m_chipRows->addWidget(chip);
    }
    m_heldOut->setProperty("class", QStringLiteral("chip"));
    m_heldOut->setObjectName(QStringLiteral("heldOut"));
    m_heldOut->setCheckable(true);
    m_heldOut->setToolButtonStyle(Qt::ToolButtonTextOnly);
    connect(m_heldOut, &QToolButton::toggled, this, &TaskBrowser::chooseHeldOut);
    m_chipRows->addWidget(m_heldOut);
}

void TaskBrowser::setUpTree()
{
    m_tree->setObjectName(QStringLiteral("tasks"));
    m_tree->setAccessibleName(tr("Tasks"));
    m_tree->setModel(m_filter);
    m_tree->setItemDelegate(new TaskDelegate(*m_model, *m_filter, m_tree));
    m_tree->setHeaderHidden(true);
    m_tree->setUniformRowHeights(false);                              // see TaskDelegate
    m_tree->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel); // by rows it takes all for equally high
    m_tree->setIndentation(Theme::instance().unit(3));                // names need the room
    m_tree->setRootIsDecorated(true);
    m_tree->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_tree->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_tree->setExpandsOnDoubleClick(true);
    m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
    m_tools = setupView(m_tree, QStringLiteral("tasks"));
    new BadgeClicks(m_tree, m_project, [this](const QModelIndex& index) {
        const TaskEntry* task = m_model->entry(m_filter->mapToSource(index));
        return task && !task->row.marks.empty() ? task->row.bestVariant : base::VariantId();
    });
    m_tree->installEventFilter(this);
    connect(m_tools, &ViewTools::filterChanged, this, [this] {
        updateCounts();
        showChips();
    });
    connect(m_tree, &QTreeView::doubleClicked, this, &TaskBrowser::openPage);
    connect(m_tree, &QTreeView::customContextMenuRequested, this, &TaskBrowser::showMenu);
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& index) {
        if (const base::TaskId task = taskAt(index); !m_following && !task.empty())
            m_selection.selectTask(task);
    });
}

/// Names of tasks are long: this much of a window they may take.
QSize TaskBrowser::sizeHint() const
{
    return {Theme::instance().unit(62), Theme::instance().unit(120)};
}

void TaskBrowser::find()
{
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
}

void TaskBrowser::reload()
{
    const bool first = m_model->count() == 0;
    const QRect before = m_tree->visualRect(m_tree->currentIndex());
    // A reset would make another row current, which is not the user's doing.
    m_following = true;
    m_model->setTasks(m_project.tasks());
    m_following = false;
    if (first)
        m_tree->expandAll();
    // Tasks may be in other states by now.
    if (const auto states = stateFilter())
        m_selection.refreshFilter(*states);
    if (m_heldOut->isChecked())
        m_selection.refreshFilter(heldOutFilter());
    if (const SelectionFilter* search = m_selection.filter(QStringLiteral("search")))
        m_selection.refreshFilter(searchFilter(search->key));
    updateCounts();
    showSelected();
    if (before.isValid() && before.intersects(m_tree->viewport()->rect())) // rows above may be higher by now
        m_tree->scrollTo(m_tree->currentIndex());
}

std::optional<SelectionFilter> TaskBrowser::stateFilter() const
{
    SelectionFilter filter;
    filter.kind = QStringLiteral("state");
    std::set<TaskGroup> chosen;
    QStringList words;
    for (const TaskGroup group : groups)
        if (m_chips.at(group)->isChecked()) {
            chosen.insert(group);
            words << groupStyle(group).word;
            filter.key += m_chips.at(group)->objectName() + QLatin1Char(' ');
        }
    if (chosen.empty())
        return {};
    filter.text = words.join(tr(" or "));
    for (const TaskEntry& task : *m_project.tasks())
        if (chosen.contains(groupOf(task.row)))
            filter.tasks.insert(task.id);
    return filter;
}

SelectionFilter TaskBrowser::heldOutFilter() const
{
    SelectionFilter filter;
    filter.kind = QStringLiteral("split");
    filter.key = m_heldOut->objectName();
    filter.text = tr("held out");
    for (const TaskEntry& task : *m_project.tasks())
        if (isHeldOut(task))
            filter.tasks.insert(task.id);
    return filter;
}

void TaskBrowser::chooseStates()
{
    const auto filter = stateFilter();
    filter ? m_selection.setFilter(*filter) : m_selection.removeFilter(QStringLiteral("state"));
}

void TaskBrowser::chooseHeldOut()
{
    m_heldOut->isChecked() ? m_selection.setFilter(heldOutFilter()) : m_selection.removeFilter(QStringLiteral("split"));
}

SelectionFilter TaskBrowser::searchFilter(const QString& text) const
{
    SelectionFilter filter;
    filter.kind = QStringLiteral("search");
    filter.key = text;
    filter.text = tr("“%1”").arg(text);
    for (const TaskEntry& task : *m_project.tasks())
        if (TasksFilter::finds(text, task))
            filter.tasks.insert(task.id);
    return filter;
}

/// The search itself narrows this list alone: most are for one task to go to.
void TaskBrowser::filterAllViews()
{
    const QString text = m_search->text().simplified();
    if (text.isEmpty())
        return;
    m_selection.setFilter(searchFilter(text));
    m_search->clear();
}

QStringList TaskBrowser::closedLevels() const
{
    QStringList closed;
    for (int row = 0; row < m_tree->model()->rowCount(); ++row)
        if (const QModelIndex level = m_tree->model()->index(row, 0); !m_tree->isExpanded(level))
            closed << level.data().toString();
    return closed;
}

void TaskBrowser::closeLevels(const QStringList& closed)
{
    for (int row = 0; row < m_tree->model()->rowCount(); ++row)
        if (const QModelIndex level = m_tree->model()->index(row, 0); closed.contains(level.data().toString()))
            m_tree->collapse(level);
}

void TaskBrowser::applyFilter()
{
    // A filter may also have been taken away elsewhere.
    const SelectionFilter* shown = m_selection.filter(QStringLiteral("state"));
    const QStringList chosen = shown ? shown->key.split(QLatin1Char(' ')) : QStringList();
    for (const auto& [group, chip] : m_chips) {
        const QSignalBlocker quiet(chip);
        chip->setChecked(chosen.contains(chip->objectName()));
    }
    const QSignalBlocker quiet(m_heldOut);
    m_heldOut->setChecked(m_selection.filter(QStringLiteral("split")) != nullptr);
    m_forAll->setVisible(!m_search->text().simplified().isEmpty());
    const bool narrowed = !m_selection.filters().empty() || !m_search->text().simplified().isEmpty();
    if (narrowed && !m_narrowed)
        m_closed = closedLevels();
    m_narrowed = narrowed;
    m_following = true;
    m_filter->setSearch(m_search->text());
    m_filter->setOnly(m_selection.filters().empty()
                          ? std::function<bool(const base::TaskId&)>()
                          : [this](const base::TaskId& task) { return m_selection.leaves(task); });
    m_following = false;
    m_tree->expandAll(); // what is left has to be seen
    if (!narrowed)
        closeLevels(std::exchange(m_closed, {}));
    updateCounts();
    showChips();
    showSelected();
    m_tree->scrollTo(m_tree->currentIndex()); // rows above it have come or gone
}

void TaskBrowser::showChips()
{
    std::vector<FilterChip> active;
    for (const SelectionFilter& filter : m_selection.filters())
        active.push_back({QStringLiteral("selection-") + filter.kind, filter.text});
    if (const QString text = m_search->text().simplified(); !text.isEmpty())
        active.push_back({QStringLiteral("search"), tr("“%1” in this list").arg(text)});
    if (!m_tools->filter().isEmpty())
        active.push_back({QStringLiteral("pattern"), QStringLiteral("/%1/").arg(m_tools->filter())});
    m_active->setChips(active);
}

/// All filters for an empty id.
void TaskBrowser::removeFilter(const QString& id)
{
    if (id.isEmpty() || id == QLatin1String("search"))
        m_search->clear();
    if (id.isEmpty() || id == QLatin1String("pattern"))
        m_tools->setFilter({});
    if (id.isEmpty() || id.startsWith(QLatin1String("selection-")))
        m_selection.removeFilter(id.section(QLatin1Char('-'), 1));
}

void TaskBrowser::updateCounts()
{
    for (const auto& [group, chip] : m_chips) {
        const int count = m_model->count(group);
        const QString word = groupStyle(group).word;
        chip->setToolTip(tr("%1: %2. Click to show only these.").arg(word).arg(count));
        chip->setAccessibleName(word);
        chip->setVisible(count > 0 || chip->isChecked());
    }
    const int heldOut = m_model->heldOut();
    m_heldOut->setText(tr("held out %1").arg(heldOut));
    m_heldOut->setToolTip(tr("Held out of training: %1. Click to show only these.").arg(heldOut));
    m_heldOut->setVisible(heldOut > 0 || m_heldOut->isChecked());
    fitChips();
    const int all = m_model->count(), shown = m_filter->shown();
    if (all == 0)
        m_count->setText(m_project.isLoading()
                             ? tr("Loading the tasks…")
                             : tr("No tasks yet. Open a suite's folder or a task file from the File menu."));
    else
        m_count->setText(shown == all ? counted(all, tr("task"), tr("tasks"))
                                      : tr("%1 of %2").arg(shown).arg(counted(all, tr("task"), tr("tasks"))));
    m_count->setWordWrap(all == 0);
}

/// The most words for which the chips take no more rows than the list can spare; tool tips have them always.
void TaskBrowser::fitChips()
{
    constexpr int mostRows = 3;
    const int room = width() - 2 * Theme::instance().unit(2); // of the layout around them
    for (const Wording wording : {Wording::Words, Wording::ShortWords, Wording::None}) {
        int row = m_heldOut->sizeHint().height();
        for (const auto& [group, chip] : m_chips) {
            chip->setText((QString::number(m_model->count(group)) + u' ' + chipWord(group, wording)).trimmed());
            row = std::max(row, chip->sizeHint().height());
        }
        if (m_chipRows->heightForWidth(room) <= mostRows * row + (mostRows - 1) * m_chipRows->spacing())
            return;
    }
}

void TaskBrowser::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitChips();
}

void TaskBrowser::showSuite()
{
    const std::shared_ptr<const tasks::Suite> suite = m_project.suite();
    m_suite->setVisible(!suite->tasks.empty());
    if (suite->tasks.empty())
        return;
    const int different = m_project.sizes().different;
    QString text = QString::fromStdString(tasks::describeBriefly(*suite));
    if (different > 0)
        text = tr("%1: other sizes in %2")
                   .arg(QString::fromStdString(suite->pin()), counted(different, tr("task"), tr("tasks")));
    QStringList details{QString::fromStdString(tasks::describe(*suite)), QString::fromStdString(suite->path.string())};
    if (different > 0)
        details << QString::fromStdString(tasks::describe(m_project.sizes()));
    m_suite->setText(text);
    m_suite->setToolTip(details.join(QLatin1Char('\n')));
    m_suite->setAccessibleName(tr("Open suite: %1").arg(details.join(QStringLiteral(". "))));
}

base::TaskId TaskBrowser::taskAt(const QModelIndex& index) const
{
    const TaskEntry* task = m_model->entry(m_filter->mapToSource(index));
    return task ? task->id : base::TaskId();
}

void TaskBrowser::showSelected()
{
    const QModelIndex index = m_filter->mapFromSource(m_model->indexOf(m_selection.task()));
    if (index == m_tree->currentIndex())
        return;
    m_following = true;
    if (index.isValid()) {
        m_tree->setCurrentIndex(index);
        m_tree->scrollTo(index);
    } else {
        m_tree->selectionModel()->clear();
    }
    m_following = false;
}

void TaskBrowser::openPage(const QModelIndex& index)
{
    if (const base::TaskId task = taskAt(index); !task.empty())
        m_selection.open(task, QStringLiteral("task"));
}

void TaskBrowser::keepInView()
{
    const QModelIndex index = m_tree->currentIndex();
    if (m_tree->visualRect(index).intersects(m_tree->viewport()->rect()))
        m_tree->scrollTo(index); // what is cut off; where a person has scrolled away, nothing moves
}

bool TaskBrowser::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_tree && event->type() == QEvent::Resize) {
        m_tree->doItemsLayout(); // rows of a narrow list are higher
        QMetaObject::invokeMethod(this, &TaskBrowser::keepInView, Qt::QueuedConnection);
    }
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const bool enter = key == Qt::Key_Return || key == Qt::Key_Enter;
        if (watched == m_search && enter && (static_cast<QKeyEvent*>(event)->modifiers() & Qt::ShiftModifier)) {
            filterAllViews();
            return true;
        }
        if (watched == m_tree && enter && !taskAt(m_tree->currentIndex()).empty()) {
            openPage(m_tree->currentIndex());
            return true;
        }
        if (watched == m_search && (key == Qt::Key_Down || enter)) {
            const QModelIndex level = m_filter->index(0, 0);
            if (level.isValid() && taskAt(m_tree->currentIndex()).empty())
                m_tree->setCurrentIndex(m_filter->index(0, 0, level));
            if (enter)
                openPage(m_tree->currentIndex());
            else
                m_tree->setFocus();
            return true;
        }
        if (watched == m_search && key == Qt::Key_Escape && !m_search->text().isEmpty()) {
            m_search->clear();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void TaskBrowser::showMenu(const QPoint& at)
{
    const base::TaskId task = taskAt(m_tree->indexAt(at));
    const Theme& theme = Theme::instance();
    QMenu menu(this);
    if (!task.empty()) {
        QAction* optimize = menu.addAction(theme.icon(QStringLiteral("optimize")), tr("Optimize"), this,
                                           [this, task] { emit optimizeRequested(task); });
        enableWriting(*optimize, m_project);
        menu.addAction(theme.icon(QStringLiteral("task")), tr("Open"), this,
                       [this, task] { m_selection.open(task, QStringLiteral("task")); });
        menu.addAction(theme.icon(QStringLiteral("copy")), tr("Copy id"), this,
                       [task] { QApplication::clipboard()->setText(QString::fromStdString(task.value)); });
        menu.addSeparator();
    }
    menu.addActions(m_tree->actions());
    menu.addSeparator();
    menu.addAction(tr("Expand all"), m_tree, &QTreeView::expandAll);
    menu.addAction(tr("Collapse all"), m_tree, &QTreeView::collapseAll);
    menu.exec(m_tree->viewport()->mapToGlobal(at));
}

} // namespace cudal1::ui
