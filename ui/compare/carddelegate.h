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
    /// Where a click means the left side, in a card at `card`.
    static QRect leftBadge(const QRect& card);

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QRect badgeRect(const QRect& cell, const QModelIndex& index) const override;

private:
    const StripModel& m_model;
};

} // namespace cudal1::ui
