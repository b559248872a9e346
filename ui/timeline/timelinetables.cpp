// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of the tables under the timelines.
#include "ui/timeline/timelinetables.h"

#include "ui/kit/theme.h"
#include "ui/timeline/timelinetexts.h"
#include "ui/variants/texts.h"

#include <algorithm>

namespace cudal1::ui {

using timeline::Gap;
using timeline::Model;
using Picked = TimelineView::Picked;

TimelineTableModel::TimelineTableModel(std::vector<Column> columns, QObject* parent) : QAbstractTableModel(parent), m_columns(std::move(columns)) {}

int TimelineTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_columns.size());
}

QString TimelineTableModel::tip(int, int) const { return {}; }

QVariant TimelineTableModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const bool right = m_columns[std::size_t(index.column())].right;
    switch (role) {
    case Qt::DisplayRole: return text(index.row(), index.column());
    case SortRole: return sortKey(index.row(), index.column());
    case Qt::ToolTipRole: return tip(index.row(), index.column());
    case Qt::TextAlignmentRole: return int((right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::FontRole: return right ? QVariant(Theme::instance().monoFont()) : QVariant();
    default: return {};
    }
}

QVariant TimelineTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= int(m_columns.size()))
        return {};
    const Column& column = m_columns[std::size_t(section)];
    switch (role) {
    case Qt::DisplayRole: return column.title;
    case Qt::ToolTipRole: return column.tip;
    case Qt::TextAlignmentRole: return int((column.right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    default: return {};
    }
}

// ---- what took the time ---------------------------------------------------------------------------------------------

WorkModel::WorkModel(QObject* parent)
    : TimelineTableModel({{tr("Side"), tr("Reference or variant")},
                          {tr("What"), tr("Kernel, copy, operator, CUDA call …")},
                          {tr("Name"), {}},
                          {tr("Count"), tr("How often, in all calls"), true},
                          {tr("Total"), tr("Time in all; of operators, without what ran inside them"), true},
                          {tr("Share"), tr("Of the timed windows, or of the measured span; more than 100 % where work runs side by side"), true},
                          {tr("Grid"), tr("Blocks of a launch; … where launches differ, then of the longest"), true},
                          {tr("Block"), tr("Threads of a block"), true},
                          {tr("Registers"), tr("Of a thread"), true},
                          {tr("Shared"), tr("Shared memory of a block, static and dynamic"), true},
                          {tr("Rate"), tr("Bytes per second where the bytes are known: of copies, and of elementwise kernels and reductions, whose operator tells them"), true}},
                         parent)
{
}

WorkModel::Rows WorkModel::rowsOf(const TimelineView::Sides& sides, const std::optional<timeline::Span>& span)
{
    Rows rows;
    for (int side = 0; side < int(sides.size()); ++side)
        for (const timeline::TableRow& row : timeline::tableOf(*sides[std::size_t(side)].model, span))
            rows.push_back({side, row});
    return rows;
}

void WorkModel::setRows(TimelineView::Sides sides, Rows rows)
{
    beginResetModel();
    m_sides = std::move(sides);
    m_rows = std::move(rows);
    endResetModel();
}

int WorkModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(m_rows.size()); }

int WorkModel::rowOf(const Picked& picked) const
{
    if (!picked || picked.gap >= 0 || picked.side >= int(m_sides.size()))
        return -1;
    const Model& model = *m_sides[std::size_t(picked.side)].model;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const timeline::TableRow& row = m_rows[i].row;
        if (m_rows[i].side == picked.side && row.name == model.name[picked.event] && row.category == model.category[picked.event]
            && (!row.detail || row.detail == model.facts[picked.event].detail))
            return int(i);
    }
    return -1;
}

Picked WorkModel::pickedOf(int row) const { return {at(row).side, at(row).row.longest, -1}; }

QString WorkModel::text(int number, int column) const
{
    const timeline::TableRow& row = at(number).row;
    const timeline::Side& side = m_sides[std::size_t(at(number).side)];
    const Model& model = *side.model;
    const protocol::KernelLaunch* launch = row.launch ? &model.launches[row.launch - 1] : nullptr;
    switch (column) {
    case Side: return sideName(side);
    case What: return categoryText(row.category);
    case Name: return shortName(model.names[row.name]) + (row.detail ? QStringLiteral(", ") + QString::fromStdString(model.names[row.detail]) : QString());
    case Count: return QString::number(row.count);
    case Total: return timeText(double(row.total_ns));
    case Share: return QStringLiteral("%1 %").arg(100 * row.share, 0, 'f', 1);
    case Grid: return launch ? extentText(launch->grid) + (row.oneLaunch ? QString() : QStringLiteral(" …")) : QString();
    case Block: return launch ? extentText(launch->block) : QString();
    case Registers: return launch ? QString::number(launch->registers) : QString();
    case Shared: return launch ? bytesText(double(launch->staticShared_bytes + launch->dynamicShared_bytes)) : QString();
    case Rate: return rateText(row.moved.bytesPerSecond());
    default: return {};
    }
}

