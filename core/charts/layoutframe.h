// SPDX-License-Identifier: GPL-3.0-or-later
// What the two halves of the layout share: the picture being made, the scales of its plot, and text.
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

    DrawnShape& line(QPointF from, QPointF to, Ink ink, double width = 1);
    DrawnShape& rectangle(const QRectF& area, Ink fill);
    DrawnShape& text(QPointF at, const QString& words, Ink ink, DrawnShape::Anchor anchor = DrawnShape::Anchor::Start,
                     double size = 0);
    void target(const QRectF& area, QPointF centre, int mark);
    /// A sign of a series of points, or the same in the legend.
    void marker(QPointF centre, const Series& series, Ink ink, double radius, int mark);
    void hatch(const QRectF& area, int pattern, int mark);

    const Chart& chart;
    const double font, unit;
    Drawing drawing;
};

Dash dashOf(int pattern);
/// Draws the series into frame.drawing.plot and adds what can be pointed at.
void drawSeries(Frame& frame);

} // namespace cudal1::charts
