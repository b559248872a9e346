// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a speed-up cell: number, interval in smaller type, bar on the view's common axis; or why there is none.
#pragma once

#include "ui/variants/speedupbar.h"

#include <QStyledItemDelegate>

#include <functional>

namespace cudal1::ui {

class SpeedupDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    /// The speed-up of a cell, whose text is its speedupSentence(); invalid where another text of the cell is to be
    /// shown.
    using IntervalOf = std::function<base::Interval(const QModelIndex&)>;
    using AxisOf = std::function<SpeedupAxis()>;
    SpeedupDelegate(IntervalOf interval, AxisOf axis, QObject* parent);

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    IntervalOf m_interval;
    AxisOf m_axis;
};

} // namespace cudal1::ui