QVariant WorkModel::sortKey(int number, int column) const
{
    const timeline::TableRow& row = at(number).row;
    const protocol::KernelLaunch* launch = row.launch ? &m_sides[std::size_t(at(number).side)].model->launches[row.launch - 1] : nullptr;
    const auto product = [](const std::array<std::int32_t, 3>& e) { return double(e[0]) * e[1] * e[2]; };
    switch (column) {
    case Side: return at(number).side;
    case Count: return qlonglong(row.count);
    case Total: return qlonglong(row.total_ns);
    case Share: return row.share;
    case Grid: return launch ? product(launch->grid) : -1.0;
    case Block: return launch ? product(launch->block) : -1.0;
    case Registers: return launch ? launch->registers : -1;
    case Shared: return launch ? qlonglong(launch->staticShared_bytes + launch->dynamicShared_bytes) : qlonglong(-1);
    case Rate: return row.moved.bytesPerSecond();
    default: return text(number, column);
    }
}

QString WorkModel::tip(int number, int column) const
{
    const timeline::Side& side = m_sides[std::size_t(at(number).side)];
    return column == Name ? QString::fromStdString(side.model->names[at(number).row.name]) : column == Side ? QString::fromStdString(side.title) : QString();
}

// ---- gaps -----------------------------------------------------------------------------------------------------------

GapsModel::GapsModel(QObject* parent)
    : TimelineTableModel({{tr("Side"), tr("Reference or variant")},
                          {tr("Cause"), tr("What the host did for most of the gap")},
                          {tr("Duration"), {}, true},
                          {tr("Start"), tr("After the start of the first timed window"), true},
                          {tr("Why"), {}}},
                         parent)
{
}

void GapsModel::setSides(TimelineView::Sides sides)
{
    beginResetModel();
    m_sides = std::move(sides);
    m_rows.clear();
    for (int side = 0; side < int(m_sides.size()); ++side)
        for (int gap = 0; gap < int(m_sides[std::size_t(side)].model->gaps.size()); ++gap)
            m_rows.push_back({side, timeline::noEvent, gap});
    if (m_rows.size() > most) {
        const auto length = [&](const Picked& p) { return m_sides[std::size_t(p.side)].model->gaps[std::size_t(p.gap)].duration_ns(); };
        std::nth_element(m_rows.begin(), m_rows.begin() + most, m_rows.end(), [&](const Picked& a, const Picked& b) { return length(a) > length(b); });
        m_rows.resize(most);
    }
    endResetModel();
}

int GapsModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(m_rows.size()); }

int GapsModel::rowOf(const Picked& picked) const
{
    const auto it = picked && picked.gap >= 0 ? std::find(m_rows.begin(), m_rows.end(), picked) : m_rows.end();
    return it == m_rows.end() ? -1 : int(it - m_rows.begin());
}

Picked GapsModel::pickedOf(int row) const { return m_rows[std::size_t(row)]; }

QString GapsModel::text(int row, int column) const
{
    const Picked at = pickedOf(row);
    const timeline::Side& side = m_sides[std::size_t(at.side)];
    const Gap& gap = side.model->gaps[std::size_t(at.gap)];
    switch (column) {
    case Side: return sideName(side);
    case Cause: return QString::fromUtf8(word(gap.cause).data(), qsizetype(word(gap.cause).size()));
    case Duration: return timeText(double(gap.duration_ns()));
    case Start: return momentText(double(gap.begin_ns));
    case Why: return QString::fromStdString(sentence(*side.model, gap));
    default: return {};
    }
}

QVariant GapsModel::sortKey(int row, int column) const
{
    const Picked at = pickedOf(row);
    const Gap& gap = m_sides[std::size_t(at.side)].model->gaps[std::size_t(at.gap)];
    switch (column) {
    case Side: return at.side;
    case Duration: return qlonglong(gap.duration_ns());
    case Start: return qlonglong(gap.begin_ns);
    default: return text(row, column);
    }
}

QString GapsModel::tip(int row, int column) const
{
    return column == Why ? text(row, column) : column == Side ? QString::fromStdString(m_sides[std::size_t(pickedOf(row).side)].title) : QString();
}

// ---- found ----------------------------------------------------------------------------------------------------------

FoundModel::FoundModel(QObject* parent)
    : TimelineTableModel({{tr("Name"), {}}, {tr("What"), {}}, {tr("Side"), {}}, {tr("Track"), {}}, {tr("Start"), tr("After the start of the first timed window"), true}, {tr("Duration"), {}, true}}, parent)
{
}

void FoundModel::setFound(TimelineView::Sides sides, Found found)
{
    beginResetModel();
    m_sides = std::move(sides);
    m_found = std::move(found);
    endResetModel();
}

int FoundModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(m_found.size()); }

Picked FoundModel::pickedOf(int row) const { return {m_found[std::size_t(row)].first, m_found[std::size_t(row)].second, -1}; }

QString FoundModel::text(int row, int column) const
{
    const Picked at = pickedOf(row);
    const timeline::Side& side = m_sides[std::size_t(at.side)];
    const Model& model = *side.model;
    switch (column) {
    case Name: return shortName(model.nameOf(at.event));
    case What: return categoryText(model.category[at.event]);
    case Side: return sideName(side);
    case Track: return QString::fromStdString(model.trackOf(at.event).name);
    case Start: return momentText(double(model.begin_ns[at.event]));
    case Duration: return timeText(double(model.duration_ns(at.event)));
    default: return {};
    }
}

QVariant FoundModel::sortKey(int row, int column) const
{
    const Picked at = pickedOf(row);
    const Model& model = *m_sides[std::size_t(at.side)].model;
    switch (column) {
    case Side: return at.side;
    case Start: return qlonglong(model.begin_ns[at.event]);
    case Duration: return qlonglong(model.duration_ns(at.event));
    default: return text(row, column);
    }
}

} // namespace cudal1::ui
