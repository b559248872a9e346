// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a card of the variant strip: name, verdict, speed-up, techniques, and which side it is on.
#pragma once

#include "ui/variants/badge.h"

namespace cudal1::ui {

class StripModel;

class CardDelegate : public BadgedDelegate {
    Q_OBJECT
public:
    CardDelegate(const StripModel& model, QObject* parent);

    static QSize cardSize();
    /// Each variant takes a line of the list, in place of a card.
    void setList(bool list) { m_list = list; }
    bool isList() const { return m_list; }
    static int lineHeight();
    /// Where a click means the left side, in a card or line at `card`.
    QRect leftBadge(const QRect& card) const;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QRect badgeRect(const QRect& cell, const QModelIndex& index) const override;

private:
    void paintCard(QPainter& painter, const QRect& card, const QModelIndex& index) const;
    void paintLine(QPainter& painter, const QRect& line, const QModelIndex& index) const;

    const StripModel& m_model;
    bool m_list = false;
};

} // namespace cudal1::ui
