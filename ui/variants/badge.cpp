// SPDX-License-Identifier: GPL-3.0-or-later
// Painting of badges.
#include "ui/variants/badge.h"

#include <QApplication>
#include <QPainter>

namespace cudal1::ui {

namespace {

constexpr int leastLetters = 5;

int paint(QPainter& painter, const QRect& area, const QString& word, const QColor& color)
{
    const QRect badge = badgeIn(area, word);
    if (badge.isEmpty())
        return 0;
    const Theme& theme = Theme::instance();
    const QFontMetrics metrics(theme.smallFont());
    const QRectF pill(badge.left() + 0.5, badge.top() + 0.5, badge.width() - 1, badge.height() - 1);
    const int room = badge.width() - theme.unit(2);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(pill, theme.unit(1), theme.unit(1));
    painter.setFont(theme.smallFont());
    painter.drawText(pill, Qt::AlignCenter,
                     room < metrics.horizontalAdvance(word) ? metrics.elidedText(word, Qt::ElideRight, room) : word);
    painter.restore();
    return badge.width() + theme.unit(2);
}

QRect textArea(const QRect& cell)
{
    return cell.adjusted(Theme::instance().unit(2), 0, -Theme::instance().unit(2), 0);
}

} // namespace

int badgeWidth(const QString& word)
{
    const Theme& theme = Theme::instance();
    return word.isEmpty() ? 0 : QFontMetrics(theme.smallFont()).horizontalAdvance(word) + theme.unit(4);
}

QRect badgeIn(const QRect& area, const QString& word)
{
    const Theme& theme = Theme::instance();
    const QFontMetrics metrics(theme.smallFont());
    const int gap = theme.unit(2), inside = theme.unit(2), whole = metrics.horizontalAdvance(word);
    const int room = std::min(whole, area.width() - gap - inside);
    if (word.isEmpty() || room < std::min(whole, metrics.horizontalAdvance(word.left(leastLetters) + QChar(0x2026))))
        return {};
    const int height = metrics.height() + 3, width = room + inside;
    return {area.right() - width + 1, area.center().y() - (height - 1) / 2, width, height};
}

int paintBadge(QPainter& painter, const QRect& area, const QString& word, Role role)
{
    return paint(painter, area, word, Theme::instance().color(role));
}

void BadgeDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const QString word = index.data(BadgeRole).toString();
    if (word.isEmpty())
        return QStyledItemDelegate::paint(painter, option, index);
    QStyleOptionViewItem cell(option);
    initStyleOption(&cell, index);
    const QString text = cell.text;
    cell.text.clear();
    QApplication::style()->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
    QRect area = textArea(option.rect);
    const QColor color = cell.palette.color(QPalette::Text);
    area.setRight(area.right() - ui::paint(*painter, area, word, color));
    painter->save();
    painter->setFont(cell.font);
    painter->setPen(color);
    painter->drawText(area, int(cell.displayAlignment),
                      cell.fontMetrics.elidedText(text, Qt::ElideRight, area.width()));
    painter->restore();
}

QRect BadgeDelegate::badgeRect(const QRect& cell, const QModelIndex& index) const
{
    return badgeIn(textArea(cell), index.data(BadgeRole).toString());
}

} // namespace cudal1::ui
