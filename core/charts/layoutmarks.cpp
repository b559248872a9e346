// SPDX-License-Identifier: GPL-3.0-or-later
// The series of a chart as shapes in its plot.
#include "core/charts/layoutframe.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace cudal1::charts {

namespace {

QRectF between(QPointF a, QPointF b)
{
    return QRectF(a, b).normalized();
}

/// Along the axis of words a whole row can be pointed at; in a histogram a whole column.
QRectF reach(const Frame& frame, const QRectF& area)
{
    const QRectF& plot = frame.drawing.plot;
    if (frame.chart.y.scale == AxisScale::Words) {
        const double row = plot.height() / std::max(1.0, frame.chart.y.high);
        const double top = plot.top() + std::floor((area.center().y() - plot.top()) / row) * row;
        return {0, top, plot.right(), row};
    }
    return {area.left(), plot.top(), area.width(), plot.height()};
}

void drawBars(Frame& frame, const Series& series, std::set<int>& reached)
{
    const bool rows = frame.chart.y.scale == AxisScale::Words;
    for (const Point& point : series.points) {
        const QRectF whole = between(frame.at(point.x, point.y), frame.at(point.x2, point.y2));
        QRectF area = whole;
        if (!rows) {
            const double gap = std::min(frame.unit / 4, area.width() / 6);
            area.adjust(gap, 0, -gap, 0);
            if (area.height() > 3)
                area.adjust(0, 0.5, 0, 0); // a hairline between the parts of a bar
        }
        DrawnShape& bar = frame.rectangle(area, point.ink.value_or(series.ink));
        bar.mark = point.mark;
        frame.hatch(area, series.pattern, point.mark);
        if (point.mark >= 0 && reached.insert(point.mark).second)
            frame.target(reach(frame, whole), area.center(), point.mark);
    }
}

/// The intervals of a line of steps, as one pale area under it.
void drawBand(Frame& frame, const Series& series)
{
    if (std::none_of(series.points.begin(), series.points.end(),
                     [](const Point& point) { return point.low < point.high; }))
        return;
    DrawnShape band;
    band.kind = DrawnShape::Kind::Polygon;
    band.fill = series.ink;
    band.opacity = 0.16;
    std::vector<QPointF> back;
    for (const Point& point : series.points) {
        const bool none = !(point.low < point.high);
        const QPointF low = frame.at(point.x, none ? point.y : point.low);
        const QPointF high = frame.at(point.x, none ? point.y : point.high);
        if (!back.empty()) {
            band.points.push_back({high.x(), band.points.back().y()});
            back.push_back({low.x(), back.back().y()});
        }
        band.points.push_back(high);
        back.push_back(low);
    }
    band.points.insert(band.points.end(), back.rbegin(), back.rend());
    frame.drawing.shapes.push_back(std::move(band));
}

void drawSteps(Frame& frame, const Series& series)
{
    const QRectF& plot = frame.drawing.plot;
    DrawnShape shape;
    shape.kind = DrawnShape::Kind::Line;
    shape.stroke = series.ink;
    shape.width = std::max(1.5, frame.font / 7);
    shape.dash = dashOf(series.pattern);
    for (const Point& point : series.points) {
        const QPointF at = frame.at(point.x, point.y);
        if (!shape.points.empty() && series.look == Series::Look::Steps)
            shape.points.push_back({at.x(), shape.points.back().y()});
        shape.points.push_back(at);
    }
    // A vertex is meant from half way to its neighbours.
    std::vector<std::pair<QPointF, int>> vertices;
    for (const Point& point : series.points)
        if (point.mark >= 0)
            vertices.emplace_back(frame.at(point.x, point.y), point.mark);
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        const double x = vertices[i].first.x();
        const double from = i == 0 ? plot.left() : (vertices[i - 1].first.x() + x) / 2;
        const double to = i + 1 == vertices.size() ? plot.right() : (x + vertices[i + 1].first.x()) / 2;
        frame.target(QRectF(from, plot.top(), std::max(to - from, 1.0), plot.height()), vertices[i].first,
                     vertices[i].second);
    }
    frame.drawing.shapes.push_back(std::move(shape));
    // Nothing to see, but in a file they have tool tips.
    for (const auto& [at, mark] : vertices) {
        DrawnShape spot;
        spot.kind = DrawnShape::Kind::Disc;
        spot.points = {at};
        spot.size = frame.font * 0.4;
        spot.fill = series.ink;
        spot.opacity = 0;
        spot.mark = mark;
        frame.drawing.shapes.push_back(std::move(spot));
    }
}

