// SPDX-License-Identifier: GPL-3.0-or-later
// The charts of a project, as the window and `cudal1 chart` draw them.
#include "core/report/sections.h"

#include "core/report/cells.h"
#include "core/report/charts/svg.h"

namespace cudal1::report {

namespace {

Table tableOf(const charts::Chart& chart)
{
    Table table{fromUtf8(chart.kind) + QStringLiteral("-data"), {}, {}, {}};
    for (const charts::Column& column : chart.table.columns)
        table.columns.push_back({column.title, column.title, column.number});
    for (const auto& row : chart.table.rows) {
        std::vector<Cell>& cells = table.rows.emplace_back();
        for (const charts::Cell& cell : row) {
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

void addCharts(const Facts& facts, Document& document)
{
    if (facts.charts.empty())
        return;
    Section section{QStringLiteral("charts"), QStringLiteral("Charts"), {}};
    charts::Style style;
    style.title = false; // the page has them as heading and caption
    for (const charts::Chart& chart : facts.charts) {
        section.blocks.emplace_back(Heading{chart.title, {}});
        section.blocks.emplace_back(Drawing{QStringLiteral("chart-") + fromUtf8(chart.kind), charts::svgOf(chart, QSizeF(900, 420), style, {nullptr, false}),
                                            chart.note, {}, tableOf(chart)});
    }
    document.sections.push_back(std::move(section));
}

} // namespace cudal1::report
