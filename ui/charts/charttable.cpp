// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of a chart's table.
#include "ui/charts/charttable.h"

#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"

namespace cudal1::ui {

ChartTable::ChartTable(QObject* parent) : TableModel({}, parent), m_chart(std::make_shared<charts::Chart>()) {}

void ChartTable::setChart(std::shared_ptr<const charts::Chart> chart)
{
    beginResetModel();
    m_chart = std::move(chart);
    std::vector<Column> columns;
    for (const charts::ChartColumn& one : m_chart->table.columns)
        columns.push_back({one.title, {}, one.number ? Qt::AlignRight : Qt::AlignLeft});
    setColumns(std::move(columns));
    endResetModel();
}

int ChartTable::rows() const
{
    return int(m_chart->table.rows.size());
}

QVariant ChartTable::cell(int row, int column, int role) const
{
    const charts::ChartCell& value = m_chart->table.rows[std::size_t(row)][std::size_t(column)];
    const auto* number = std::get_if<double>(&value);
    const auto* text = std::get_if<QString>(&value);
    switch (role) {
    case Qt::DisplayRole: return charts::textOf(value);
    case CopyRole: return number ? QString::number(*number, 'g', 17) : text ? *text : QString(); // exact
    case SortRole: return number ? QVariant(*number) : text ? QVariant(*text) : QVariant();
    case Qt::FontRole: return isRight(column) ? QVariant(Theme::instance().monoFont()) : QVariant();
    default: return {};
    }
}

} // namespace cudal1::ui
