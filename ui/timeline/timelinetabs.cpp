// SPDX-License-Identifier: GPL-3.0-or-later
// Tables and view follow each other; m_picking ends the circle.
#include "ui/timeline/timelinetabs.h"

#include "core/timeline/gaps.h"
#include "ui/kit/pagetabs.h"
#include "ui/kit/rowtable.h"
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/timeline/foundmodel.h"
#include "ui/timeline/gapsmodel.h"
#include "ui/timeline/gaptotals.h"
#include "ui/timeline/namedelegate.h"
#include "ui/timeline/timelineloader.h"
#include "ui/timeline/timelinetexts.h"
#include "ui/timeline/workmodel.h"
#include "ui/variants/texts.h"

#include <QHeaderView>
#include <QRegularExpression>
#include <QSortFilterProxyModel>
#include <QTabBar>
#include <QTableView>
#include <QVBoxLayout>

namespace cudal1::ui {

using Picked = TimelineView::Picked;

namespace {

constexpr std::size_t mostFound = 10'000;

/// Whether a row of work stands in the first, second or third table.
int tableOf(protocol::TimelineEvent::Category category)
{
    using Category = protocol::TimelineEvent::Category;
    switch (category) {
    case Category::Kernel:
    case Category::Copy:
    case Category::Memset: return 0;
    case Category::Operator:
    case Category::UserScope: return 1;
    case Category::Runtime:
    case Category::Driver:
    case Category::Wait: break;
    }
    return 2;
}

class WorkFilter : public QSortFilterProxyModel {
public:
    WorkFilter(const WorkModel& work, int table, QObject* parent)
        : QSortFilterProxyModel(parent), m_work(work), m_table(table)
    {
    }

protected:
    bool filterAcceptsRow(int row, const QModelIndex&) const override
    {
        return tableOf(m_work.at(row).row.category) == m_table;
    }
    bool filterAcceptsColumn(int column, const QModelIndex&) const override
    {
        return m_table == 0 || column < WorkModel::Grid; // what follows is of launches
    }

private:
    const WorkModel& m_work;
    int m_table;
};

} // namespace

TimelineTabs::TimelineTabs(TimelineView& view, TimelineLoader& loader, QWidget* parent)
    : QTabWidget(parent), m_view(view), m_loader(loader), m_work(new WorkModel(this)), m_gaps(new GapsModel(this)),
      m_found(new FoundModel(this)), m_gapTotals(new GapTotals)
{
    const Theme& theme = Theme::instance();
    auto* bar = new PageTabs; // as the other tabs of the window look
    bar->setMarked(true);
    setTabBar(bar);
    setDocumentMode(true);
    setObjectName(QStringLiteral("timelineTables"));
    setAccessibleName(tr("Tables of the timeline"));
    bar->setAccessibleName(accessibleName());
    makeWorkTable(Device, "timelineWork");
    makeWorkTable(Operators, "timelineOperators");
    makeWorkTable(Calls, "timelineCalls");
    m_gapTotals->setObjectName(QStringLiteral("gapTotals"));
    m_gapTotals->setProperty("class", QStringLiteral("muted"));
    m_gapTotals->setContentsMargins(theme.unit(3), 0, theme.unit(3), 0);
    m_gapTotals->hide();
    QTableView* gaps = makeTable(m_gaps, new QSortFilterProxyModel(this), "timelineGaps", tr("Gaps"),
                                 GapsModel::Duration, Qt::DescendingOrder, m_gapTotals);
    const int widths[] = {13, 34, 22, 28, 19, 38, 40};
    for (int column = 0; column < gaps->model()->columnCount(); ++column)
        gaps->horizontalHeader()->resizeSection(column, theme.unit(widths[column]));
    gaps->horizontalHeader()->setSectionResizeMode(GapsModel::Next, QHeaderView::Stretch);
    QTableView* found = makeTable(m_found, new QSortFilterProxyModel(this), "timelineFound", tr("Found"),
                                  FoundModel::Start, Qt::AscendingOrder);
    found->horizontalHeader()->resizeSection(FoundModel::Name, theme.unit(81));
    found->horizontalHeader()->resizeSection(FoundModel::Side, theme.unit(13));
    found->horizontalHeader()->resizeSection(FoundModel::Start, theme.unit(32));
    for (QTableView* table : m_tables) // with the widths that a user gave its columns before
        setupView(table, table->objectName());

    connect(&view, &TimelineView::pickedChanged, this, &TimelineTabs::follow);
    connect(&view, &TimelineView::spanChanged, this, [this] {
        countAgain();
        follow();
    });
}

void TimelineTabs::makeWorkTable(Tab tab, const char* name)
{
    QTableView* table = makeTable(m_work, new WorkFilter(*m_work, tab, this), name, titleOf(tab), WorkModel::Total,
                                  Qt::DescendingOrder);
    new NameDelegate(*table, WorkModel::Name, WorkModel::Share);
}

QTableView* TimelineTabs::makeTable(TimelineTableModel* model, QSortFilterProxyModel* proxy, const char* name,
                                    const QString& title, int sortColumn, Qt::SortOrder order, QWidget* above)
{
    const Theme& theme = Theme::instance();
    proxy->setSourceModel(model);
    proxy->setSortRole(TimelineTableModel::SortRole);
    auto* table = new QTableView;
    table->setModel(proxy);
    setUpRows(*table, QString::fromLatin1(name), title, 6);
    table->setTextElideMode(Qt::ElideMiddle); // names of kernels differ at their ends
    table->setSortingEnabled(true);
    table->sortByColumn(sortColumn, order);
    // Not the current row: a table that gets the focus makes its first row current, which nobody chose.
    connect(table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            [this, model, proxy](const QItemSelection& selected) {
                if (!selected.isEmpty())
                    rowChosen(model, proxy->mapToSource(selected.front().topLeft()));
            });
    connect(table, &QTableView::activated, this, [this, model, proxy](const QModelIndex& index) {
        m_view.zoomTo(model->pickedOf(proxy->mapToSource(index).row()));
    });
    m_tables.push_back(table);
    if (!above) {
        addTab(table, title);
        return table;
    }
    auto* both = new QWidget;
    auto* layout = new QVBoxLayout(both);
    layout->setContentsMargins(0, theme.unit(1), 0, 0);
    layout->setSpacing(theme.unit(1));
    layout->addWidget(above);
    layout->addWidget(table, 1);
    addTab(both, title);
    return table;
}

ViewTools* TimelineTabs::table() const
{
    return ViewTools::around(m_tables[std::size_t(currentIndex())]);
}

void TimelineTabs::showSides()
{
    m_gaps->setSides(m_view.sides());
    QStringList totals;
    const TimelineView::Sides& sides = m_view.sides();
    for (int side = 0; side < int(sides.size()); ++side)
        if (const std::string text = timeline::gapTotalsText(*sides[std::size_t(side)].model); !text.empty())
            totals << (sides.size() > 1 ? sideLetter(side) + QStringLiteral(": ") : QString()) +
                          QString::fromStdString(text);
    m_gapTotals->setVisible(!totals.isEmpty());
    m_gapTotals->setTotals(totals);
    m_found->setFound({}, {});
    countAgain();
}

void TimelineTabs::countAgain()
{
    m_loader.counting().ask(
        [sides = m_view.sides(), span = m_view.span()] { return std::pair(sides, WorkModel::rowsOf(sides, span)); },
        [this](std::pair<TimelineView::Sides, WorkModel::Rows> counted) {
            m_picking = true; // rows that go are no choice of the user
            m_work->setRows(std::move(counted.first), std::move(counted.second));
            m_picking = false;
            for (const Tab tab : {Device, Operators, Calls})
                m_tables[tab]->scrollToTop();
            showWorkTabs();
            follow();
        });
    for (const Tab tab : {Device, Operators, Calls})
        setTabText(tab, titleOf(tab));
}

QString TimelineTabs::titleOf(Tab tab) const
{
    const auto span = m_view.span();
    const QString time = span ? timeText(double(span->duration_ns())) : QString();
    switch (tab) {
    case Device: return span ? tr("Kernels and copies in %1").arg(time) : tr("Kernels and copies");
    case Operators: return span ? tr("Operators in %1").arg(time) : tr("Operators");
    case Calls: return span ? tr("CUDA calls in %1").arg(time) : tr("CUDA calls");
    case Gaps: return tr("Gaps");
    case Found: break;
    }
    return tr("Found");
}

void TimelineTabs::showWorkTabs()
{
    const auto hasRows = [this](Tab tab) { return m_tables[tab]->model()->rowCount() > 0; };
    const bool hasAny = m_work->rowCount() > 0;
    const Tab now = Tab(currentIndex());
    for (const Tab tab : {Device, Operators, Calls})
        setTabVisible(tab, hasRows(tab) || (!hasAny && tab == Device));
    if (now <= Calls && !hasRows(now))
        setCurrentIndex(!hasAny || hasRows(Device) ? Device : hasRows(Operators) ? Operators : Calls);
}

/// No other table of work has a chosen row then, so that each row there can be chosen again.
void TimelineTabs::unchooseOutside(Tab chosen)
{
    for (const Tab tab : {Device, Operators, Calls})
        if (tab != chosen)
            m_tables[tab]->selectionModel()->clear();
}

void TimelineTabs::follow()
{
    const Picked& picked = m_view.picked();
    if (m_picking || !picked)
        return;
    m_picking = true;
    const auto follow = [&](Tab which, TimelineTableModel* model, int row) {
        if (row < 0)
            return;
        unchooseOutside(which);
        QTableView* table = m_tables[which];
        const auto* proxy = static_cast<const QSortFilterProxyModel*>(table->model());
        const QModelIndex index = proxy->mapFromSource(model->index(row, 0));
        table->setCurrentIndex(index);
        table->scrollTo(index);
    };
    if (picked.gap < 0) {
        const auto& model = *m_view.sides()[std::size_t(picked.side)].model;
        follow(Tab(tableOf(model.category[picked.event])), m_work, m_work->rowOf(picked));
        m_view.mark({picked.side, model.name[picked.event], model.category[picked.event]});
    } else {
        follow(Gaps, m_gaps, m_gaps->rowOf(picked));
    }
    m_picking = false;
}

/// A row of work marks its events; a gap or an event that was found is gone to.
void TimelineTabs::rowChosen(TimelineTableModel* model, const QModelIndex& current)
{
    if (m_picking || !current.isValid())
        return;
    m_picking = true;
    if (model == m_work) {
        const WorkModel::Row& row = m_work->at(current.row());
        unchooseOutside(Tab(tableOf(row.row.category)));
        m_view.mark({row.side, row.row.name, row.row.category});
    }
    m_view.pick(model->pickedOf(current.row()));
    m_picking = false;
}

void TimelineTabs::search(const QString& text)
{
    if (text.isEmpty()) {
        m_loader.searching().forget();
        m_found->setFound({}, {});
        m_view.setFound({});
        emit found({});
        setTabText(Found, tr("Found"));
        return;
    }
    QRegularExpression expression(text, QRegularExpression::CaseInsensitiveOption);
    if (!expression.isValid())
        expression.setPattern(QRegularExpression::escape(text));
    m_loader.searching().ask(
        [sides = m_view.sides(), expression] {
            FoundModel::Found found;
            std::size_t all = 0;
            const auto isMeant = [&](const std::string& name) {
                return expression.match(QString::fromStdString(name)).hasMatch();
            };
            for (int side = 0; side < int(sides.size()); ++side)
                for (const timeline::EventIndex event : timeline::eventsNamed(*sides[std::size_t(side)].model, isMeant))
                    if (++all <= mostFound)
                        found.emplace_back(side, event);
            return std::tuple(sides, std::move(found), all);
        },
        [this](std::tuple<TimelineView::Sides, FoundModel::Found, std::size_t> answer) {
            const auto all = int(std::get<2>(answer));
            m_picking = true;
            m_view.setFound(std::get<1>(answer));
            m_found->setFound(std::move(std::get<0>(answer)), std::move(std::get<1>(answer)));
            m_picking = false;
            emit found(all > int(mostFound)
                           ? tr("%1 found, the first %2 listed").arg(countText(all), countText(std::int64_t(mostFound)))
                           : tr("%1 found").arg(countText(all)));
            setTabText(Found, tr("Found: %1").arg(countText(all)));
            setCurrentIndex(Found);
        });
}

void TimelineTabs::nextFound(int by)
{
    QTableView* table = m_tables[Found];
    const int rows = table->model()->rowCount();
    if (rows == 0)
        return;
    const int row = table->currentIndex().isValid() ? (table->currentIndex().row() + by + rows) % rows
                  : by > 0                          ? 0
                                                    : rows - 1;
    table->setCurrentIndex(table->model()->index(row, 0));
}

} // namespace cudal1::ui
