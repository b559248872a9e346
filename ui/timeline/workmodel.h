// SPDX-License-Identifier: GPL-3.0-or-later
// What took the time: kernels, copies, operators and calls, each with its count and sum.
#pragma once

#include "ui/timeline/timelinetablemodel.h"

namespace cudal1::ui {

/// Rows of tableOf() of every side.
class WorkModel : public TimelineTableModel {
    Q_OBJECT
public:
    enum { Side, What, Name, Count, Total, PerCall, Share, Grid, Block, Registers, Shared, Rate };
    struct Row {
        int side = 0;
        timeline::TableRow row;
        double call_ns = 0; ///< of its total; 0 in a span and where there are no timed windows
    };
    using Rows = std::vector<Row>;
    /// On any thread.
    static Rows rowsOf(const TimelineView::Sides& sides, const std::optional<timeline::Span>& span);

    explicit WorkModel(QObject* parent = nullptr);
    void setRows(TimelineView::Sides sides, Rows rows);
    const Row& at(int row) const { return m_rows[std::size_t(row)]; }
    /// The row that an event is counted in; -1 for none.
    int rowOf(const TimelineView::Picked& picked) const;

    TimelineView::Picked pickedOf(int row) const override; ///< the longest of its events

protected:
    int rows() const override;
    QString text(int row, int column) const override;
    QVariant sortKey(int row, int column) const override;
    QString tip(int row, int column) const override;

private:
    Rows m_rows;
};

} // namespace cudal1::ui
