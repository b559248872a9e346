// SPDX-License-Identifier: GPL-3.0-or-later
// What the parts of the layout share: the picture being made, the scales of its plot, and text.
#pragma once

#include "core/charts/chartlayout.h"

namespace cudal1::charts {

/// A drawing in the making.
class Frame {
public:
    Frame(const Chart& of, const QSizeF& size, const ChartStyle& style)
        : chart(of), font(style.font), unit(style.font / 3)
    {
        drawing.size = size;
    }

    double xOf(double value) const;
    double yOf(double value) const;
    QPointF at(double x, double y) const { return {xOf(x), yOf(y)}; }
    /// Of a row of text above the plot, 0 for the lowest; clear of the uppermost label of the vertical axis.
    double baselineAbove(int row) const { return drawing.plot.top() - font * (0.85 + rowHeight * row); }

    DrawnShape& line(QPointF from, QPointF to, Ink ink, double width = 1);
    DrawnShape& rectangle(const QRectF& area, Ink fill);
    DrawnShape& text(QPointF at, const QString& words, Ink ink, DrawnShape::Anchor anchor = DrawnShape::Anchor::Start,
                     double size = 0);
    void target(const QRectF& area, QPointF centre, int mark);
    /// A sign of a series of points, or the same in the legend.
    void marker(QPointF centre, const Series& series, bool hollow, Ink ink, double radius, int mark);
    void hatch(const QRectF& area, int pattern, int mark);

    static constexpr double rowHeight = 1.3; ///< of text above the plot, in parts of the font
    const Chart& chart;
    const double font, unit;
    Drawing drawing;
};

/// The label of a vertical rule: its text begins beside the upper end of the line, so that it is read as that line's.
struct RuleLabel {
    const Rule* rule = nullptr;
    double x = 0, width = 0; ///< of the line; of the text
    bool left = false;       ///< the text stands to the left of its line
    int row = 0;             ///< see Frame::baselineAbove()
};

/// What stands above a plot.
struct LabelRows {
    std::vector<RuleLabel> labels; ///< without those of rules beyond the axis, and without those that have no room
    int titleRow = 0;              ///< of the title of the vertical axis
    int count = 0;
};

/// Labels where no text lies upon another, upon the axis title, or upon a line that goes up to a label. By the width of
/// frame.drawing.plot.
LabelRows labelRows(const Frame& frame);
/// Draws the rules with these labels, and the diagonal.
void drawRules(Frame& frame, const LabelRows& rows);

Dash dashOf(int pattern);
/// Draws the series into frame.drawing.plot and adds what can be pointed at.
void drawSeries(Frame& frame);

} // namespace cudal1::charts
