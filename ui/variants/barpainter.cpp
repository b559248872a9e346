// SPDX-License-Identifier: GPL-3.0-or-later
// The bar's shapes: filled from 1×, hollow where the interval holds 1.
#include "ui/variants/barpainter.h"

#include "ui/kit/theme.h"
#include "ui/variants/texts.h"

#include <QPainter>

namespace cudal1::ui {

void paintSpeedupBar(QPainter& painter, const QRectF& area, const SpeedupAxis& axis, const base::Interval& interval,
                     const std::string& marks)
{
    if (!interval.valid() || area.width() < 4)
        return;
    const Theme& theme = Theme::instance();
    const SpeedupBar bar = speedupBar(axis, interval);
    const auto x = [&](double fraction) { return area.left() + fraction * area.width(); };
    const QColor color = theme.color(speedupBarRole(interval, marks));
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.color(Role::Hover));
    const double radius = std::min(area.height() / 2, double(theme.unit(1)) / 2);
    painter.drawRoundedRect(area, radius, radius);
    const QRectF fill(x(bar.from), area.top(), std::max(2.0, x(bar.to) - x(bar.from)), area.height());
    painter.setBrush(color);
    painter.drawRoundedRect(fill, radius, radius);
    if (x(bar.high) - x(bar.low) > 3) {
        painter.setPen(QPen(theme.color(Role::Text), 1));
        const double y = area.center().y();
        painter.drawLine(QPointF(x(bar.low), y), QPointF(x(bar.high), y));
    }
    // Where 1× is, once there is anything to the left of it.
    if (bar.one > 0.01) {
        painter.setPen(QPen(theme.color(Role::Muted), 1));
        painter.drawLine(QPointF(x(bar.one), area.top() - 2), QPointF(x(bar.one), area.bottom() + 2));
    }
    painter.restore();
}

} // namespace cudal1::ui
