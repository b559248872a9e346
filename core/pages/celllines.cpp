// SPDX-License-Identifier: GPL-3.0-or-later
// A cell of a report as lines of pieces.
#include "core/pages/celllines.h"

#include "core/charts/numbertext.h"

#include <algorithm>

namespace cudal1::pages {

namespace {

constexpr int mostLines = 24; ///< of one cell: a row must fit on a page

} // namespace

SheetInk inkOf(report::Tone tone)
{
    switch (tone) {
    case report::Tone::Plain: return SheetInk::Text;
    case report::Tone::Soft: return SheetInk::Soft;
    case report::Tone::Gain: return SheetInk::Gain;
    case report::Tone::Loss: return SheetInk::Loss;
    case report::Tone::Warning: return SheetInk::Warning;
    }
    return SheetInk::Text;
}

double widthOf(const Line& line)
{
    double width = 0;
    for (const Run& run : line)
        width += widthOf(run.text, run.style);
    return width;
}

double heightOf(const Line& line)
{
    double height = 0;
    for (const Run& run : line)
        height = std::max(height, lineHeight(run.style));
    return height;
}

std::vector<Line> linesOf(const report::Cell& cell, Style style, Style strong, Style small, double width)
{
    std::vector<Line> lines;
    const Style own = cell.strong ? strong : style;
    QString text = charts::visible(cell.text);
    if (!cell.sign.isEmpty())
        text = cell.sign + QLatin1Char(' ') + text;
    if (!cell.tags.isEmpty())
        text += (text.isEmpty() ? QString() : QStringLiteral(", ")) +
                charts::visible(cell.tags.join(QStringLiteral(", ")));
    for (const QString& line : wrapped(text, own, width))
        lines.push_back({{line, own, inkOf(cell.tone), cell.struck}});
    if (!cell.detail.isEmpty()) {
        const QString detail = charts::visible(cell.detail);
        if (lines.size() == 1 && widthOf(lines[0]) + widthOf(QLatin1Char(' ') + detail, small) <= width)
            lines[0].push_back({QLatin1Char(' ') + detail, small, SheetInk::Soft});
        else
            for (const QString& line : wrapped(detail, small, width))
                lines.push_back({{line, small, SheetInk::Soft}});
    }
    if (!cell.below.isEmpty())
        for (const QString& line : wrapped(charts::visible(cell.below), small, width))
            lines.push_back({{line, small, SheetInk::Soft}});
    if (lines.size() > mostLines) {
        lines.resize(mostLines);
        lines.back() = {{QStringLiteral("…"), small, SheetInk::Soft}};
    }
    return lines;
}

} // namespace cudal1::pages
