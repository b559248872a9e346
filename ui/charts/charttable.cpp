// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of a chart's table.
#include "ui/charts/charttable.h"

#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"

namespace cudal1::ui {

ChartTable::ChartTable(QObject* parent) : QAbstractTableModel(parent), m_chart(std::make_shared<charts::Chart>()) {}

void ChartTable::setChart(std::shared_ptr<const charts::Chart> chart)
{
    beginResetModel();
    m_chart = std::move(chart);
    endResetModel();
}

int ChartTable::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_chart->table.rows.size());
}

int ChartTable::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_chart->table.columns.size());
}

QVariant ChartTable::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const charts::Cell& cell = m_chart->table.rows[std::size_t(index.row())][std::size_t(index.column())];
    const bool number = m_chart->table.columns[std::size_t(index.column())].number;
    switch (role) {
    case Qt::DisplayRole:
        return charts::textOf(cell);
    case CopyRole: // exact
        return std::holds_alternative<double>(cell) ? QString::number(std::get<double>(cell), 'g', 17) : std::holds_alternative<QString>(cell) ? std::get<QString>(cell) : QString();
    case SortRole:
        return std::holds_alternative<double>(cell) ? QVariant(std::get<double>(cell)) : std::holds_alternative<QString>(cell) ? QVariant(std::get<QString>(cell)) : QVariant();
    case Qt::TextAlignmentRole:
        return int((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::FontRole:
        return number ? QVariant(Theme::instance().monoFont()) : QVariant();
    default:
        return {};
    }
}

QVariant ChartTable::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section >= columnCount())
        return {};
    const charts::Column& column = m_chart->table.columns[std::size_t(section)];
    if (role == Qt::TextAlignmentRole)
        return int((column.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return role == Qt::DisplayRole ? QVariant(column.title) : QVariant();
}

} // namespace cudal1::ui
