// SPDX-License-Identifier: GPL-3.0-or-later
// Means and percentiles of the best speed-ups by level, over the tried tasks.
#pragma once

#include "core/charts/chartof.h"
#include "ui/kit/tablemodel.h"

namespace cudal1::ui {

/// One row for all tasks, then one for each level that has a tried task.
class PercentilesModel : public TableModel {
    Q_OBJECT
public:
    enum Column { Level, Tried, Correct, Gains, Mean, GeometricMean, Best, P75, P50, P25, ColumnCount };

    explicit PercentilesModel(QObject* parent = nullptr);

    void setLines(std::vector<charts::LevelPercentiles> lines, charts::Failures rule);
    const std::vector<charts::LevelPercentiles>& lines() const { return m_lines; }

private:
    static std::vector<TableModel::Column> columnsFor(charts::Failures rule);
    int rows() const override;
    QVariant cell(int row, int column, int role) const override;
    QString text(const charts::LevelPercentiles& line, int column) const;

    std::vector<charts::LevelPercentiles> m_lines;
};

} // namespace cudal1::ui
