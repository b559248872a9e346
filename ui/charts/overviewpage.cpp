// SPDX-License-Identifier: GPL-3.0-or-later
// The overview: numbers above, histogram and ranked list below.
#include "ui/charts/overviewpage.h"

#include "core/report/summary.h"
#include "ui/charts/histogramview.h"
#include "ui/charts/legend.h"
#include "ui/charts/numbercard.h"
#include "ui/charts/rankedfilter.h"
#include "ui/charts/rankedmodel.h"
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
#include <QToolButton>
#include <QVBoxLayout>

namespace cudal1::ui {

OverviewPage::OverviewPage(ProjectModel& project, Selection& selection, QWidget* parent)
    : Page(QStringLiteral("overview"), tr("Overview"), QStringLiteral("overview"), parent), m_project(project), m_selection(selection),
      m_gains(new NumberCard(tr("tasks with a true gain"), tr("The whole 95 % interval of the best variant lies above %1").arg(speedupText(store::TaskRow::leastGain)))),
      m_mean(new NumberCard(tr("geometric mean"), tr("Over the tried tasks, one without a correct variant counting as 1×"))),
      m_median(new NumberCard(tr("median"), tr("Over the tried tasks, one without a correct variant counting as 1×"))),
      m_correct(new NumberCard(tr("tasks with a correct variant"), tr("Equal to the reference in every trial"))),
      m_histogram(new HistogramView), m_model(new RankedModel(this)), m_filter(new RankedFilter(this)), m_list(new QTableView),
      m_chip(new QToolButton)
{
    const Theme& theme = Theme::instance();
    auto* cards = new QHBoxLayout;
    cards->setSpacing(theme.unit(3));
    for (NumberCard* card : {m_gains, m_mean, m_median, m_correct})
        cards->addWidget(card, 1);
    auto* body = new QSplitter(Qt::Horizontal);
    body->addWidget(makeChart());
    body->addWidget(makeList());
    body->setStretchFactor(0, 3);
    body->setStretchFactor(1, 2);
    body->setSizes({theme.unit(150), theme.unit(150)});
    body->setChildrenCollapsible(false);
    body->setHandleWidth(theme.unit(3));
    UiState::instance().keep(body, QStringLiteral("overviewBody"));
    auto* content = new QWidget;
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(theme.unit(4), theme.unit(4), theme.unit(4), theme.unit(4));
    layout->setSpacing(theme.unit(3));
    layout->addLayout(cards);
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
    line->addWidget(title);
    line->addStretch(1);
    line->addWidget(new Legend);
    auto* layout = new QVBoxLayout(card);
    layout->setContentsMargins(theme.unit(4), theme.unit(3), theme.unit(3), theme.unit(2));
    layout->addLayout(line);
    layout->addWidget(m_histogram, 1);
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
    header->resizeSection(RankedModel::Best, theme.unit(60));
    header->resizeSection(RankedModel::Variants, theme.unit(18));
    header->setSectionResizeMode(RankedModel::Task, QHeaderView::Stretch);
    m_tools = setupView(m_list, QStringLiteral("ranked"));

    m_chip->setProperty("class", QStringLiteral("chip"));
    m_chip->setObjectName(QStringLiteral("rangeChip"));
    m_chip->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_chip->setLayoutDirection(Qt::RightToLeft);
    m_chip->setToolTip(tr("Show all tasks again (Esc in the histogram)"));
    const auto draw = [this] { m_chip->setIcon(Theme::instance().icon(QStringLiteral("close"), Role::Muted)); };
    draw();
    connect(&Theme::instance(), &Theme::changed, this, draw);
    connect(m_chip, &QToolButton::clicked, this, [this] { m_histogram->choose(-1); });
    auto* title = new QLabel(tr("Tasks by speed-up"));
    title->setFont(theme.titleFont(2));
    auto* line = new QHBoxLayout;
    line->setContentsMargins(theme.unit(4), theme.unit(3), theme.unit(3), theme.unit(2));
    line->addWidget(title);
    line->addStretch(1);
    line->addWidget(m_chip);
    auto* card = new QFrame;
    card->setProperty("class", QStringLiteral("card"));
    auto* layout = new QVBoxLayout(card);
    layout->setContentsMargins(1, 1, 1, theme.unit(1));
    layout->setSpacing(0);
    layout->addLayout(line);
    layout->addWidget(m_list, 1);
    return card;
}

void OverviewPage::refresh()
{
    const std::shared_ptr<const TaskList> tasks = m_project.tasks();
    std::vector<store::TaskRow> rows;
    std::vector<report::Sample> samples;
    for (const TaskEntry& task : *tasks) {
        rows.push_back(task.row);
        if (task.row.best.valid())
            samples.push_back({task.row.best.estimate, std::clamp(task.level, 0, HistogramView::groups - 1)});
    }
    const report::Summary summary = report::summarise(rows);
    m_model->setTasks(tasks);
    m_histogram->setSamples(std::move(samples));
    const QString tried = tr("of %1 tried").arg(summary.tried);
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
    m_chip->setVisible(bin >= 0);
    if (bin < 0) {
        m_filter->setRange({});
        return;
    }
    const report::Bin& range = m_histogram->histogram().bins[bin];
    m_filter->setRange(std::pair(range.low, range.high));
    m_chip->setText(tr("%1 to %2").arg(speedupText(range.low), speedupText(range.high)));
}

void OverviewPage::openTask(const QModelIndex& index)
{
    m_selection.select(m_model->at(m_filter->mapToSource(index).row()).id, {}, {}, QStringLiteral("task"));
}

void OverviewPage::find()
{
    m_tools->find();
}

} // namespace cudal1::ui
