// SPDX-License-Identifier: GPL-3.0-or-later
// Measured baselines as a table: a row a task, a column a kind, the speed-up over eager in each cell.
#pragma once

#include "core/baselines/kinds.h"
#include "ui/work/projectmodel.h"

#include <QAbstractTableModel>

#include <vector>

namespace cudal1::ui {

/// Column 0 names the task; column i + 1 is the i-th kind that was measured, with its geometric mean in the header.
class BaselinesModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum { SortRole = Qt::UserRole + 1 };

    explicit BaselinesModel(QObject* parent = nullptr);

    /// `rows` in the order of store::Project::baselineRows(); of a task and kind the newest counts.
    void setRows(const TaskList& tasks, const std::vector<store::VariantRow>& rows);
    const base::TaskId& task(int row) const { return m_lines[std::size_t(row)].task; }
    int kinds() const { return int(m_kinds.size()); }
    const QStringList& devices() const { return m_devices; } ///< models that they were measured on

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    using Cell = std::optional<store::EvaluationSummary>;
    struct Line {
        base::TaskId task;
        QString name;
        int place = 0; ///< in the list of tasks
        std::vector<Cell> cells;
    };
    struct Column {
        const baselines::Kind* kind = nullptr;
        double mean = 0; ///< geometric, of what was correct and timed; 0 for none
        int timed = 0;
    };

    std::vector<Column> m_kinds;
    std::vector<Line> m_lines;
    QStringList m_devices;
};

} // namespace cudal1::ui
