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
    const Theme& theme = Theme::instance();
    const QFontMetrics metrics(theme.smallFont());
    const int gap = theme.unit(2), inside = theme.unit(2);
    const int room = std::min(metrics.horizontalAdvance(word), area.width() - gap - inside);
    if (word.isEmpty() || room < std::min(metrics.horizontalAdvance(word),
                                          metrics.horizontalAdvance(word.left(leastLetters) + QChar(0x2026))))
        return 0;
    const int height = metrics.height() + 2, above = height / 2, width = room + inside;
    const QRectF pill(area.right() - width + 1.5, area.center().y() - above + 0.5, width - 1, height);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(pill, theme.unit(1), theme.unit(1));
    painter.setFont(theme.smallFont());
    painter.drawText(pill, Qt::AlignCenter,
                     room < metrics.horizontalAdvance(word) ? metrics.elidedText(word, Qt::ElideRight, room) : word);
    painter.restore();
    return width + gap;
}

} // namespace

int badgeWidth(const QString& word)
{
    const Theme& theme = Theme::instance();
    return word.isEmpty() ? 0 : QFontMetrics(theme.smallFont()).horizontalAdvance(word) + theme.unit(4);
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
    const Theme& theme = Theme::instance();
    QRect area = option.rect.adjusted(theme.unit(2), 0, -theme.unit(2), 0);
    const QColor color = cell.palette.color(QPalette::Text);
    area.setRight(area.right() - ui::paint(*painter, area, word, color));
    painter->save();
    painter->setFont(cell.font);
    painter->setPen(color);
    painter->drawText(area, int(cell.displayAlignment),
                      cell.fontMetrics.elidedText(text, Qt::ElideRight, area.width()));
    painter->restore();
}

} // namespace cudal1::ui
