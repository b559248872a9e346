// SPDX-License-Identifier: GPL-3.0-or-later
// Shapes of a drawing in the making.
#include "core/charts/layoutframe.h"

#include <algorithm>
#include <cmath>

namespace cudal1::charts {

namespace {

double position(const Axis& axis, double value)
{
    const double span = axis.scale == AxisScale::Logarithmic ? std::log(axis.high / axis.low) : axis.high - axis.low;
    if (!(span > 0))
        return 0.5;
    return (axis.scale == AxisScale::Logarithmic ? std::log(value / axis.low) : value - axis.low) / span;
}

} // namespace

double Frame::xOf(double value) const
{
    return drawing.plot.left() + drawing.plot.width() * position(chart.x, value);
}

double Frame::yOf(double value) const
{
    const double part = position(chart.y, value);
    // Words are read from the top.
    return chart.y.scale == AxisScale::Words ? drawing.plot.top() + drawing.plot.height() * part
                                             : drawing.plot.bottom() - drawing.plot.height() * part;
}

DrawnShape& Frame::line(QPointF from, QPointF to, Ink ink, double width)
{
    DrawnShape shape;
    shape.kind = DrawnShape::Kind::Line;
    shape.points = {from, to};
    shape.stroke = ink;
    shape.width = width;
    return drawing.shapes.emplace_back(std::move(shape));
}

DrawnShape& Frame::rectangle(const QRectF& area, Ink fill)
{
    DrawnShape shape;
    shape.kind = DrawnShape::Kind::Rectangle;
    shape.points = {area.topLeft(), area.bottomRight()};
    shape.fill = fill;
    return drawing.shapes.emplace_back(std::move(shape));
}

DrawnShape& Frame::text(QPointF at, const QString& words, Ink ink, DrawnShape::Anchor anchor, double size)
{
    DrawnShape shape;
    shape.kind = DrawnShape::Kind::Text;
    shape.points = {at};
    shape.text = words;
    shape.fill = ink;
    shape.anchor = anchor;
    shape.size = size > 0 ? size : font;
    return drawing.shapes.emplace_back(std::move(shape));
}

void Frame::target(const QRectF& area, QPointF centre, int mark)
{
    drawing.targets.push_back({area, centre, mark});
}

void Frame::hatch(const QRectF& area, int pattern, int mark)
{
    if (pattern == 0 || area.width() < 2 || area.height() < 2)
        return;
    const auto stroke = [&](QPointF from, QPointF to) {
        DrawnShape& shape = line(from, to, Ink::Surface, std::max(0.75, font / 14));
        shape.opacity = 0.75;
        shape.mark = mark;
    };
    const double step = font * 0.5;
    if (pattern == 3) {
        for (double x = area.left() + step / 2; x < area.right(); x += step / 1.5)
            stroke({x, area.top()}, {x, area.bottom()});
        return;
    }
    // Diagonals on a grid of the whole picture, so that those of neighbouring bars continue each other. They are cut by
    // hand: not every viewer of SVG knows how to clip.
    const double sign = pattern == 1 ? 1 : -1;
    const auto offsetOf = [sign](QPointF p) { return p.y() + sign * p.x(); };
    const double ends[]{offsetOf(area.topLeft()), offsetOf(area.topRight()), offsetOf(area.bottomLeft()),
                        offsetOf(area.bottomRight())};
    const auto [least, most] = std::minmax_element(std::begin(ends), std::end(ends));
    for (double c = std::ceil(*least / step) * step; c < *most; c += step) {
        // y = c - sign * x, within the area
        const double x1 = sign > 0 ? c - area.bottom() : area.top() - c,
                     x2 = sign > 0 ? c - area.top() : area.bottom() - c;
        const double from = std::max(area.left(), std::min(x1, x2)), to = std::min(area.right(), std::max(x1, x2));
        if (to > from)
            stroke({from, c - sign * from}, {to, c - sign * to});
    }
}

void Frame::marker(QPointF centre, const Series& series, bool hollow, Ink ink, double radius, int mark)
{
    DrawnShape shape;
    shape.fill = hollow ? Ink::Surface : ink;
    shape.stroke = hollow ? ink : Ink::Muted; // pale inks need an edge
    shape.width = hollow ? std::max(1.25, font / 9) : 0.75;
    shape.mark = mark;
    const int pattern = series.pattern;
    const double x = centre.x(), y = centre.y(), r = radius;
    if (pattern == 0) {
        shape.kind = DrawnShape::Kind::Disc;
        shape.points = {centre};
        shape.size = r;
    } else {
        shape.kind = DrawnShape::Kind::Polygon;
        if (pattern == 1)
            shape.points = {{x - 0.9 * r, y - 0.9 * r},
                            {x + 0.9 * r, y - 0.9 * r},
                            {x + 0.9 * r, y + 0.9 * r},
                            {x - 0.9 * r, y + 0.9 * r}};
        else if (pattern == 2)
            shape.points = {{x, y - 1.2 * r}, {x + 1.15 * r, y + 0.9 * r}, {x - 1.15 * r, y + 0.9 * r}};
        else
            shape.points = {{x, y - 1.35 * r}, {x + 1.35 * r, y}, {x, y + 1.35 * r}, {x - 1.35 * r, y}};
    }
    drawing.shapes.push_back(std::move(shape));
}

} // namespace cudal1::charts