void drawPoints(Frame& frame, const Series& series, std::set<int>& reached)
{
    const QRectF& plot = frame.drawing.plot;
    const bool rows = frame.chart.y.scale == AxisScale::Words;
    const double radius = frame.font * 0.36;
    for (const Point& point : series.points) {
        const QPointF centre = frame.at(point.x, point.y);
        const Ink ink = point.ink.value_or(series.ink);
        if (point.low < point.high) {
            const bool along = series.intervalAlongX;
            const auto clampX = [&](double x) { return std::clamp(x, plot.left(), plot.right()); };
            const auto clampY = [&](double y) { return std::clamp(y, plot.top(), plot.bottom()); };
            DrawnShape& whisker = along ? frame.line({clampX(frame.xOf(point.low)), centre.y()},
                                                     {clampX(frame.xOf(point.high)), centre.y()}, ink)
                                        : frame.line({centre.x(), clampY(frame.yOf(point.low))},
                                                     {centre.x(), clampY(frame.yOf(point.high))}, ink);
            whisker.width = std::max(1.0, frame.font / 8);
            whisker.mark = point.mark;
        }
        frame.marker(centre, series, series.hollow || point.hollow, ink, radius, point.mark);
        if (point.mark < 0 || (rows && !reached.insert(point.mark).second))
            continue; // a row is one target, however many signs it has
        const QRectF near(centre.x() - 2 * radius, centre.y() - 2 * radius, 4 * radius, 4 * radius);
        frame.target(rows ? reach(frame, near) : near, centre, point.mark);
    }
}

void drawCells(Frame& frame, const Series& series)
{
    for (const Point& point : series.points) {
        const QRectF area = between(frame.at(point.x, point.y), frame.at(point.x2, point.y2)).adjusted(1, 1, -1, -1);
        DrawnShape& cell = frame.rectangle(area, point.ink.value_or(series.ink));
        cell.opacity = 0.12 + 0.38 * point.strength; // text on it stays readable
        cell.mark = point.mark;
        const QStringList lines = point.text.split(QLatin1Char('\n'));
        for (qsizetype i = 0; i < lines.size(); ++i) {
            const double size = i == 0 ? frame.font * 1.3 : frame.font;
            if (textWidth(lines[i], size) > area.width() || (i > 0 && area.height() < 3.2 * frame.font))
                continue;
            const double y = area.center().y() + (double(i) - double(lines.size() - 1) / 2) * frame.font * 1.5 +
                             size * 0.35;
            DrawnShape& words = frame.text({area.center().x(), y}, lines[i], Ink::Text, DrawnShape::Anchor::Middle,
                                           size);
            words.bold = i == 0;
        }
        if (point.mark >= 0)
            frame.target(area, area.center(), point.mark);
    }
}

} // namespace

Dash dashOf(int pattern)
{
    constexpr Dash dashes[]{Dash::Solid, Dash::Dashed, Dash::Dotted, Dash::DashDot, Dash::LongDash};
    return dashes[std::clamp(pattern, 0, 4)];
}

void drawSeries(Frame& frame)
{
    std::set<int> reached;
    for (const Series& series : frame.chart.series) // under all lines
        if (series.look == Series::Look::Steps)
            drawBand(frame, series);
    for (const Series& series : frame.chart.series)
        switch (series.look) {
        case Series::Look::Bars: drawBars(frame, series, reached); break;
        case Series::Look::Steps:
        case Series::Look::Lines: drawSteps(frame, series); break;
        case Series::Look::Points: drawPoints(frame, series, reached); break;
        case Series::Look::Cells: drawCells(frame, series); break;
        }
}

} // namespace cudal1::charts
