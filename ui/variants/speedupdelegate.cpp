// SPDX-License-Identifier: GPL-3.0-or-later
// The speed-up cell of a variant or a task.
#include "ui/variants/speedupdelegate.h"

#include "ui/variants/badge.h"
#include "ui/variants/barpainter.h"
#include "ui/variants/texts.h"

#include <QApplication>
#include <QPainter>

namespace cudal1::ui {

SpeedupDelegate::SpeedupDelegate(SpeedupOf speedup, AxisOf axis, QObject* parent)
    : QStyledItemDelegate(parent), m_speedup(std::move(speedup)), m_axis(std::move(axis))
{
}

void SpeedupDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QStyleOptionViewItem cell(option);
    initStyleOption(&cell, index);
    const auto [wall, marks] = m_speedup(index);
    const Theme& theme = Theme::instance();
    if (!wall.valid()) {
        cell.palette.setColor(QPalette::Text, theme.color(Role::Muted));
        cell.palette.setColor(QPalette::HighlightedText, theme.color(Role::Muted));
        QApplication::style()->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
        return;
    }
    cell.text.clear();
    QApplication::style()->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);

    const QRect area = option.rect.adjusted(theme.unit(2) + 3, 0, -theme.unit(3), 0); // where a cell's text begins
    QFont number = theme.monoFont();
    number.setWeight(QFont::DemiBold);
    QFont small = theme.monoFont();
    small.setPointSizeF(theme.smallFont().pointSizeF());
    const int numberWidth = QFontMetrics(number).horizontalAdvance(QStringLiteral("unclear "));
    const int intervalWidth = QFontMetrics(small).horizontalAdvance(QStringLiteral("10.00–10.00 "));

    // In a narrow cell the bar goes first, then the interval, and the word of the badge is elided last.
    const QString badge = marksBadge(marks);
    const bool hasInterval = numberWidth + intervalWidth + badgeWidth(badge) <= area.width();
    const int left = area.left() + numberWidth + (hasInterval ? intervalWidth : 0);
    painter->save();
    const Role role = speedupRole(wall, marks);
    painter->setPen(theme.color(role));
    painter->setFont(number);
    painter->drawText(QRect(area.left(), area.top(), numberWidth, area.height()), Qt::AlignLeft | Qt::AlignVCenter,
                      speedupPhrase(wall));
    if (hasInterval || badge.isEmpty()) {
        painter->setPen(theme.color(Role::Muted));
        painter->setFont(small);
        painter->drawText(QRect(area.left() + numberWidth, area.top(), intervalWidth, area.height()),
                          Qt::AlignLeft | Qt::AlignVCenter, intervalText(wall));
    }
    const QRect rest(left, area.top(), area.right() - left, area.height());
    const int right = area.right() - (badge.isEmpty() ? 0 : paintBadge(*painter, rest, badge, role));
    const int height = theme.unit(2);
    if (hasInterval && right - left >= theme.unit(8)) // shorter bars tell nothing
        paintSpeedupBar(*painter, QRectF(left, area.center().y() - height / 2.0 + 0.5, right - left, height), m_axis(),
                        wall, marks);
    painter->restore();
}

QSize SpeedupDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    return {Theme::instance().unit(70), QStyledItemDelegate::sizeHint(option, index).height()};
}

} // namespace cudal1::ui
