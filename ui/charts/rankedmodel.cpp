// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the ranked list.
#include "ui/charts/rankedmodel.h"

#include "core/charts/projectsummary.h"
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/tasks/tasksmodel.h"
#include "ui/variants/texts.h"

namespace cudal1::ui {

RankedModel::RankedModel(QObject* parent) : TableModel(columnsFor(true), parent) {}

std::vector<TableModel::Column> RankedModel::columnsFor(bool wide)
{
    return {{tr("Task")},
            {wide ? tr("Best, by the interval's lower end") : tr("Best, by lower end"),
             tr("Speed-up of the best correct variant, by the wall clock, with its 95 % interval. Sorted by the lower "
                "end of the interval, which is what is certain: 37× with 36–40 comes before 38× with 35–41"),
             Qt::AlignLeft, tr("Best speed-up")},
            {tr("Variants"), {}, Qt::AlignRight}};
}

void RankedModel::setWide(bool wide)
{
    if (wide == m_wide)
        return;
    m_wide = wide;
    setColumns(columnsFor(wide));
    emit headerDataChanged(Qt::Horizontal, Best, Best);
}

void RankedModel::setTasks(std::shared_ptr<const TaskList> tasks)
{
    std::vector<const TaskEntry*> rows;
    SpeedupAxis axis;
    for (const TaskEntry& task : *tasks) {
        if (!charts::isTried(task.row))
            continue;
        rows.push_back(&task);
        axis.include(task.row.best, marksBadge(task.row.marks));
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
    else
        cellsChanged();
}

int RankedModel::rows() const
{
    return int(m_rows.size());
}

QVariant RankedModel::cell(int row, int column, int role) const
{
    const TaskEntry& task = at(row);
    const base::Interval& best = task.row.best;
    const Theme& theme = Theme::instance();
    switch (role) {
    case Qt::DisplayRole:
    case CopyRole:
    case Qt::AccessibleTextRole:
        if (column == Task)
            return task.level > 0 ? QStringLiteral("%1  %2").arg(QString::fromStdString(task.id.value), task.name)
                                  : task.name;
        if (column == Best)
            return best.valid() ? speedupSentence(best, task.row.marks) : stateStyle(task.row).word;
        return task.row.variants;
    case Qt::ToolTipRole:
        return tr("%1 %2: %3").arg(QString::fromStdString(task.id.value), task.name, stateStyle(task.row).word) +
               (best.valid() ? QStringLiteral(", ") + speedupSentence(best) : QString()) +
               (best.valid() && !task.row.marks.empty() ? u'\n' + marksNote(task.row.marks) : QString());
    case Qt::DecorationRole:
        if (column == Task) {
            const StateStyle style = stateStyle(task.row);
            return theme.icon(style.icon, style.role);
        }
        return {};
    case SortRole:
        if (column == Task)
            return task.level * 100'000 + task.number;
        // By what is certain, as the best variant was chosen.
        return column == Best ? QVariant(best.valid() ? best.low : -1.0) : QVariant(task.row.variants);
    case Qt::FontRole: return column == Variants ? QVariant(theme.monoFont()) : QVariant();
    default: return {};
    }
}

} // namespace cudal1::ui
