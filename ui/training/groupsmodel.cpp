// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of the table of groups.
#include "ui/training/groupsmodel.h"

#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/samples/samplesmodel.h"

namespace cudal1::ui {

GroupsModel::GroupsModel(QObject* parent)
    : TableModel({{tr("Step"), tr("The batch that the prompt was asked in"), Qt::AlignRight},
                  {tr("Task")},
                  {tr("Replies"), tr("To one and the same prompt"), Qt::AlignRight},
                  {tr("Correct"), {}, Qt::AlignRight},
                  {tr("Reward"), tr("Mean of the replies that have one"), Qt::AlignRight},
                  {tr("Spread"), tr("Standard deviation of the rewards; a group without any is left out of the update"),
                   Qt::AlignRight},
                  {tr("Exemplars"), tr("Programs that stood in the prompt"), Qt::AlignRight}},
                 parent)
{
}

void GroupsModel::setView(std::shared_ptr<const TrainingsView> view)
{
    beginResetModel();
    m_view = std::move(view);
    endResetModel();
}

const TrainingGroup* GroupsModel::group(int row) const
{
    return row < 0 || row >= rows() ? nullptr : &m_view->groups[std::size_t(row)];
}

QString GroupsModel::text(const TrainingGroup& group, int column) const
{
    switch (column) {
    case Step: return QString::number(group.batch + 1);
    case Task: { // of a single file its name; the tool tip has the path
        const QString id = QString::fromStdString(group.task.value);
        return id.endsWith(QLatin1String(".py")) ? id.section(QLatin1Char('/'), -1) : id;
    }
    case Replies: return QString::number(group.replies.size());
    case Correct: return QString::number(group.correct());
    case Reward: return rewardText(group.meanReward());
    case Spread: return rewardText(group.deviation());
    case Exemplars: return QString::number(group.shown);
    default: return {};
    }
}

QVariant GroupsModel::sortKey(const TrainingGroup& group, int column) const
{
    switch (column) {
    case Step: return group.batch;
    case Replies: return int(group.replies.size());
    case Correct: return group.correct();
    case Reward: return group.meanReward().value_or(-1);
    case Spread: return group.deviation().value_or(-1);
    case Exemplars: return group.shown;
    default: return text(group, column);
    }
}

QVariant GroupsModel::cell(int row, int column, int role) const
{
    const TrainingGroup& one = m_view->groups[std::size_t(row)];
    switch (role) {
    case Qt::ToolTipRole: return column == Task ? QString::fromStdString(one.task.value) : text(one, column);
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole:
    case CopyRole: return text(one, column);
    case SortRole: return sortKey(one, column);
    case Qt::FontRole: return isRight(column) ? QVariant(Theme::instance().monoFont()) : QVariant();
    default: return {};
    }
}

} // namespace cudal1::ui
