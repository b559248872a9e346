// SPDX-License-Identifier: GPL-3.0-or-later
// Search and filter of the task tree.
#include "ui/tasks/tasksfilter.h"

#include "ui/kit/setupview.h"
#include "ui/tasks/tasksmodel.h"

namespace cudal1::ui {

TasksFilter::TasksFilter(TasksModel& model, QObject* parent) : QSortFilterProxyModel(parent), m_model(model)
{
    setRecursiveFilteringEnabled(true);
    setFilterRole(CopyRole); // its cells have the state in words, which the rows show as marks
    setSourceModel(&model);
}

namespace {

QStringList wordsOf(const QString& text)
{
    return text.simplified().split(u' ', Qt::SkipEmptyParts);
}

bool hasAll(const QStringList& words, const TaskEntry& task)
{
    const QString id = QString::fromStdString(task.id.value);
    return std::all_of(words.begin(), words.end(), [&](const QString& word) {
        return (task.level > 0 && word.contains(u'/') ? id.startsWith(word) : id.contains(word, Qt::CaseInsensitive)) ||
               task.name.contains(word, Qt::CaseInsensitive) ||
               task.name.contains(QString(word).replace(u'_', u' '), Qt::CaseInsensitive);
    });
}

} // namespace

bool TasksFilter::finds(const QString& text, const TaskEntry& task)
{
    return hasAll(wordsOf(text), task);
}

void TasksFilter::setSearch(const QString& text)
{
    const QStringList words = wordsOf(text);
    if (words == m_words)
        return;
    m_words = words;
    invalidateFilter();
}

void TasksFilter::setOnly(std::function<bool(const base::TaskId&)> only)
{
    m_only = std::move(only);
    invalidateFilter();
}

int TasksFilter::shown() const
{
    int count = 0;
    for (int level = 0; level < rowCount(); ++level)
        count += rowCount(index(level, 0));
    return count;
}

bool TasksFilter::filterAcceptsRow(int row, const QModelIndex& parent) const
{
    const TaskEntry* task = m_model.entry(m_model.index(row, 0, parent));
    // A level stays when one of its tasks does: that is what recursive filtering means.
    if (!task)
        return false;
    if (m_only && !m_only(task->id))
        return false;
    if (!filterRegularExpression().pattern().isEmpty() && !QSortFilterProxyModel::filterAcceptsRow(row, parent))
        return false;
    return hasAll(m_words, *task);
}

} // namespace cudal1::ui
