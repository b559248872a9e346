// SPDX-License-Identifier: GPL-3.0-or-later
// The tasks that were tried, with their best speed-ups; sorting and filters are for RankedFilter.
#pragma once

#include "ui/work/projectmodel.h"
#include "ui/variants/speedupbar.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

namespace cudal1::ui {

class RankedModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Task, Best, Variants, ColumnCount };
    enum { SortRole = Qt::UserRole + 1 };

    explicit RankedModel(QObject* parent = nullptr);

    void setTasks(std::shared_ptr<const TaskList> tasks);
    const TaskEntry& at(int row) const { return *m_rows[row]; }
    const SpeedupAxis& axis() const { return m_axis; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    std::shared_ptr<const TaskList> m_tasks;
    std::vector<const TaskEntry*> m_rows; ///< into m_tasks
    SpeedupAxis m_axis;
};

} // namespace cudal1::ui
