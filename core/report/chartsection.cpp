// SPDX-License-Identifier: GPL-3.0-or-later
// The charts of a project, as the window and `cudal1 chart` draw them.
#include "core/report/sections.h"

#include "core/report/chartblock.h"

namespace cudal1::report {

void addCharts(const ReportFacts& facts, Document& document)
{
    if (facts.charts.empty())
        return;
    Section section{QStringLiteral("charts"), QStringLiteral("Charts"), {}};
    for (const charts::Chart& chart : facts.charts) {
        section.blocks.emplace_back(Heading{chart.title, {}});
        section.blocks.emplace_back(chartBlock(chart));
    }
    document.sections.push_back(std::move(section));
}

} // namespace cudal1::report
