// SPDX-License-Identifier: GPL-3.0-or-later
// The gaps of all sides, each with its cause.
#pragma once

#include "ui/timeline/timelinetablemodel.h"

namespace cudal1::ui {

/// The longest gaps of all sides, at most `most`.
class GapsModel : public TimelineTableModel {
    Q_OBJECT
public:
    enum { Side, Cause, Duration, Start, Share, During, Next };
    static constexpr std::size_t most = 10'000;

    explicit GapsModel(QObject* parent = nullptr);
    void setSides(TimelineView::Sides sides);
    int rowOf(const TimelineView::Picked& picked) const;

    TimelineView::Picked pickedOf(int row) const override;

protected:
    int rows() const override;
    QString text(int row, int column) const override;
    QVariant sortKey(int row, int column) const override;
    QString tip(int row, int column) const override;

private:
    /// "163.4205 ms": all rows in one unit and with as many decimals, so that they can be compared.
    QString startText(std::int64_t time_ns) const;

    std::int64_t m_largestStart_ns = 0; ///< of the rows
    std::vector<TimelineView::Picked> m_rows;
};

} // namespace cudal1::ui
