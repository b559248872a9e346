// SPDX-License-Identifier: GPL-3.0-or-later
// A laid-out chart as shapes in pixels: what every way of showing it draws, and what can be pointed at.
#pragma once

#include "core/charts/chart.h"

#include <QPointF>
#include <QRectF>
#include <QSizeF>

namespace cudal1::charts {

enum class Dash { Solid, Dashed, Dotted, DashDot, LongDash };

struct DrawnShape {
    enum class Kind {
        Rectangle, ///< points: two corners
        Line,      ///< an open line through the points
        Polygon,
        Disc, ///< one point; size is the radius
        Text, ///< one point on the base line; size is the height of the font in pixels
    } kind = Kind::Line;
    std::vector<QPointF> points;
    std::optional<Ink> fill; ///< of text: its ink
    std::optional<Ink> stroke;
    double width = 1; ///< of the stroke
    Dash dash = Dash::Solid;
    double size = 0;
    double opacity = 1;
    QString text = {};
    enum class Anchor { Start, Middle, End } anchor = Anchor::Start;
    bool bold = false;
    int mark = -1; ///< shapes of marks that were not chosen are drawn paler
};

/// Where a mark can be pointed at. Where several targets hold a point, the one with the nearest centre is meant.
struct Target {
    QRectF area;
    QPointF centre;
    int mark = -1;
};

struct Drawing {
    QSizeF size;
    QRectF plot;
    std::vector<DrawnShape> shapes; ///< in the order of drawing
    std::vector<Target> targets;

    /// The mark at a point, -1 for none.
    int markAt(const QPointF& point) const;
    const Target* targetOf(int mark) const; ///< the first one
};

} // namespace cudal1::charts
