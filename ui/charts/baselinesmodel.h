// SPDX-License-Identifier: GPL-3.0-or-later
// Measured baselines as a table: a row a task, a column a kind, the speed-up over eager in each cell.
#pragma once

#include "core/baselines/baselinekinds.h"
#include "ui/kit/tablemodel.h"
#include "ui/work/projectmodel.h"

#include <vector>

namespace cudal1::ui {

/// Column 0 names the task; column i + 1 is the i-th kind that was measured, with its geometric mean in the header.
class BaselinesModel : public TableModel {
    Q_OBJECT
public:
    enum { MarkedRole = OwnRole }; ///< the variant whose speed-up is marked; 0 for other cells

    explicit BaselinesModel(QObject* parent = nullptr);

    /// `rows` in the order of store::Project::baselineRows(); of a task and kind the newest counts.
    void setRows(const TaskList& tasks, const std::vector<store::VariantRow>& rows);
    const base::TaskId& task(int row) const { return m_lines[std::size_t(row)].task; }
    int kinds() const { return int(m_kinds.size()); }        ///< that were measured
    const QStringList& devices() const { return m_devices; } ///< models that they were measured on

private:
    using Cell = std::optional<store::EvaluationSummary>;
    struct Line {
        base::TaskId task;
        QString name;
        int place = 0; ///< in the list of tasks
        std::vector<Cell> cells;
    };

    int rows() const override;
    QVariant cell(int row, int column, int role) const override;
    static QVariant nameCell(const Line& line, int role);
    static Column columnOf(const baselines::BaselineKind& kind, const std::vector<double>& speedups);

    std::vector<const baselines::BaselineKind*> m_kinds;
    std::vector<Line> m_lines;
    QStringList m_devices;
};

} // namespace cudal1::ui
