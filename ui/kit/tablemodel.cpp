// SPDX-License-Identifier: GPL-3.0-or-later
// Headers, alignment, and changes of many cells.
#include "ui/kit/tablemodel.h"

#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"

namespace cudal1::ui {

TableModel::TableModel(std::vector<Column> columns, QObject* parent)
    : QAbstractTableModel(parent), m_columns(std::move(columns))
{
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        cellsChanged({Qt::DecorationRole, Qt::ForegroundRole, Qt::FontRole});
    });
}

QVariant TableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    if (role == Qt::TextAlignmentRole)
        return int(m_columns[std::size_t(index.column())].alignment | Qt::AlignVCenter);
    return cell(index.row(), index.column(), role);
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const Column& column = m_columns[std::size_t(section)];
    switch (role) {
    case Qt::DisplayRole: return column.title;
    case CopyRole: return column.copied.isEmpty() ? column.title : column.copied;
    case Qt::ToolTipRole: return column.tip.isEmpty() ? QVariant() : column.tip;
    case Qt::TextAlignmentRole: return int(column.alignment | Qt::AlignVCenter);
    default: return {};
    }
}

void TableModel::cellsChanged(const QList<int>& roles)
{
    if (rowCount() > 0 && columnCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1), roles);
}

void TableModel::columnChanged(int column, const QList<int>& roles)
{
    if (rowCount() > 0)
        emit dataChanged(index(0, column), index(rowCount() - 1, column), roles);
}

} // namespace cudal1::ui
