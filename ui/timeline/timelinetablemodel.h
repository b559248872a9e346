// SPDX-License-Identifier: GPL-3.0-or-later
// What the tables under the timelines have in common.
#pragma once

#include "ui/kit/tablemodel.h"
#include "ui/timeline/timelineview.h"

namespace cudal1::ui {

/// Read-only cells; columns to the right are of figures. A row is of one event or gap.
class TimelineTableModel : public TableModel {
    Q_OBJECT
public:
    using TableModel::TableModel;

    virtual TimelineView::Picked pickedOf(int row) const = 0;

protected:
    QVariant cell(int row, int column, int role) const override;
    virtual QString text(int row, int column) const = 0;
    virtual QVariant sortKey(int row, int column) const = 0;
    virtual QString tip(int row, int column) const;

    TimelineView::Sides m_sides;
};

} // namespace cudal1::ui
