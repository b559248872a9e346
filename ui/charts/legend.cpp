// SPDX-License-Identifier: GPL-3.0-or-later
// The legend of the levels.
#include "ui/charts/legend.h"

#include "ui/shell/theme.h"

#include <QFontMetrics>
#include <QPainter>

namespace cudal1::ui {

namespace {

std::vector<std::pair<int, QString>> entries()
{
    return {{1, Legend::tr("Level 1")}, {2, Legend::tr("Level 2")}, {3, Legend::tr("Level 3")}, {0, Legend::tr("Files")}};
}

} // namespace

Legend::Legend(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

QSize Legend::sizeHint() const
{
    const Theme& theme = Theme::instance();
    const QFontMetrics metrics(theme.smallFont());
    int width = 0;
    for (const auto& [level, name] : entries())
        width += metrics.horizontalAdvance(name) + theme.unit(8);
    return {width, metrics.height()};
}

void Legend::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::instance();
    const QFontMetrics metrics(theme.smallFont());
    QPainter painter(this);
    painter.setFont(theme.smallFont());
    int x = 0;
    const int side = theme.unit(2);
    for (const auto& [level, name] : entries()) {
        painter.fillRect(QRect(x, (height() - side) / 2, side, side), theme.levelColor(level));
        painter.setPen(theme.color(Role::Muted));
        painter.drawText(QRect(x + side + theme.unit(1), 0, metrics.horizontalAdvance(name) + 2, height()), Qt::AlignLeft | Qt::AlignVCenter, name);
        x += side + theme.unit(6) + metrics.horizontalAdvance(name);
    }
}

} // namespace cudal1::ui
