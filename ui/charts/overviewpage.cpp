// SPDX-License-Identifier: GPL-3.0-or-later
// The overview: numbers above, charts with percentiles and ranked list below.
#include "ui/charts/overviewpage.h"

#include "core/charts/chartof.h"
#include "core/charts/oneversion.h"
#include "core/charts/projectsummary.h"
#include "core/optimize/outcometext.h"
#include "ui/charts/baselinesview.h"
#include "ui/charts/chartsview.h"
#include "ui/charts/claimsview.h"
#include "ui/charts/numbercard.h"
#include "ui/charts/percentilesmodel.h"
#include "ui/charts/rankedfilter.h"
#include "ui/charts/rankedmodel.h"
#include "ui/kit/filterchips.h"
#include "ui/kit/rowtable.h"
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/kit/uistate.h"
#include "ui/variants/speedupdelegate.h"
#include "ui/variants/texts.h"
#include "ui/variants/whymarked.h"
#include "ui/work/projectmodel.h"
#include "ui/work/selection.h"
#include "ui/work/selectionchips.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <set>

namespace cudal1::ui {

namespace {

/// Parts of charts and list, until somebody moves what is between them: the list takes more where it has room for
/// intervals beside badges.
QList<int> sharesOf(bool hasIntervals)
{
    return hasIntervals ? QList<int>{165, 135} : QList<int>{180, 120};
}

} // namespace

OverviewPage::OverviewPage(ProjectModel& project, Selection& selection, QWidget* parent)
    : Page(QStringLiteral("overview"), tr("Overview"), QStringLiteral("overview"), parent), m_project(project),
      m_selection(selection), m_gains(new NumberCard(tr("true gains"), QString())),
      m_mean(new NumberCard(tr("geometric mean"), {})), m_median(new NumberCard(tr("median"), {})),
      m_correct(new NumberCard(tr("with a correct variant"), tr("Equal to the reference in every trial"))),
      m_charts(new ChartsView(project, selection)), m_model(new RankedModel(this)),
      m_filter(new RankedFilter(*m_model, selection, this)), m_list(new QTableView),
      m_percentiles(new PercentilesModel(this)), m_table(new QTableView), m_failures(new QComboBox),
      m_leftOut(new QLabel), m_faces(new QStackedWidget), m_baselines(new BaselinesView(project)),
      m_claims(new ClaimsView(project, selection)), m_body(new QSplitter(Qt::Horizontal)), m_lists(new QStackedWidget)
{
    const Theme& theme = Theme::instance();
    auto* cards = new QHBoxLayout;
    cards->setSpacing(theme.unit(3));
    for (NumberCard* card : {m_gains, m_mean, m_median, m_correct})
        cards->addWidget(card, card == m_gains ? 4 : 3);
    auto* const body = m_body;
    auto* left = new QWidget;
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(theme.unit(3));
    column->addWidget(m_charts, 1);
    column->addWidget(makePercentiles());
    // In a low window the chart keeps its height, and the table is scrolled to.
    auto* scroll = new QScrollArea;
    scroll->setWidget(left);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    body->addWidget(scroll);
    m_lists->addWidget(makeList());
    m_lists->addWidget(m_claims);
    body->addWidget(m_lists);
    body->setStretchFactor(0, 3);
    body->setStretchFactor(1, 2);
    body->setSizes(sharesOf(false));
    body->setChildrenCollapsible(false);
    body->setHandleWidth(theme.unit(3));
    const QByteArray given = body->saveState();
    UiState::instance().keep(body, QStringLiteral("overviewBody"));
    m_sized = body->saveState() != given;
    connect(body, &QSplitter::splitterMoved, this, [this] { m_sized = true; });
    auto* content = new QWidget;
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(theme.unit(4), theme.unit(4), theme.unit(4), theme.unit(4));
    layout->setSpacing(theme.unit(3));
    m_leftOut->setObjectName(QStringLiteral("leftOut"));
    m_leftOut->setProperty("class", QStringLiteral("muted"));
    m_leftOut->setTextFormat(Qt::PlainText);
    m_leftOut->setWordWrap(true);
    layout->addLayout(cards);
    layout->addWidget(m_leftOut);
    layout->addWidget(body, 1);
    m_faces->addWidget(content);
    m_faces->addWidget(m_baselines);
    setContent(m_faces);

    connect(m_charts, &ChartsView::shown, this, &OverviewPage::showLists);
    connect(m_list, &QTableView::activated, this, &OverviewPage::openTask);
    connect(m_list, &QTableView::clicked, this, [this](const QModelIndex& index) {
        m_selection.selectTask(m_model->at(m_filter->mapToSource(index).row()).id);
    });
    connect(m_baselines, &BaselinesView::optimizeRequested, this, &OverviewPage::optimizeRequested);
    connect(m_baselines, &BaselinesView::taskRequested, this,
            [this](const base::TaskId& task) { m_selection.open(task, QStringLiteral("task")); });
    connect(&project, &ProjectModel::tasksChanged, this, &OverviewPage::refresh);
    connect(&project, &ProjectModel::loadingChanged, this, &OverviewPage::showState);
    connect(&project, &ProjectModel::closed, this, &OverviewPage::refresh);
    connect(&selection, &Selection::taskChanged, this, &OverviewPage::showState);
    connect(&selection, &Selection::filtersChanged, this, &OverviewPage::showNumbers);
    refresh();
}

QWidget* OverviewPage::makePercentiles()
{
    const Theme& theme = Theme::instance();
    m_table->setObjectName(QStringLiteral("percentiles"));
    m_table->setAccessibleName(tr("Percentiles of the speed-ups by level"));
    m_table->setProperty("class", QStringLiteral("dense"));
    m_table->setModel(m_percentiles);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setShowGrid(false);
    m_table->setTabKeyNavigation(false);
    m_table->setWordWrap(false);
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(theme.unit(6));
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setMinimumSectionSize(theme.unit(8));
    m_table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    for (const int column :
         {PercentilesModel::Level, PercentilesModel::Tried, PercentilesModel::Correct, PercentilesModel::Gains})
        m_table->horizontalHeader()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    setupView(m_table, {});
    const struct {
        charts::Failures rule;
        QString text;
    } rules[]{{charts::Failures::One, tr("count as 1×")},
              {charts::Failures::Zero, tr("count as 0")},
              {charts::Failures::LeftOut, tr("are left out")}};
    for (const auto& [rule, text] : rules)
        m_failures->addItem(text, int(rule));
    m_failures->setObjectName(QStringLiteral("failures"));
    m_failures->setToolTip(tr("How tasks without a correct variant enter means, quartiles and charts"));
    m_failures->setAccessibleName(m_failures->toolTip());
    connect(m_failures, &QComboBox::activated, this, [this] {
        m_charts->setFailures(charts::Failures(m_failures->currentData().toInt()));
        showNumbers();
    });
    auto* title = new QLabel(tr("By level"));
    title->setFont(theme.titleFont(2));
    auto* rule = new QLabel(tr("Tasks without a correct variant"));
    rule->setProperty("class", QStringLiteral("muted"));
    rule->setBuddy(m_failures);
    auto* line = new QHBoxLayout;
    line->setContentsMargins(theme.unit(4), theme.unit(1), theme.unit(2), theme.unit(1));
    line->setSpacing(theme.unit(2));
    line->addWidget(title, 1);
    line->addWidget(rule);
    line->addWidget(m_failures);
    connect(m_gains, &NumberCard::segmentActivated, this, &OverviewPage::chooseGains);
    connect(m_table, &QTableView::clicked, this, &OverviewPage::chooseLevel);
    connect(m_table, &QTableView::activated, this, &OverviewPage::chooseLevel);
    auto* card = new QFrame;
    card->setProperty("class", QStringLiteral("card"));
    auto* layout = new QVBoxLayout(card);
    layout->setContentsMargins(1, theme.unit(1), 1, theme.unit(1));
    layout->setSpacing(0);
    layout->addLayout(line);
    layout->addWidget(m_table);
    card->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    return card;
}

QWidget* OverviewPage::makeList()
{
    const Theme& theme = Theme::instance();
    m_filter->setSourceModel(m_model);
    m_list->setModel(m_filter);
    m_list->setItemDelegateForColumn(
        RankedModel::Best, new SpeedupDelegate(
                               [this](const QModelIndex& index) {
                                   const store::TaskRow& row = m_model->at(m_filter->mapToSource(index).row()).row;
                                   return SpeedupDelegate::Marked{row.best, row.marks};
                               },
                               [this] { return m_model->axis(); }, m_list));
    setUpRows(*m_list, QStringLiteral("ranked"), tr("Tasks by speed-up"));
    m_list->setSortingEnabled(true);
    m_list->sortByColumn(RankedModel::Best, Qt::DescendingOrder);
    QHeaderView* header = m_list->horizontalHeader();
    header->setStretchLastSection(false);
    header->setMinimumSectionSize(theme.unit(14));
    header->resizeSection(RankedModel::Best, theme.unit(60));
    header->resizeSection(RankedModel::Variants, theme.unit(20));
    header->setSectionResizeMode(RankedModel::Task, QHeaderView::Stretch);
    m_tools = setupView(m_list, QStringLiteral("ranked"));
    new BadgeClicks(m_list, m_project, [this](const QModelIndex& index) {
        const store::TaskRow& row = m_model->at(m_filter->mapToSource(index).row()).row;
        return row.marks.empty() ? base::VariantId() : row.bestVariant;
    });

    auto* title = new QLabel(tr("Tasks by speed-up"));
    title->setFont(theme.titleFont(2));
    auto* line = new QHBoxLayout;
    line->setContentsMargins(theme.unit(4), theme.unit(3), theme.unit(3), theme.unit(2));
    line->setSpacing(theme.unit(3));
    line->addWidget(title);
    line->addWidget(makeChips(m_selection), 1);
    line->addWidget(m_tools->makeChips(), 1);
    line->addStretch(0);
    auto* card = new QFrame;
    card->setProperty("class", QStringLiteral("card"));
    card->setMinimumWidth(theme.unit(80));
    auto* layout = new QVBoxLayout(card);
    layout->setContentsMargins(1, 1, 1, theme.unit(1));
    layout->setSpacing(0);
    layout->addLayout(line);
    layout->addWidget(m_list, 1);
    return card;
}

void OverviewPage::refresh()
{
    // Tasks of another version of the dataset are in no number and no list here.
    std::vector<store::TaskRow> all;
    std::set<base::TaskId> open;
    for (const TaskEntry& task : *m_project.tasks()) {
        all.push_back(task.row);
        if (task.inSuite)
            open.insert(task.id);
    }
    const charts::OneVersion version = charts::oneVersion(
        all, [&open](const store::TaskRow& row) { return open.contains(row.id); });
    const auto tasks = std::make_shared<TaskList>();
    m_counted.clear();
    for (std::size_t i = 0; i < all.size(); ++i)
        if (version.counts[i]) {
            tasks->push_back((*m_project.tasks())[i]);
            m_counted.push_back(std::move(all[i]));
        }
    m_model->setTasks(tasks);
    m_leftOut->setText(QString::fromStdString(version.sentence()));
    m_leftOut->setVisible(!m_leftOut->text().isEmpty());
    m_charts->setTasks(m_counted, {}); // what is left out stands above
    m_baselines->setRows(*m_project.tasks(), *m_project.loneBaselines());
    showNumbers();
    showState();
}

void OverviewPage::showLists()
{
    const bool claims = m_charts->kind() == charts::ChartKind::Claims ||
                        m_charts->kind() == charts::ChartKind::ClaimedMeans;
    if (claims)
        m_claims->setClaims(m_charts->numbers().published.ranked);
    m_lists->setCurrentIndex(claims && !m_charts->numbers().published.ranked.empty() ? 1 : 0);
}

/// The content, or what the page waits for.
void OverviewPage::showState()
{
    const bool gains = std::any_of(m_counted.begin(), m_counted.end(), charts::isTried);
    const bool claims = !gains && m_project.hasLoneClaims();
    if (gains || claims || !m_baselines->isEmpty()) {
        if (claims)
            m_charts->setKind(charts::ChartKind::Claims);
        m_baselines->setNext(m_selection.task());
        m_faces->setCurrentIndex(gains || claims ? 0 : 1);
        showContent();
        return;
    }
    if (m_project.isLoading()) {
        showEmpty(tr("Loading…"), {});
        return;
    }
    const TaskList& tasks = *m_project.tasks();
    const base::TaskId task = !m_selection.task().empty() ? m_selection.task()
                            : tasks.empty()               ? base::TaskId()
                                                          : tasks.front().id;
    showEmpty(tr("Nothing has been measured yet"),
              tr("The gains of the project stand here: how many tasks became faster, by how much, and which. "
                 "The first run fills the page."),
              task.empty() || m_project.isReadOnly() ? QString()
                                                     : tr("Optimize %1").arg(QString::fromStdString(task.value)),
              [this, task] { emit optimizeRequested(task); });
}

void OverviewPage::showNumbers()
{
    const charts::Failures rule = m_charts->failures();
    // The table goes on showing the levels that could be chosen.
    const std::set<QString> levels{QStringLiteral("level")};
    std::vector<store::TaskRow> left, ofAllLevels;
    for (const store::TaskRow& row : m_counted) {
        if (m_selection.leaves(row.id, levels))
            ofAllLevels.push_back(row);
        if (m_selection.leaves(row.id))
            left.push_back(row);
    }
    m_percentiles->setLines(charts::levelLines(ofAllLevels, rule), rule);
    const Theme& theme = Theme::instance();
    m_table->setFixedHeight(m_table->horizontalHeader()->sizeHint().height() +
                            m_percentiles->rowCount() * m_table->verticalHeader()->defaultSectionSize() +
                            theme.unit(3)); // and a scroll bar in narrow windows
    const std::vector<charts::LevelPercentiles> lines = charts::levelLines(left, rule);
    const charts::LevelPercentiles all = lines.empty() ? charts::LevelPercentiles() : lines.front();
    const QString sides = QString::fromStdString(optimize::sidesText(m_project.countedPrecision().counts));
    const QString tried = sides.isEmpty() ? tr("of %1").arg(all.tried) : tr("of %1, %2").arg(all.tried).arg(sides);
    const auto speedup = [&all](double value) {
        return all.counted == 0 ? QString(QChar(0x2014)) : value > 0 ? speedupText(value) : QStringLiteral("0");
    };
    const charts::ProjectSummary summary = charts::summarise(left);
    const std::string marks = std::string(summary.ownPrecision > 0 ? "*" : "") + (summary.inQuestion > 0 ? "!" : "");
    m_gains->setNumber(QString::number(summary.trueGains), tried);
    m_gains->setSegments({{QStringLiteral("gain:*"), summary.ownPrecision, tr("other precision"), Role::VariantText},
                          {QStringLiteral("gain:!"), summary.inQuestion, tr("questioned"), Role::WarningText}});
    m_gains->setToolTip(tr("The best variant is faster at the reference's precision: its whole 95 % interval lies "
                           "above %1, and no label puts it in question.")
                            .arg(speedupText(store::TaskRow::leastGain)) +
                        (marks.empty() ? QString() : u'\n' + marksNote(marks)));
    m_correct->setNumber(QString::number(all.correct), tried);
    const QString devices = QString::fromStdString(charts::devicesText(left));
    const QString mixed = devices.isEmpty() ? QString() : tr("%1 devices").arg(charts::resultsByDevice(left).size());
    m_mean->setNumber(speedup(all.geometricMean), mixed);
    m_median->setNumber(speedup(all.median), mixed);
    for (NumberCard* card : {m_mean, m_median})
        card->setToolTip(
            tr("Over the tried tasks, of the best variant of each: a gain at the reference's own precision "
               "goes before a larger one at another, which `cudal1 compare-suite` takes. %1")
                .arg(charts::ruleText(rule)) +
            (devices.isEmpty() ? QString() : u'\n' + devices));
    showFilters();
}

/// The tasks that a segment counts.
void OverviewPage::chooseGains(const QString& key)
{
    const bool questioned = key == QStringLiteral("gain:!");
    const protocol::Merit wanted = questioned ? protocol::Merit::Questioned : protocol::Merit::OtherPrecision;
    SelectionFilter filter;
    filter.kind = QStringLiteral("gain");
    filter.key = key;
    filter.text = questioned ? tr("questioned gains") : tr("gains at another precision");
    for (const store::TaskRow& row : m_counted)
        if (charts::meritOf(row) == wanted)
            filter.tasks.insert(row.id);
    m_selection.toggleFilter(filter);
}

/// The row of all tasks, and the level that is chosen already, take the filter away.
void OverviewPage::chooseLevel(const QModelIndex& index)
{
    const std::optional<int> level = m_percentiles->lines()[std::size_t(index.row())].level;
    if (!level)
        return m_selection.removeFilter(QStringLiteral("level"));
    SelectionFilter filter;
    filter.kind = QStringLiteral("level");
    filter.key = QStringLiteral("level:%1").arg(*level);
    filter.text = charts::levelName(*level);
    for (const store::TaskRow& row : m_counted)
        if (row.level == *level)
            filter.tasks.insert(row.id);
    m_selection.toggleFilter(filter);
}

/// The row of the level that filters is selected.
void OverviewPage::showFilters()
{
    const SelectionFilter* filter = m_selection.filter(QStringLiteral("level"));
    for (int row = 0; filter && row < m_percentiles->rowCount(); ++row)
        if (const auto level = m_percentiles->lines()[std::size_t(row)].level;
            level && filter->key == QStringLiteral("level:%1").arg(*level))
            return m_table->selectRow(row);
    m_table->clearSelection();
}

/// In a narrow window the number of variants goes first, then the bars, then the intervals of marked speed-ups: names
/// must stay readable. Numbers are never cut: the table scrolls instead.
void OverviewPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    const Theme& theme = Theme::instance();
    const bool wide = width() >= theme.unit(330), hasIntervals = width() >= theme.unit(270);
    const int whole = SpeedupDelegate::wholeWidth(tr("questioned"));
    m_list->horizontalHeader()->resizeSection(RankedModel::Best, hasIntervals ? whole : theme.unit(44));
    m_model->setWide(hasIntervals);
    if (!m_sized) {
        QList<int> sizes = sharesOf(hasIntervals);
        for (int& size : sizes)
            size = size * width() / 300;
        m_body->setSizes(sizes);
    }
    m_list->setColumnHidden(RankedModel::Variants, !wide);
    // Names differ at their ends, if there is room.
    m_list->setTextElideMode(hasIntervals ? Qt::ElideMiddle : Qt::ElideRight);
    const bool narrow = width() < theme.unit(250);
    m_table->setColumnHidden(PercentilesModel::Tried, narrow); // the cards say it of all levels
    for (int column = PercentilesModel::Gains + 1; column < m_percentiles->columnCount(); ++column)
        m_table->horizontalHeader()->setSectionResizeMode(column, narrow ? QHeaderView::ResizeToContents
                                                                         : QHeaderView::Stretch);
}

void OverviewPage::openTask(const QModelIndex& index)
{
    m_selection.open(m_model->at(m_filter->mapToSource(index).row()).id, QStringLiteral("task"));
}

void OverviewPage::find()
{
    if (m_faces->currentWidget() == m_baselines)
        return m_baselines->find();
    table()->find();
}

ViewTools* OverviewPage::table() const
{
    return m_faces->currentWidget() == m_baselines ? m_baselines->tools()
         : m_lists->currentWidget() == m_claims    ? m_claims->tools()
                                                   : m_tools;
}

} // namespace cudal1::ui
