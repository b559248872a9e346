// SPDX-License-Identifier: GPL-3.0-or-later
// The speed-up cell of a variant or a task.
#include "ui/variants/speedupdelegate.h"

#include "ui/variants/barpainter.h"
#include "ui/variants/texts.h"

#include <QApplication>
#include <QPainter>

namespace cudal1::ui {

namespace {

int badgeWidthOf(const QString& word)
{
    const Theme& theme = Theme::instance();
    return QFontMetrics(theme.smallFont()).horizontalAdvance(word) + theme.unit(2);
}

void paintBadge(QPainter& painter, const QRect& area, const QString& word, Role role)
{
    const Theme& theme = Theme::instance();
    const int height = QFontMetrics(theme.smallFont()).height() + 2;
    const QRectF pill(area.left() + 0.5, area.center().y() - height / 2.0 + 0.5, area.width() - 1, height);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.color(role), 1));
    painter.drawRoundedRect(pill, theme.unit(1), theme.unit(1));
    painter.setFont(theme.smallFont());
    painter.drawText(pill, Qt::AlignCenter, word);
    painter.restore();
}

} // namespace

SpeedupDelegate::SpeedupDelegate(IntervalOf interval, AxisOf axis, QObject* parent)
    : QStyledItemDelegate(parent), m_interval(std::move(interval)), m_axis(std::move(axis))
{
}

void SpeedupDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QStyleOptionViewItem cell(option);
    initStyleOption(&cell, index);
    const base::Interval wall = m_interval(index);
    const Theme& theme = Theme::instance();
    if (!wall.valid()) {
        cell.palette.setColor(QPalette::Text, theme.color(Role::Muted));
        cell.palette.setColor(QPalette::HighlightedText, theme.color(Role::Muted));
        QApplication::style()->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
        return;
    }
    QString phrase = cell.text.section(QStringLiteral("  "), 0, 0); // of speedupSentence(), with its marks
    std::string marks;
    for (; phrase.endsWith(u'*') || phrase.endsWith(u'!'); phrase.chop(1))
        marks.insert(0, 1, phrase.back().toLatin1());
    cell.text.clear();
    QApplication::style()->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);

    const QRect area = option.rect.adjusted(theme.unit(2) + 3, 0, -theme.unit(3), 0); // where a cell's text begins
    QFont number = theme.monoFont();
    number.setWeight(QFont::DemiBold);
    QFont small = theme.monoFont();
    small.setPointSizeF(theme.smallFont().pointSizeF());
    const int numberWidth = QFontMetrics(number).horizontalAdvance(QStringLiteral("unclear "));
    const int intervalWidth = QFontMetrics(small).horizontalAdvance(QStringLiteral("10.00–10.00 "));

    const int left = area.left() + numberWidth + intervalWidth;
    const QString badge = marksBadge(marks);
    const int badgeWidth = badge.isEmpty() ? 0 : badgeWidthOf(badge);
    const bool fits = left + badgeWidth <= area.right();
    if (!fits)
        phrase += QString::fromStdString(marks);

    painter->save();
    const Role role = speedupRole(wall, marks);
    painter->setPen(theme.color(role));
    painter->setFont(number);
    painter->drawText(QRect(area.left(), area.top(), numberWidth, area.height()), Qt::AlignLeft | Qt::AlignVCenter,
                      phrase);
    painter->setPen(theme.color(Role::Muted));
    painter->setFont(small);
    painter->drawText(QRect(area.left() + numberWidth, area.top(), intervalWidth, area.height()),
                      Qt::AlignLeft | Qt::AlignVCenter, intervalText(wall));
    if (fits && !badge.isEmpty())
        paintBadge(*painter, QRect(area.right() - badgeWidth, area.top(), badgeWidth, area.height()), badge, role);
    const int height = theme.unit(2), right = area.right() - (fits && badgeWidth > 0 ? badgeWidth + theme.unit(2) : 0);
    if (right - left >= theme.unit(8)) // shorter bars tell nothing
        paintSpeedupBar(*painter, QRectF(left, area.center().y() - height / 2.0 + 0.5, right - left, height), m_axis(),
                        wall);
    painter->restore();
}

QSize SpeedupDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    return {Theme::instance().unit(70), QStyledItemDelegate::sizeHint(option, index).height()};
}

} // namespace cudal1::ui
