// SPDX-License-Identifier: GPL-3.0-or-later
// Cells, means and tool tips of the table of baselines.
#include "ui/charts/baselinesmodel.h"

#include "core/base/statistics.h"
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/variants/texts.h"

#include <algorithm>
#include <map>

namespace cudal1::ui {

namespace {

QString nameOf(const baselines::Kind& kind)
{
    return QString::fromUtf8(kind.name.data(), qsizetype(kind.name.size()));
}

bool isTimed(const std::optional<store::EvaluationSummary>& cell)
{
    return cell && cell->verdict == protocol::Verdict::Correct && cell->wall.valid();
}

} // namespace

BaselinesModel::BaselinesModel(QObject* parent) : QAbstractTableModel(parent)
{
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        if (!m_lines.empty())
            emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1), {Qt::ForegroundRole, Qt::FontRole});
    });
}

void BaselinesModel::setRows(const TaskList& tasks, const std::vector<store::VariantRow>& rows)
{
    std::map<base::TaskId, std::map<std::string, store::EvaluationSummary>> found;
    for (const store::VariantRow& row : rows)
        if (!row.stale && row.evaluation)
            found[row.task][row.baseline] = *row.evaluation;

    std::vector<Column> columns;
    std::vector<Line> lines;
    m_devices.clear();
    for (const baselines::Kind& kind : baselines::kinds()) {
        const auto has = [&kind](const auto& task) { return task.second.contains(std::string(kind.id)); };
        if (std::any_of(found.begin(), found.end(), has))
            columns.push_back({&kind, 0, 0});
    }
    for (std::size_t place = 0; place < tasks.size(); ++place) {
        const auto of = found.find(tasks[place].id);
        if (of == found.end())
            continue;
        Line line{tasks[place].id, tasks[place].name, int(place), {}};
        if (tasks[place].level > 0)
            line.name.prepend(QString::fromStdString(line.task.value) + QStringLiteral("  "));
        for (const Column& column : columns) {
            const auto cell = of->second.find(std::string(column.kind->id));
            line.cells.push_back(cell == of->second.end() ? Cell() : Cell(cell->second));
            if (cell == of->second.end())
                continue;
            if (const QString device = QString::fromStdString(cell->second.deviceModel); !device.isEmpty() && !m_devices.contains(device))
                m_devices << device;
        }
        lines.push_back(std::move(line));
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
        std::vector<double> speedups;
        for (const Line& line : lines)
            if (isTimed(line.cells[i]))
                speedups.push_back(line.cells[i]->wall.estimate);
        columns[i].timed = int(speedups.size());
        columns[i].mean = speedups.empty() ? 0 : base::geometricMean(speedups);
    }
    // What is scrolled to and selected stays while a run adds its numbers.
    const bool same = std::equal(columns.begin(), columns.end(), m_kinds.begin(), m_kinds.end(), [](const Column& a, const Column& b) { return a.kind == b.kind; })
        && std::equal(lines.begin(), lines.end(), m_lines.begin(), m_lines.end(), [](const Line& a, const Line& b) { return a.task == b.task; });
    if (!same)
        beginResetModel();
    m_kinds = std::move(columns);
    m_lines = std::move(lines);
    if (!same)
        return endResetModel();
    if (m_lines.empty())
        return;
    emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
}

int BaselinesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_lines.size());
}

int BaselinesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : 1 + kinds();
}

QVariant BaselinesModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const Line& line = m_lines[std::size_t(index.row())];
    const Theme& theme = Theme::instance();
    if (index.column() == 0) {
        switch (role) {
        case Qt::DisplayRole:
        case Qt::AccessibleTextRole:
        case CopyRole: return line.name;
        case Qt::ToolTipRole: return tr("%1: double-click to open the task").arg(line.name);
        case SortRole: return line.place;
        default: return {};
        }
    }
    const Cell& cell = line.cells[std::size_t(index.column() - 1)];
    const QString kind = nameOf(*m_kinds[std::size_t(index.column() - 1)].kind);
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (!cell) {
        switch (role) {
        case Qt::DisplayRole: return QString(QChar(0x2013));
        case Qt::ToolTipRole:
        case Qt::AccessibleTextRole: return tr("%1: not measured").arg(kind);
        case Qt::ForegroundRole: return theme.color(Role::Muted);
        case SortRole: return -2.0;
        default: return {};
        }
    }
    const bool correct = cell->verdict == protocol::Verdict::Correct;
    switch (role) {
    case Qt::DisplayRole:
        return correct ? speedupPhrase(cell->wall, cell->marks) : verdictStyle(cell->verdict).word;
    case CopyRole:
        return correct ? speedupSentence(cell->wall, cell->marks) : verdictStyle(cell->verdict).word;
    case Qt::AccessibleTextRole:
    case Qt::ToolTipRole: {
        const QString found = correct ? speedupSentence(cell->wall, cell->marks) : QStringLiteral("%1. %2").arg(verdictStyle(cell->verdict).word, QString::fromStdString(cell->firstReason));
        return tr("%1: %2\non %3").arg(kind, found, QString::fromStdString(cell->deviceModel));
    }
    case Qt::ForegroundRole:
        return theme.color(correct ? speedupRole(cell->wall) : verdictStyle(cell->verdict).role);
    case Qt::FontRole:
        return correct ? theme.monoFont() : theme.textFont();
    case SortRole:
        return isTimed(cell) ? cell->wall.estimate : -1.0;
    default:
        return {};
    }
}

QVariant BaselinesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (section == 0)
        return role == Qt::DisplayRole || role == CopyRole ? QVariant(tr("Task")) : QVariant();
    const Column& column = m_kinds[std::size_t(section - 1)];
    const QString mean = column.timed > 0 ? speedupText(column.mean) : QString(QChar(0x2013));
    switch (role) {
    case Qt::DisplayRole: // a mode of a compiler stands in a line of its own
        return nameOf(*column.kind).replace(QStringLiteral(", "), QStringLiteral(",\n")) + u'\n' + mean;
    case CopyRole:
        return nameOf(*column.kind);
    case Qt::ToolTipRole:
        return tr("%1: geometric mean %2 over eager, of %3").arg(nameOf(*column.kind), mean, counted(column.timed, tr("task"), tr("tasks")));
    default:
        return {};
    }
}

} // namespace cudal1::ui
