// SPDX-License-Identifier: GPL-3.0-or-later
// Text, sort key, tool tip and font of a cell.
#include "ui/timeline/timelinetablemodel.h"

#include "ui/kit/theme.h"

namespace cudal1::ui {

QString TimelineTableModel::tip(int, int) const
{
    return {};
}

QVariant TimelineTableModel::cell(int row, int column, int role) const
{
    switch (role) {
    case Qt::DisplayRole: return text(row, column);
    case SortRole: return sortKey(row, column);
    case Qt::ToolTipRole: return tip(row, column);
    case Qt::FontRole: return isRight(column) ? QVariant(Theme::instance().monoFont()) : QVariant();
    default: return {};
    }
}

} // namespace cudal1::ui
