// SPDX-License-Identifier: GPL-3.0-or-later
// Where everything of a chart lies in a picture of a given size.
#pragma once

#include "core/charts/drawing.h"

namespace cudal1::charts {

struct ChartStyle {
    double font = 12;  ///< height of small text in pixels; everything else follows from it
    bool title = true; ///< title and note stand in the picture
};

/// Text is measured by a table of widths that no common font exceeds, so that the same chart looks the same everywhere.
Drawing layOut(const Chart& chart, const QSizeF& size, const ChartStyle& style = {});

/// A height at which each word of the vertical axis has a row of its own.
double comfortableHeight(const Chart& chart, const ChartStyle& style = {});
/// The same with names in one line each, cut where they must be.
double leastHeight(const Chart& chart, const ChartStyle& style = {});
/// The same with smaller names, which can just be read. 0 where the vertical axis has no words.
double readableHeight(const Chart& chart, const ChartStyle& style = {});

/// An upper bound of the width of a text in a font of this height.
double textWidth(const QString& text, double font);

/// Round values within [low, high] to label a linear axis with, at most `most` (2 or more).
std::vector<double> linearTicks(double low, double high, int most, bool whole);

} // namespace cudal1::charts
