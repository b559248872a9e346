// SPDX-License-Identifier: GPL-3.0-or-later
// Means and percentiles of the best speed-ups by level, over the tried tasks.
#pragma once

#include "core/report/charts/chartof.h"

#include <QAbstractTableModel>

namespace cudal1::ui {

/// One row for all tasks, then one for each level that has a tried task.
class PercentilesModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Level, Tried, Correct, Gains, Mean, GeometricMean, Best, P75, P50, P25, ColumnCount };

    explicit PercentilesModel(QObject* parent = nullptr);

    void setLines(std::vector<charts::LevelLine> lines, charts::Failures rule);
    const std::vector<charts::LevelLine>& lines() const { return m_lines; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QString text(const charts::LevelLine& line, int column) const;

    std::vector<charts::LevelLine> m_lines;
    charts::Failures m_rule = charts::Failures::One;
};

} // namespace cudal1::ui
