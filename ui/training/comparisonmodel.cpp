// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of the table of policies.
#include "ui/training/comparisonmodel.h"

#include "core/base/percenttext.h"
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"

#include <QDir>
#include <QFileInfo>

namespace cudal1::ui {

using learning::ComparedPolicy;

namespace {

QString percent(double share)
{
    return QString::fromStdString(base::percentText(share));
}

QString range(const base::Interval& interval)
{
    return QString::fromStdString(base::percentRangeText(interval));
}

} // namespace

ComparisonModel::ComparisonModel(QObject* parent)
    : TableModel(
          {{tr("Policy"), tr("A checkpoint, or who else was asked")},
           {tr("Tasks"), tr("That no training here learns from, and that it was asked about"), Qt::AlignRight},
           {tr("Replies"), tr("Without repairs"), Qt::AlignRight},
           {tr("Correct replies"), tr("Share of correct replies, the mean over tasks"), Qt::AlignRight},
           {tr("95 %"), tr("Interval by Wilson's formula; a task counts as one observation"), Qt::AlignRight,
            tr("Correct replies, 95 %")},
           {tr("Faster tasks"),
            tr("Share of tasks with a correct reply that is more than 1 % faster than the reference"), Qt::AlignRight},
           {tr("95 %"), tr("Interval by Wilson's formula"), Qt::AlignRight, tr("Faster tasks, 95 %")},
           {tr("Reward"), tr("Mean of the replies that have one"), Qt::AlignRight},
           {tr("Exploits"), tr("Replies with that verdict; they earn nothing"), Qt::AlignRight}},
          parent)
{
}

void ComparisonModel::setView(std::shared_ptr<const TrainingsView> view)
{
    beginResetModel();
    m_view = std::move(view);
    endResetModel();
}

/// A checkpoint of a training that is shown goes by that training's name.
QString ComparisonModel::nameOf(const ComparedPolicy& row) const
{
    // A training that was handed on names its checkpoints from the project's folder.
    const QFileInfo version(QFileInfo(m_view->groupsProject).dir(), QString::fromStdString(row.version));
    for (const TrainingEntry& entry : m_view->all)
        if (!row.version.empty() && version.dir().canonicalPath() == entry.folder)
            return QStringLiteral("%1 / %2").arg(entry.name.section(QLatin1Char('/'), -1), version.fileName());
    return QString::fromStdString(row.policy);
}

QString ComparisonModel::text(const ComparedPolicy& row, int column) const
{
    switch (column) {
    case Policy: return nameOf(row);
    case Tasks: return QString::number(row.tasks);
    case Replies: return QString::number(row.replies);
    case Success: return percent(row.success.estimate);
    case SuccessInterval: return range(row.success);
    case Gained: return percent(row.gained.estimate);
    case GainedInterval: return range(row.gained);
    case Reward: return QString::number(row.reward, 'f', 2);
    case Exploits: return QString::number(row.exploits);
    default: return {};
    }
}

QVariant ComparisonModel::sortKey(const ComparedPolicy& row, int column) const
{
    switch (column) {
    case Tasks: return row.tasks;
    case Replies: return row.replies;
    case Success: return row.success.estimate;
    case SuccessInterval: return row.success.low;
    case Gained: return row.gained.estimate;
    case GainedInterval: return row.gained.low;
    case Reward: return row.reward;
    case Exploits: return row.exploits;
    default: return text(row, column);
    }
}

QVariant ComparisonModel::cell(int row, int column, int role) const
{
    const ComparedPolicy& one = m_view->compared[std::size_t(row)];
    switch (role) {
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole:
    case CopyRole: return text(one, column);
    case Qt::ToolTipRole:
        return column == Policy
                 ? QString::fromStdString(one.version.empty() ? one.policy : one.policy + "\n" + one.version)
                 : text(one, column);
    case SortRole: return sortKey(one, column);
    case Qt::FontRole: return isRight(column) ? QVariant(Theme::instance().monoFont()) : QVariant();
    default: return {};
    }
}

} // namespace cudal1::ui
