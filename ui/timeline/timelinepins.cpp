// SPDX-License-Identifier: GPL-3.0-or-later
// Painted last, so that nothing covers a flag.
#include "ui/timeline/timelinepins.h"

#include "ui/kit/theme.h"

#include <QPainter>

#include <cmath>

namespace cudal1::ui {

void paintPins(QPainter& painter, const std::vector<double>& pins, const timeline::Scale& scale, const QRect& tracks)
{
    const Theme& theme = Theme::instance();
    painter.setFont(theme.smallFont());
    for (std::size_t i = 0; i < pins.size(); ++i) {
        const double x = scale.x(pins[i]);
        if (x < 0 || x > tracks.width())
            continue;
        const int left = tracks.left() + int(std::floor(x));
        painter.setPen(QPen(theme.color(Role::WarningText), 1, Qt::DashDotLine));
        painter.drawLine(left, tracks.top(), left, tracks.bottom());
        const QString number = QString::number(i + 1);
        const QRect flag(left, 1, painter.fontMetrics().horizontalAdvance(number) + theme.unit(2),
                         tracks.top() - theme.unit(2));
        painter.fillRect(flag, theme.color(Role::WarningText));
        painter.setPen(theme.color(Role::Surface));
        painter.drawText(flag, Qt::AlignCenter, number);
    }
}

} // namespace cudal1::ui
