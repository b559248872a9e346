// SPDX-License-Identifier: GPL-3.0-or-later
// The speed-up cell of a variant or a task.
#include "ui/variants/speedupdelegate.h"

#include "ui/variants/barpainter.h"
#include "ui/variants/texts.h"

#include <QApplication>
#include <QPainter>

namespace cudal1::ui {

namespace {

/// In a narrow cell the bar goes first, then the interval, and the word of the badge is elided last.
struct Places {
    QRect area; ///< from where a cell's text begins
    QFont number, small;
    int numberWidth = 0, intervalWidth = 0;
    bool hasInterval = false;
    QRect rest; ///< of bar and badge

    Places(const QRect& cell, const QString& badge)
    {
        const Theme& theme = Theme::instance();
        area = cell.adjusted(theme.unit(2) + 3, 0, -theme.unit(3), 0);
        number = small = theme.monoFont();
        number.setWeight(QFont::DemiBold);
        small.setPointSizeF(theme.smallFont().pointSizeF());
        numberWidth = QFontMetrics(number).horizontalAdvance(QStringLiteral("unclear "));
        intervalWidth = QFontMetrics(small).horizontalAdvance(QStringLiteral("10.00–10.00 "));
        hasInterval = numberWidth + intervalWidth + badgeWidth(badge) <= area.width();
        const int left = area.left() + numberWidth + (hasInterval ? intervalWidth : 0);
        rest = QRect(left, area.top(), area.right() - left, area.height());
    }
};

} // namespace

SpeedupDelegate::SpeedupDelegate(SpeedupOf speedup, AxisOf axis, QObject* parent)
    : BadgedDelegate(parent), m_speedup(std::move(speedup)), m_axis(std::move(axis))
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

    const QString badge = marksBadge(marks);
    const Places places(option.rect, badge);
    const QRect& area = places.area;
    painter->save();
    const Role role = speedupRole(wall, marks);
    painter->setPen(theme.color(role));
    painter->setFont(places.number);
    painter->drawText(QRect(area.left(), area.top(), places.numberWidth, area.height()),
                      Qt::AlignLeft | Qt::AlignVCenter, speedupPhrase(wall));
    if (places.hasInterval || badge.isEmpty()) {
        painter->setPen(theme.color(Role::Muted));
        painter->setFont(places.small);
        painter->drawText(QRect(area.left() + places.numberWidth, area.top(), places.intervalWidth, area.height()),
                          Qt::AlignLeft | Qt::AlignVCenter, intervalText(wall));
    }
    const int left = places.rest.left();
    if (!badge.isEmpty())
        paintBadge(*painter, places.rest, badge, role);
    const SpeedupAxis axis = m_axis();
    const int shortest = theme.unit(8); // shorter bars tell nothing
    int right = area.right() - badgeWidth(axis.badge);
    if (right - left < shortest && badge.isEmpty()) // rows with a badge have no bar then
        right = area.right();
    const int height = theme.unit(2);
    if (places.hasInterval && right - left >= shortest)
        paintSpeedupBar(*painter, QRectF(left, area.center().y() - height / 2.0 + 0.5, right - left, height), axis,
                        wall, marks);
    painter->restore();
}

QSize SpeedupDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    return {Theme::instance().unit(70), QStyledItemDelegate::sizeHint(option, index).height()};
}

int SpeedupDelegate::leastWidth(const QString& badge)
{
    const QRect any(0, 0, Theme::instance().unit(100), 1);
    const Places places(any, badge);
    return any.width() - places.area.width() + places.numberWidth + badgeWidth(badge) + 2;
}

int SpeedupDelegate::wholeWidth(const QString& badge)
{
    const QRect any(0, 0, Theme::instance().unit(100), 1);
    return leastWidth(badge) + Places(any, badge).intervalWidth;
}

QRect SpeedupDelegate::badgeRect(const QRect& cell, const QModelIndex& index) const
{
    const auto [wall, marks] = m_speedup(index);
    const QString badge = wall.valid() ? marksBadge(marks) : QString();
    return badgeIn(Places(cell, badge).rest, badge);
}

} // namespace cudal1::ui
