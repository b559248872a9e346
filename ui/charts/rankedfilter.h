// SPDX-License-Identifier: GPL-3.0-or-later
// The ranked list sorted, and cut to the range that was chosen in the histogram.
#pragma once

#include "ui/charts/rankedmodel.h"

#include <QSortFilterProxyModel>

#include <optional>
#include <utility>

namespace cudal1::ui {

class RankedFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit RankedFilter(QObject* parent = nullptr) : QSortFilterProxyModel(parent) { setSortRole(RankedModel::SortRole); }

    /// Speed-ups from the first on, below the second; all without a range.
    void setRange(std::optional<std::pair<double, double>> range)
    {
        m_range = range;
        invalidateFilter();
    }

    /// Tasks of one level (0 for files); all without one.
    void setLevel(std::optional<int> level)
    {
        m_level = level;
        invalidateFilter();
    }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override
    {
        if (m_level && sourceModel()->index(row, 0, parent).data(RankedModel::LevelRole).toInt() != *m_level)
            return false;
        if (m_range) {
            const double estimate = sourceModel()->index(row, 0, parent).data(RankedModel::EstimateRole).toDouble();
            // The bins' edges are powers, as exact as rounding lets them be.
            if (estimate < m_range->first * (1 - 1e-9) || estimate >= m_range->second * (1 - 1e-9))
                return false;
        }
        return QSortFilterProxyModel::filterAcceptsRow(row, parent);
    }

private:
    std::optional<std::pair<double, double>> m_range;
    std::optional<int> m_level;
};

} // namespace cudal1::ui
