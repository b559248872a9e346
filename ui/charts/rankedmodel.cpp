// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the ranked list.
#include "ui/charts/rankedmodel.h"

#include "core/report/summary.h"
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/tasks/tasksmodel.h"
#include "ui/variants/texts.h"

namespace cudal1::ui {

RankedModel::RankedModel(QObject* parent) : QAbstractTableModel(parent)
{
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        if (!m_rows.empty())
            emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1), {Qt::DecorationRole, Qt::ForegroundRole, Qt::FontRole});
    });
}

void RankedModel::setTasks(std::shared_ptr<const TaskList> tasks)
{
    std::vector<const TaskEntry*> rows;
    SpeedupAxis axis;
    for (const TaskEntry& task : *tasks) {
        if (!report::isTried(task.row))
            continue;
        rows.push_back(&task);
        axis.include(task.row.best);
    }
    const bool same = std::equal(rows.begin(), rows.end(), m_rows.begin(), m_rows.end(),
                                 [](const TaskEntry* a, const TaskEntry* b) { return a->id == b->id; });
    if (!same)
        beginResetModel();
    m_tasks = std::move(tasks);
    m_rows = std::move(rows);
    m_axis = axis;
    if (!same)
        endResetModel();
    else if (!m_rows.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

int RankedModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int RankedModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant RankedModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const TaskEntry& task = *m_rows[index.row()];
    const base::Interval& best = task.row.best;
    const Theme& theme = Theme::instance();
    switch (role) {
    case Qt::DisplayRole:
    case CopyRole:
    case Qt::AccessibleTextRole:
        if (index.column() == Task)
            return task.level > 0 ? QStringLiteral("%1  %2").arg(QString::fromStdString(task.id.value), task.name) : task.name;
        if (index.column() == Best)
            return best.valid() ? speedupSentence(best, task.row.marks) : stateWord(task.row.state);
        return task.row.variants;
    case Qt::ToolTipRole:
        return tr("%1 %2: %3").arg(QString::fromStdString(task.id.value), task.name, stateWord(task.row.state))
            + (best.valid() && !task.row.marks.empty() ? u'\n' + marksNote(task.row.marks) : QString());
    case Qt::DecorationRole:
        if (index.column() == Task)
            return theme.icon(stateIcon(task.row.state), stateRole(task.row.state));
        return {};
    case SortRole:
        if (index.column() == Task)
            return task.level * 100'000 + task.number;
        // By what is certain, as the best variant was chosen.
        return index.column() == Best ? QVariant(best.valid() ? best.low : -1.0) : QVariant(task.row.variants);
    case Qt::FontRole:
        return index.column() == Variants ? QVariant(theme.monoFont()) : QVariant();
    case Qt::TextAlignmentRole:
        return int((index.column() == Variants ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    default:
        return {};
    }
}

QVariant RankedModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == Variants ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section == Best)
        return tr("Of the best correct variant, by the wall clock, with its 95 % interval. Sorted by the lower end of the interval, which is "
                  "what is certain, so a larger number may stand further down");
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Task:
        return tr("Task");
    case Best:
        return tr("Best speed-up");
    default:
        return tr("Variants");
    }
}

} // namespace cudal1::ui
