// SPDX-License-Identifier: GPL-3.0-or-later
// Leaves the tasks that match the search text and the selection's filters, and the levels that have any of them.
#pragma once

#include "core/store/project.h"

#include <QSortFilterProxyModel>
#include <QStringList>

#include <functional>

namespace cudal1::ui {

struct TaskEntry;
class TasksModel;

class TasksFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit TasksFilter(TasksModel& model, QObject* parent = nullptr);

    /// Every word must occur in the id or the name; a word like "3/" matches ids from their start.
    void setSearch(const QString& text);
    /// Tasks that it says no to are hidden; none are without one.
    void setOnly(std::function<bool(const base::TaskId&)> only);
    /// Whether that search finds a task.
    static bool finds(const QString& text, const TaskEntry& task);
    /// Tasks that are left.
    int shown() const;

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    TasksModel& m_model;
    QStringList m_words;
    std::function<bool(const base::TaskId&)> m_only;
};

} // namespace cudal1::ui
