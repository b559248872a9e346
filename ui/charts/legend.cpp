// SPDX-License-Identifier: GPL-3.0-or-later
// The legend of the levels.
#include "ui/charts/legend.h"

#include "ui/shell/theme.h"

#include <QFontMetrics>
#include <QPainter>

namespace cudal1::ui {

std::vector<std::pair<int, QString>> Legend::entries() const
{
    std::vector<std::pair<int, QString>> out;
    for (const int level : m_levels)
        if (level > 0)
            out.emplace_back(level, tr("Level %1").arg(level));
    if (m_levels.contains(0))
        out.emplace_back(0, tr("Files"));
    return out;
}

void Legend::setLevels(const std::set<int>& levels)
{
    if (levels == m_levels)
        return;
    m_levels = levels;
    updateGeometry();
    update();
}

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
