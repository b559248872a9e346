// SPDX-License-Identifier: GPL-3.0-or-later
// A cell of a report as lines of pieces.
#pragma once

#include "core/pages/sheet.h"
#include "core/report/document.h"

#include <vector>

namespace cudal1::pages {

struct Run {
    QString text;
    Style style = Style::Body;
    SheetInk ink = SheetInk::Text;
    bool struck = false;
};
using Line = std::vector<Run>;

SheetInk inkOf(report::Tone tone);
double widthOf(const Line& line);
double heightOf(const Line& line);

/// The cell in a column of this width. `style` is of its main text, `small` of what stands beside and below.
std::vector<Line> linesOf(const report::Cell& cell, Style style, Style strong, Style small, double width);

} // namespace cudal1::pages
