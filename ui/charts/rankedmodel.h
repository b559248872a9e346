// SPDX-License-Identifier: GPL-3.0-or-later
// The tasks that were tried, with their best speed-ups; sorting and filters are for RankedFilter.
#pragma once

#include "ui/kit/tablemodel.h"
#include "ui/variants/speedupbar.h"
#include "ui/work/projectmodel.h"

#include <QSortFilterProxyModel>

namespace cudal1::ui {

class RankedModel : public TableModel {
    Q_OBJECT
public:
    enum Column { Task, Best, Variants, ColumnCount };

    explicit RankedModel(QObject* parent = nullptr);

    void setTasks(std::shared_ptr<const TaskList> tasks);
    /// Whether there is room for intervals, and with them for a header that names them.
    void setWide(bool wide);
    const TaskEntry& at(int row) const { return *m_rows[row]; }
    const SpeedupAxis& axis() const { return m_axis; }

private:
    static std::vector<TableModel::Column> columnsFor(bool wide);
    int rows() const override;
    QVariant cell(int row, int column, int role) const override;

    std::shared_ptr<const TaskList> m_tasks;
    std::vector<const TaskEntry*> m_rows; ///< into m_tasks
    SpeedupAxis m_axis;
    bool m_wide = true;
};

} // namespace cudal1::ui
