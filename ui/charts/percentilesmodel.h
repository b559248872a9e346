// SPDX-License-Identifier: GPL-3.0-or-later
// Percentiles of the best speed-ups by level, over the tried tasks.
#pragma once

#include "core/report/summary.h"
#include "ui/shell/projectmodel.h"

#include <QAbstractTableModel>

#include <optional>

namespace cudal1::ui {

/// One row for all tasks, then one for each level that has a tried task. As in the numbers above it, a task without a
/// correct variant counts as 1x.
class PercentilesModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Level, Gain, P10, P25, P50, P75, P90, Best, ColumnCount };

    explicit PercentilesModel(QObject* parent = nullptr);

    void setTasks(const TaskList& tasks);
    /// Empty for the row of all tasks.
    std::optional<int> levelOf(int row) const { return m_rows[std::size_t(row)].level; }
    const report::Summary& all() const { return m_all; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    struct Row {
        std::optional<int> level;
        report::Summary summary;
    };
    QString text(const Row& row, int column) const;

    report::Summary m_all;
    std::vector<Row> m_rows;
};

} // namespace cudal1::ui
