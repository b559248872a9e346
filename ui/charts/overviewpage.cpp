// SPDX-License-Identifier: GPL-3.0-or-later
// The overview: numbers above, histogram and ranked list below.
#include "ui/charts/overviewpage.h"

#include "core/base/statistics.h"
#include "core/report/oneversion.h"
#include "ui/charts/histogramview.h"
#include "ui/charts/legend.h"
#include "ui/charts/numbercard.h"
#include "ui/charts/percentilesmodel.h"
#include "ui/charts/rankedfilter.h"
#include "ui/charts/rankedmodel.h"
#include "ui/shell/elidedlabel.h"
#include "ui/shell/filterchips.h"
#include "ui/shell/projectmodel.h"
#include "ui/shell/selection.h"
#include "ui/shell/setupview.h"
#include "ui/shell/theme.h"
#include "ui/shell/uistate.h"
#include "ui/variants/speedupdelegate.h"
#include "ui/variants/texts.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include <set>

namespace cudal1::ui {

OverviewPage::OverviewPage(ProjectModel& project, Selection& selection, QWidget* parent)
    : Page(QStringLiteral("overview"), tr("Overview"), QStringLiteral("overview"), parent), m_project(project), m_selection(selection),
      m_gains(new NumberCard(tr("tasks with a true gain"), tr("The whole 95 % interval of the best variant lies above %1").arg(speedupText(store::TaskRow::leastGain)))),
      m_mean(new NumberCard(tr("geometric mean"), tr("Over the tried tasks, one without a correct variant counting as 1×"))),
      m_median(new NumberCard(tr("median"), tr("Over the tried tasks, one without a correct variant counting as 1×"))),
      m_correct(new NumberCard(tr("tasks with a correct variant"), tr("Equal to the reference in every trial"))),
      m_histogram(new HistogramView), m_model(new RankedModel(this)), m_filter(new RankedFilter(this)), m_list(new QTableView),
      m_percentiles(new PercentilesModel(this)), m_table(new QTableView), m_chips(nullptr), m_population(new ElidedLabel), m_leftOut(new QLabel), m_legend(new Legend)
{
    const Theme& theme = Theme::instance();
    auto* cards = new QHBoxLayout;
    cards->setSpacing(theme.unit(3));
    for (NumberCard* card : {m_gains, m_mean, m_median, m_correct})
        cards->addWidget(card, 1);
    auto* body = new QSplitter(Qt::Horizontal);
    auto* left = new QWidget;
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(theme.unit(3));
    column->addWidget(makeChart(), 1);
    column->addWidget(makePercentiles());
    body->addWidget(left);
    body->addWidget(makeList());
    body->setStretchFactor(0, 1);
    body->setStretchFactor(1, 1);
    body->setSizes({theme.unit(150), theme.unit(150)});
    body->setChildrenCollapsible(false);
    body->setHandleWidth(theme.unit(3));
    UiState::instance().keep(body, QStringLiteral("overviewBody"));
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
    setContent(content);

    connect(m_histogram, &HistogramView::chosenChanged, this, &OverviewPage::applyRange);
    connect(m_list, &QTableView::activated, this, &OverviewPage::openTask);
    connect(&project, &ProjectModel::tasksChanged, this, &OverviewPage::refresh);
    connect(&project, &ProjectModel::loadingChanged, this, &OverviewPage::refresh);
    connect(&project, &ProjectModel::closed, this, &OverviewPage::refresh);
    connect(&selection, &Selection::taskChanged, this, &OverviewPage::refresh);
    applyRange();
    refresh();
}

QWidget* OverviewPage::makeChart()
{
    const Theme& theme = Theme::instance();
    auto* card = new QFrame;
    card->setProperty("class", QStringLiteral("card"));
    auto* title = new QLabel(tr("Best speed-up of each task"));
    title->setFont(theme.titleFont(2));
    auto* line = new QHBoxLayout;
    line->setSpacing(theme.unit(3));
    line->addWidget(title);
    line->addWidget(m_population, 1);
    auto* layout = new QVBoxLayout(card);
    layout->setContentsMargins(theme.unit(4), theme.unit(3), theme.unit(3), theme.unit(2));
    layout->setSpacing(theme.unit(1));
    m_population->setProperty("class", QStringLiteral("muted"));
    m_population->setFont(theme.smallFont());
    m_population->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    layout->addLayout(line);
    layout->addWidget(m_legend);
    layout->addWidget(m_histogram, 1);
    return card;
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
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(theme.unit(6));
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setMinimumSectionSize(theme.unit(8));
    m_table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    for (const int column : {PercentilesModel::Level, PercentilesModel::Gain})
        m_table->horizontalHeader()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    setupView(m_table, {});
    connect(m_table, &QTableView::clicked, this, &OverviewPage::chooseLevel);
    connect(m_table, &QTableView::activated, this, &OverviewPage::chooseLevel);
    auto* card = new QFrame;
    card->setProperty("class", QStringLiteral("card"));
    auto* layout = new QVBoxLayout(card);
    layout->setContentsMargins(1, theme.unit(1), 1, theme.unit(1));
    layout->addWidget(m_table);
    card->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    return card;
}

QWidget* OverviewPage::makeList()
{
    const Theme& theme = Theme::instance();
    m_filter->setSourceModel(m_model);
    m_list->setObjectName(QStringLiteral("ranked"));
    m_list->setAccessibleName(tr("Tasks by speed-up"));
    m_list->setModel(m_filter);
    m_list->setItemDelegateForColumn(
        RankedModel::Best,
        new SpeedupDelegate([this](const QModelIndex& index) { return m_model->at(m_filter->mapToSource(index).row()).row.best; },
                            [this] { return m_model->axis(); }, m_list));
    m_list->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_list->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->setShowGrid(false);
    m_list->setWordWrap(false);
    m_list->setTabKeyNavigation(false);
    m_list->setSortingEnabled(true);
    m_list->sortByColumn(RankedModel::Best, Qt::DescendingOrder);
    m_list->verticalHeader()->hide();
    m_list->verticalHeader()->setDefaultSectionSize(theme.unit(7));
    QHeaderView* header = m_list->horizontalHeader();
    header->setHighlightSections(false);
    header->setStretchLastSection(false);
    header->setMinimumSectionSize(theme.unit(14));
    header->resizeSection(RankedModel::Best, theme.unit(60));
    header->resizeSection(RankedModel::Variants, theme.unit(20));
    header->setSectionResizeMode(RankedModel::Task, QHeaderView::Stretch);
    m_tools = setupView(m_list, QStringLiteral("ranked"));

    m_chips = new FilterChips;
    connect(m_chips, &FilterChips::removed, this, [this](const QString& id) {
        if (id == QLatin1String("range"))
            m_histogram->choose(-1);
        else if (id == QLatin1String("level"))
            chooseLevel({});
        else
            m_tools->setFilter({});
    });
    connect(m_chips, &FilterChips::cleared, this, [this] {
        m_histogram->choose(-1);
        chooseLevel({});
        m_tools->setFilter({});
    });
    connect(m_tools, &ViewTools::filterChanged, this, &OverviewPage::showChips);
    auto* title = new QLabel(tr("Tasks by speed-up"));
    title->setFont(theme.titleFont(2));
    auto* line = new QHBoxLayout;
    line->setContentsMargins(theme.unit(4), theme.unit(3), theme.unit(3), theme.unit(2));
    line->setSpacing(theme.unit(3));
    line->addWidget(title);
    line->addWidget(m_chips, 1);
    line->addStretch(0);
    auto* card = new QFrame;
    card->setProperty("class", QStringLiteral("card"));
    card->setMinimumWidth(theme.unit(84));
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
    const report::OneVersion version = report::oneVersion(all, [&open](const store::TaskRow& row) { return open.contains(row.id); });
    const auto tasks = std::make_shared<TaskList>();
    for (std::size_t i = 0; i < all.size(); ++i)
        if (version.counts[i])
            tasks->push_back((*m_project.tasks())[i]);
    std::vector<report::Sample> samples;
    for (const TaskEntry& task : *tasks)
        if (task.row.best.valid())
            samples.push_back({task.row.best.estimate, std::clamp(task.level, 0, HistogramView::groups - 1)});
    const Theme& theme = Theme::instance();
    m_percentiles->setTasks(*tasks);
    const report::Summary& summary = m_percentiles->all();
    const int rows = m_percentiles->rowCount();
    m_table->setFixedHeight(m_table->horizontalHeader()->sizeHint().height() + rows * m_table->verticalHeader()->defaultSectionSize() + theme.unit(1));
    if (m_level) {
        int row = 0;
        while (row < rows && m_percentiles->levelOf(row) != m_level)
            ++row;
        row < rows ? m_table->selectRow(row) : chooseLevel({});
    }
    m_model->setTasks(tasks);
    m_population->setText(int(samples.size()) == summary.tried
                              ? counted(summary.tried, tr("tried task"), tr("tried tasks"))
                              : tr("%1 of %2 tried; the quartiles count the others as 1×").arg(samples.size()).arg(summary.tried));
    m_leftOut->setText(QString::fromStdString(version.sentence()));
    m_leftOut->setVisible(!m_leftOut->text().isEmpty());
    std::set<int> levels;
    for (const report::Sample& sample : samples)
        levels.insert(sample.group);
    m_legend->setLevels(levels);
    const auto quantile = [&summary](double q) { return base::quantile(summary.all, q); };
    m_histogram->setSamples(std::move(samples), {quantile(0.25), quantile(0.5), quantile(0.75)});
    const QString tried = tr("of %1").arg(summary.tried);
    m_gains->setNumber(QString::number(summary.improved), tried);
    m_correct->setNumber(QString::number(summary.correct), tried);
    m_mean->setNumber(summary.tried ? speedupText(summary.geometricMean) : QString(QChar(0x2014)), {});
    m_median->setNumber(summary.tried ? speedupText(summary.median) : QString(QChar(0x2014)), {});

    if (summary.tried > 0) {
        showContent();
        return;
    }
    if (m_project.isLoading()) {
        showEmpty(tr("Loading…"), {});
        return;
    }
    const base::TaskId task = !m_selection.task().empty() ? m_selection.task() : tasks->empty() ? base::TaskId() : tasks->front().id;
    showEmpty(tr("Nothing has been measured yet"),
              tr("The gains of the project stand here: how many tasks became faster, by how much, and which. "
                 "The first run fills the page."),
              task.empty() ? QString() : tr("Optimize %1").arg(QString::fromStdString(task.value)),
              [this, task] { emit optimizeRequested(task); });
}

void OverviewPage::applyRange()
{
    const int bin = m_histogram->chosen();
    if (bin < 0) {
        m_filter->setRange({});
    } else {
        const report::Bin& range = m_histogram->histogram().bins[bin];
        m_filter->setRange(std::pair(range.low, range.high));
    }
    showChips();
}

/// No level for an invalid index, for the row of all tasks, and for the level that is chosen already.
void OverviewPage::chooseLevel(const QModelIndex& index)
{
    const std::optional<int> level = index.isValid() ? m_percentiles->levelOf(index.row()) : std::nullopt;
    m_level = level == m_level ? std::nullopt : level;
    if (!m_level)
        m_table->clearSelection();
    m_filter->setLevel(m_level);
    showChips();
}

void OverviewPage::showChips()
{
    std::vector<FilterChip> chips;
    if (const int bin = m_histogram->chosen(); bin >= 0) {
        const report::Bin& range = m_histogram->histogram().bins[bin];
        chips.push_back({QStringLiteral("range"), tr("%1 to %2").arg(speedupText(range.low), speedupText(range.high))});
    }
    if (m_level)
        chips.push_back({QStringLiteral("level"), *m_level == 0 ? tr("files") : tr("level %1").arg(*m_level)});
    if (!m_tools->filter().isEmpty())
        chips.push_back({QStringLiteral("pattern"), QStringLiteral("/%1/").arg(m_tools->filter())});
    m_chips->setChips(chips);
}

/// In a narrow window the bars go first, then the number of variants: names must stay readable.
void OverviewPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    const Theme& theme = Theme::instance();
    const bool wide = width() >= theme.unit(250);
    m_list->horizontalHeader()->resizeSection(RankedModel::Best, theme.unit(wide ? 60 : 44));
    m_list->setColumnHidden(RankedModel::Variants, !wide);
    for (const int column : {PercentilesModel::P10, PercentilesModel::P90})
        m_table->setColumnHidden(column, width() < theme.unit(250));
}

void OverviewPage::openTask(const QModelIndex& index)
{
    m_selection.select(m_model->at(m_filter->mapToSource(index).row()).id, {}, {}, QStringLiteral("task"));
}

void OverviewPage::find()
{
    m_list->setFocus();
    m_tools->find();
}

} // namespace cudal1::ui
