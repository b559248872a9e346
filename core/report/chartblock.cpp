// SPDX-License-Identifier: GPL-3.0-or-later
// A chart's picture and table for a report.
#include "core/report/chartblock.h"

#include "core/charts/svg.h"
#include "core/report/cells.h"

namespace cudal1::report {

namespace {

Table chartTable(const charts::Chart& chart)
{
    Table table{fromUtf8(chart.kind) + QStringLiteral("-data"), {}, {}, {}};
    for (const charts::ChartColumn& column : chart.table.columns)
        table.columns.push_back({column.title, column.title, column.number});
    for (const auto& row : chart.table.rows) {
        std::vector<Cell>& cells = table.rows.emplace_back();
        for (const charts::ChartCell& cell : row) {
            if (const double* number = std::get_if<double>(&cell))
                cells.push_back(numberCell(*number, charts::textOf(cell)));
            else if (const QString* text = std::get_if<QString>(&cell))
                cells.push_back(textCell(*text));
            else
                cells.push_back(noCell());
        }
    }
    return table;
}

} // namespace

Figure chartBlock(const charts::Chart& chart, double height)
{
    charts::ChartStyle style;
    style.title = false; // the page has them as heading and caption
    return {QStringLiteral("chart-") + fromUtf8(chart.kind),
            charts::svgOf(chart, QSizeF(900, height), style, {nullptr, false}), chart.note, chartTable(chart)};
}

} // namespace cudal1::report
