// SPDX-License-Identifier: GPL-3.0-or-later
// The tasks as a tree: levels, and under each its tasks.
#pragma once

#include "ui/kit/theme.h"
#include "ui/variants/speedupbar.h"
#include "ui/work/projectmodel.h"

#include <QAbstractItemModel>

namespace cudal1::ui {

/// What the list of tasks tells apart: its state, and of one with a correct variant what the best of them is worth.
enum class TaskGroup { Gain, OtherPrecision, Questioned, NoGain, Slower, Failed, Running, NotTried };
TaskGroup groupOf(const store::TaskRow& row);
struct StateStyle {
    QString word, icon;
    Role role;
};
StateStyle groupStyle(TaskGroup group);
inline StateStyle stateStyle(const store::TaskRow& row)
{
    return groupStyle(groupOf(row));
}

/// Whether the train/held-out split keeps it from training (tasks::splitOf).
bool isHeldOut(const TaskEntry& task);

class TasksModel : public QAbstractItemModel {
    Q_OBJECT
public:
    explicit TasksModel(QObject* parent = nullptr);

    /// Tasks by level and number. Rows keep their place when the ids are the same as before.
    void setTasks(std::shared_ptr<const TaskList> tasks);

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

    /// Null for a level.
    const TaskEntry* entry(const QModelIndex& index) const;
    QModelIndex indexOf(const base::TaskId& id) const;
    int count(TaskGroup group) const;
    int heldOut() const;
    int count() const { return m_tasks ? int(m_tasks->size()) : 0; }
    /// Of a level row: tasks with a gain, and all.
    std::pair<int, int> gains(const QModelIndex& level) const;
    /// ", besides 1 questioned": what gains() leaves out; empty where that is nothing.
    QString otherGains(const QModelIndex& level) const;
    const SpeedupAxis& axis() const { return m_axis; }

private:
    struct Level {
        static constexpr int elsewhere = -1; ///< of whatever level, in a suite or version that is not open
        int level = 0, first = 0, count = 0;
        bool operator==(const Level&) const = default;
    };
    static QString levelName(int level);

    std::shared_ptr<const TaskList> m_tasks;
    std::vector<Level> m_levels;
    SpeedupAxis m_axis;
};

} // namespace cudal1::ui
