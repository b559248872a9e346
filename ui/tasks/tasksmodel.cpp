// SPDX-License-Identifier: GPL-3.0-or-later
// The tree of tasks over the project's flat list.
#include "ui/tasks/tasksmodel.h"

#include "core/charts/projectsummary.h"
#include "core/optimize/handedover.h"
#include "core/tasks/split.h"
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/variants/texts.h"

#include <algorithm>

namespace cudal1::ui {

TaskGroup groupOf(const store::TaskRow& row)
{
    using State = store::TaskRow::State;
    switch (row.state) {
    case State::NotTried: return TaskGroup::NotTried;
    case State::Running: return TaskGroup::Running;
    case State::Failed: return TaskGroup::Failed;
    case State::NoGain: return charts::isSlower(row) ? TaskGroup::Slower : TaskGroup::NoGain;
    case State::Improved: break;
    }
    switch (charts::meritOf(row)) {
    case protocol::Merit::OtherPrecision: return TaskGroup::OtherPrecision;
    case protocol::Merit::Questioned: return TaskGroup::Questioned;
    case protocol::Merit::Gain:
    case protocol::Merit::NotFaster:
    case protocol::Merit::Loss: break;
    }
    return TaskGroup::Gain;
}

StateStyle groupStyle(TaskGroup group)
{
    switch (group) {
    case TaskGroup::Gain: return {TasksModel::tr("improved"), QStringLiteral("check"), Role::GainText};
    case TaskGroup::OtherPrecision:
        return {TasksModel::tr("faster at another precision"), QStringLiteral("precision"), Role::VariantText};
    case TaskGroup::Questioned:
        return {TasksModel::tr("faster, but questioned"), QStringLiteral("questioned"), Role::WarningText};
    case TaskGroup::NoGain: return {TasksModel::tr("no gain"), QStringLiteral("reference"), Role::Muted};
    case TaskGroup::Slower: return {TasksModel::tr("slower"), QStringLiteral("slower"), Role::LossText};
    case TaskGroup::Failed: return {TasksModel::tr("failed"), QStringLiteral("error"), Role::LossText};
    case TaskGroup::Running: return {TasksModel::tr("running"), QStringLiteral("play"), Role::VariantText};
    case TaskGroup::NotTried: break;
    }
    return {TasksModel::tr("not tried"), QStringLiteral("task"), Role::Disabled};
}

bool isHeldOut(const TaskEntry& task)
{
    return tasks::splitOf(task.level, task.number) == tasks::Split::HeldOut;
}

TasksModel::TasksModel(QObject* parent) : QAbstractItemModel(parent) {}

void TasksModel::setTasks(std::shared_ptr<const TaskList> tasks)
{
    std::vector<Level> levels;
    SpeedupAxis axis;
    if (tasks) {
        for (int i = 0; i < int(tasks->size()); ++i) {
            const TaskEntry& entry = (*tasks)[i];
            const int level = entry.elsewhere ? Level::elsewhere : entry.level;
            if (levels.empty() || levels.back().level != level)
                levels.push_back({level, i, 0});
            ++levels.back().count;
            axis.include(entry.row.best);
        }
    }
    const bool same = m_tasks && tasks && levels == m_levels &&
                      std::equal(tasks->begin(), tasks->end(), m_tasks->begin(), m_tasks->end(),
                                 [](const TaskEntry& a, const TaskEntry& b) { return a.id == b.id; });
    if (!same)
        beginResetModel();
    m_tasks = std::move(tasks);
    m_levels = std::move(levels);
    m_axis = axis;
    if (!same) {
        endResetModel();
        return;
    }
    for (int row = 0; row < int(m_levels.size()); ++row) {
        const QModelIndex level = index(row, 0);
        emit dataChanged(level, level);
        emit dataChanged(index(0, 0, level), index(m_levels[row].count - 1, 0, level));
    }
}

QModelIndex TasksModel::index(int row, int column, const QModelIndex& parent) const
{
    if (column != 0 || row < 0 || row >= rowCount(parent))
        return {};
    // A task's internal id is its level's row + 1; a level's is 0.
    return createIndex(row, column, parent.isValid() ? quintptr(parent.row()) + 1 : 0);
}

QModelIndex TasksModel::parent(const QModelIndex& index) const
{
    return index.isValid() && index.internalId() > 0 ? createIndex(int(index.internalId()) - 1, 0, quintptr(0))
                                                     : QModelIndex();
}

int TasksModel::rowCount(const QModelIndex& parent) const
{
    if (!parent.isValid())
        return int(m_levels.size());
    return parent.internalId() == 0 && parent.column() == 0 ? m_levels[parent.row()].count : 0;
}

int TasksModel::columnCount(const QModelIndex&) const
{
    return 1;
}

const TaskEntry* TasksModel::entry(const QModelIndex& index) const
{
    if (!index.isValid() || index.internalId() == 0)
        return nullptr;
    return &(*m_tasks)[m_levels[index.internalId() - 1].first + index.row()];
}

QModelIndex TasksModel::indexOf(const base::TaskId& id) const
{
    for (int level = 0; level < int(m_levels.size()); ++level)
        for (int row = 0; row < m_levels[level].count; ++row)
            if ((*m_tasks)[m_levels[level].first + row].id == id)
                return createIndex(row, 0, quintptr(level) + 1);
    return {};
}

int TasksModel::count(TaskGroup group) const
{
    return m_tasks ? int(std::count_if(m_tasks->begin(), m_tasks->end(),
                                       [group](const TaskEntry& entry) { return groupOf(entry.row) == group; }))
                   : 0;
}

int TasksModel::heldOut() const
{
    return m_tasks ? int(std::count_if(m_tasks->begin(), m_tasks->end(), isHeldOut)) : 0;
}

std::pair<int, int> TasksModel::gains(const QModelIndex& index) const
{
    const Level& level = m_levels[index.row()];
    const auto first = m_tasks->begin() + level.first;
    return {
        int(std::count_if(first, first + level.count,
                          [](const TaskEntry& entry) { return charts::meritOf(entry.row) == protocol::Merit::Gain; })),
        level.count};
}

QString TasksModel::otherGains(const QModelIndex& index) const
{
    const Level& level = m_levels[index.row()];
    std::vector<store::TaskRow> rows;
    rows.reserve(static_cast<std::size_t>(level.count));
    for (int i = 0; i < level.count; ++i)
        rows.push_back((*m_tasks)[level.first + i].row);
    const std::string others = charts::otherGainsText(charts::summarise(rows));
    return others.empty() ? QString() : tr(", besides %1").arg(QString::fromStdString(others));
}

QString TasksModel::levelName(int level)
{
    return level == 0 ? tr("Files") : level == Level::elsewhere ? tr("Other suites") : tr("Level %1").arg(level);
}

QVariant TasksModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const TaskEntry* task = entry(index);
    if (!task) {
        const auto [improved, all] = gains(index);
        switch (role) {
        case Qt::DisplayRole: return levelName(m_levels[index.row()].level);
        case Qt::ToolTipRole:
        case Qt::AccessibleTextRole:
            return tr("%1: %2 of %3 tasks improved")
                       .arg(levelName(m_levels[index.row()].level))
                       .arg(improved)
                       .arg(all) +
                   otherGains(index);
        default: return {};
        }
    }
    const store::TaskRow& row = task->row;
    const QString id = task->level > 0 ? QString::fromStdString(task->id.value) : tr("file");
    switch (role) {
    case Qt::DisplayRole: return task->level > 0 ? id + u' ' + task->name : task->name;
    case CopyRole:
        return QStringLiteral("%1\t%2\t%3\t%4\t%5")
            .arg(id, task->name, stateStyle(row).word, row.best.valid() ? speedupText(row.best) : QString(),
                 isHeldOut(*task) ? tr("held out") : tr("train"));
    case Qt::AccessibleTextRole:
        return tr("%1 %2, %3%4")
            .arg(id, task->name, stateStyle(row).word,
                 row.best.valid()
                     ? (optimize::referenceIsBest(row.best) ? tr(", the reference is best")
                                                            : tr(", best %1").arg(speedupPhrase(row.best, row.marks)))
                     : QString());
    case Qt::ToolTipRole: {
        QString text = QStringLiteral("%1 · %2").arg(QString::fromStdString(task->id.value), task->name);
        text += u'\n' + stateStyle(row).word +
                (row.variants > 0 ? QStringLiteral(" · ") + counted(row.variants, tr("variant"), tr("variants"))
                                  : QString());
        if (row.best.valid())
            text += (optimize::referenceIsBest(row.best) ? tr("\nthe reference is best, fastest variant %1")
                                                         : tr("\nbest %1"))
                        .arg(speedupSentence(row.best, row.marks));
        if (row.best.valid() && !row.marks.empty())
            text += u'\n' + marksNote(row.marks);
        if (isHeldOut(*task))
            text += tr("\nheld out: policies are tested on it and do not learn from it");
        return text;
    }
    default: return {};
    }
}

QVariant TasksModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section != 0)
        return {};
    if (role == CopyRole)
        return tr("Id\tName\tState\tBest\tSplit");
    return role == Qt::DisplayRole ? QVariant(tr("Task")) : QVariant();
}

} // namespace cudal1::ui
