// SPDX-License-Identifier: GPL-3.0-or-later
// Shapes by QPainter.
#include "core/pages/chartpainter.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPolygonF>

#include <algorithm>

namespace cudal1::charts {

namespace {

QPen penOf(const DrawnShape& shape, const Colors& colors)
{
    if (!shape.stroke)
        return Qt::NoPen;
    QPen pen(colors[std::size_t(*shape.stroke)], shape.width);
    pen.setJoinStyle(Qt::RoundJoin);
    pen.setCapStyle(Qt::FlatCap);
    // Lengths are in widths of the pen, those of SVG in pixels.
    const auto pattern = [&](std::initializer_list<double> lengths) {
        QList<qreal> parts;
        for (const double length : lengths)
            parts << length / shape.width;
        pen.setDashPattern(parts);
    };
    switch (shape.dash) {
    case Dash::Solid: break;
    case Dash::Dashed: pattern({5, 3}); break;
    case Dash::Dotted: pattern({2, 2.5}); break;
    case Dash::DashDot: pattern({6, 3, 1.5, 3}); break;
    case Dash::LongDash: pattern({10, 4}); break;
    }
    return pen;
}

void paintText(QPainter& painter, const DrawnShape& shape, const Colors& colors, QFont font)
{
    font.setPixelSize(std::max(1, int(shape.size + 0.5)));
    font.setWeight(shape.bold ? QFont::DemiBold : QFont::Normal);
    painter.setFont(font);
    painter.setPen(colors[std::size_t(*shape.fill)]);
    QPointF at = shape.points[0];
    if (shape.anchor != DrawnShape::Anchor::Start) {
        const double width = QFontMetricsF(font).horizontalAdvance(shape.text);
        at.rx() -= shape.anchor == DrawnShape::Anchor::End ? width : width / 2;
    }
    painter.drawText(at, shape.text);
}

} // namespace

Colors colorsOf(const Palette& palette)
{
    Colors colors;
    std::transform(palette.begin(), palette.end(), colors.begin(),
                   [](const char* name) { return QColor(QLatin1String(name)); });
    return colors;
}

void paint(QPainter& painter, const Drawing& drawing, const Colors& colors, const QFont& font,
           const std::function<bool(int)>& isPale)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    for (const DrawnShape& shape : drawing.shapes) {
        painter.setOpacity(shape.opacity * (shape.mark >= 0 && isPale && isPale(shape.mark) ? 0.35 : 1));
        if (shape.kind == DrawnShape::Kind::Text) {
            paintText(painter, shape, colors, font);
            continue;
        }
        painter.setPen(penOf(shape, colors));
        painter.setBrush(shape.fill ? QBrush(colors[std::size_t(*shape.fill)]) : QBrush(Qt::NoBrush));
        switch (shape.kind) {
        case DrawnShape::Kind::Rectangle:
            painter.drawRect(QRectF(shape.points[0], shape.points[1]).normalized());
            break;
        case DrawnShape::Kind::Line:
            painter.drawPolyline(QPolygonF(QList<QPointF>(shape.points.begin(), shape.points.end())));
            break;
        case DrawnShape::Kind::Polygon:
            painter.drawPolygon(QPolygonF(QList<QPointF>(shape.points.begin(), shape.points.end())));
            break;
        case DrawnShape::Kind::Disc: painter.drawEllipse(shape.points[0], shape.size, shape.size); break;
        case DrawnShape::Kind::Text: break;
        }
    }
    painter.restore();
}

QImage imageOf(const Drawing& drawing, const Colors& colors, const QFont& font, double scale)
{
    const QSizeF size = drawing.size + QSizeF(2 * imageMargin, 2 * imageMargin);
    QImage image((size * scale).toSize(), QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(scale);
    image.fill(colors[std::size_t(Ink::Surface)]);
    QPainter painter(&image);
    painter.translate(imageMargin, imageMargin);
    paint(painter, drawing, colors, font);
    return image;
}

} // namespace cudal1::charts
