// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a speed-up cell: number, badge of its marks, interval in smaller type, bar on the view's common axis; or why
// there is none.
#pragma once

#include "ui/variants/badge.h"
#include "ui/variants/speedupbar.h"

#include <functional>
#include <string>

namespace cudal1::ui {

class SpeedupDelegate : public BadgedDelegate {
    Q_OBJECT
public:
    /// What a cell is drawn from; with no valid interval the cell's text is shown.
    struct Marked {
        base::Interval wall;
        std::string marks; ///< protocol::marksOf()
    };
    using SpeedupOf = std::function<Marked(const QModelIndex&)>;
    using AxisOf = std::function<SpeedupAxis()>;
    SpeedupDelegate(SpeedupOf speedup, AxisOf axis, QObject* parent);

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// What a cell with this badge needs, so that its number and its badge are read whole.
    static int leastWidth(const QString& badge);
    /// The same with its interval.
    static int wholeWidth(const QString& badge);
    QRect badgeRect(const QRect& cell, const QModelIndex& index) const override;

private:
    SpeedupOf m_speedup;
    AxisOf m_axis;
};

} // namespace cudal1::ui
