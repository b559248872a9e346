// SPDX-License-Identifier: GPL-3.0-or-later
// What a search found.
#pragma once

#include "ui/timeline/timelinetablemodel.h"

namespace cudal1::ui {

/// Events that were found, side by side, each by begin.
class FoundModel : public TimelineTableModel {
    Q_OBJECT
public:
    enum { Name, What, Side, Track, Start, Duration };
    using Found = std::vector<std::pair<int, timeline::EventIndex>>;

    explicit FoundModel(QObject* parent = nullptr);
    void setFound(TimelineView::Sides sides, Found found);

    TimelineView::Picked pickedOf(int row) const override;

protected:
    int rows() const override;
    QString text(int row, int column) const override;
    QVariant sortKey(int row, int column) const override;
    QString tip(int row, int column) const override;

private:
    Found m_found;
};

} // namespace cudal1::ui
