// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the percentile table.
#include "ui/charts/percentilesmodel.h"

#include "core/base/statistics.h"
#include "ui/shell/theme.h"
#include "ui/variants/texts.h"

#include <limits>
#include <map>

namespace cudal1::ui {

namespace {

/// The quantile of a column; none for the other columns.
std::optional<double> quantileOf(int column)
{
    switch (column) {
    case PercentilesModel::P10: return 0.10;
    case PercentilesModel::P25: return 0.25;
    case PercentilesModel::P50: return 0.50;
    case PercentilesModel::P75: return 0.75;
    case PercentilesModel::P90: return 0.90;
    case PercentilesModel::Best: return 1.0;
    default: return {};
    }
}

} // namespace

PercentilesModel::PercentilesModel(QObject* parent) : QAbstractTableModel(parent)
{
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        if (!m_rows.empty())
            emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1), {Qt::ForegroundRole, Qt::FontRole});
    });
}

void PercentilesModel::setTasks(const TaskList& tasks)
{
    std::map<int, std::vector<store::TaskRow>> levels;
    std::vector<store::TaskRow> every;
    for (const TaskEntry& task : tasks) {
        // Single files are of no level and come last.
        levels[task.level > 0 ? task.level : std::numeric_limits<int>::max()].push_back(task.row);
        every.push_back(task.row);
    }
    beginResetModel();
    m_all = report::summarise(every);
    m_rows.clear();
    if (m_all.tried > 0)
        m_rows.push_back({{}, m_all});
    for (const auto& [level, rows] : levels)
        if (report::Summary summary = report::summarise(rows); summary.tried > 0)
            m_rows.push_back({level == std::numeric_limits<int>::max() ? 0 : level, std::move(summary)});
    endResetModel();
}

int PercentilesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int PercentilesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString PercentilesModel::text(const Row& row, int column) const
{
    switch (column) {
    case Level:
        return !row.level ? tr("All") : *row.level == 0 ? tr("Files") : tr("Level %1").arg(*row.level);
    case Gain:
        return tr("%1 / %2").arg(row.summary.improved).arg(row.summary.tried);
    default:
        return speedupText(base::quantile(row.summary.all, *quantileOf(column)));
    }
}

QVariant PercentilesModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const Row& row = m_rows[std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case Qt::TextAlignmentRole:
        return int((index.column() == Level ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::FontRole: {
        QFont font = index.column() == Level ? Theme::instance().textFont() : Theme::instance().monoFont();
        if (!row.level)
            font.setWeight(QFont::DemiBold);
        return font;
    }
    case Qt::ForegroundRole:
        return index.column() == Gain ? QVariant(Theme::instance().color(Role::Muted)) : QVariant();
    case Qt::ToolTipRole:
        return row.level ? tr("Click to show only these tasks in the list") : tr("All tried tasks");
    default:
        return {};
    }
}

QVariant PercentilesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == Level ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole)
        return section == Level ? QVariant()
            : section == Gain ? QVariant(tr("Tasks with a true gain, of those that were tried"))
                              : QVariant(tr("Of the best speed-ups by the wall clock; a task without a correct variant counts as 1×"));
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Level: return tr("Level");
    case Gain: return tr("Gain");
    case Best: return tr("Best");
    default: return tr("%1 %").arg(int(100 * *quantileOf(section) + 0.5));
    }
}

} // namespace cudal1::ui
