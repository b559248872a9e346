// SPDX-License-Identifier: GPL-3.0-or-later
// Cells, means and tool tips of the table of baselines.
#include "ui/charts/baselinesmodel.h"

#include "core/base/statistics.h"
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/variants/badge.h"
#include "ui/variants/texts.h"

#include <algorithm>
#include <map>

namespace cudal1::ui {

namespace {

QString nameOf(const baselines::BaselineKind& kind)
{
    return QString::fromUtf8(kind.name);
}

bool isTimed(const std::optional<store::EvaluationSummary>& cell)
{
    return cell && cell->verdict == protocol::Verdict::Correct && cell->wall.valid();
}

} // namespace

BaselinesModel::BaselinesModel(QObject* parent) : TableModel({{tr("Task")}}, parent) {}

/// `speedups` of what was correct and timed.
TableModel::Column BaselinesModel::columnOf(const baselines::BaselineKind& kind, const std::vector<double>& speedups)
{
    const QString name = nameOf(kind);
    const QString mean = speedups.empty() ? QString(QChar(0x2013)) : speedupText(base::geometricMean(speedups));
    QString title = name; // a mode of a compiler stands in a line of its own
    title.replace(QStringLiteral(", "), QStringLiteral(",\n"));
    return {title + u'\n' + mean,
            tr("%1: geometric mean %2 over eager, of %3")
                .arg(name, mean, counted(int(speedups.size()), tr("task"), tr("tasks"))),
            Qt::AlignRight, name};
}

void BaselinesModel::setRows(const TaskList& tasks, const std::vector<store::VariantRow>& rows)
{
    std::map<base::TaskId, std::map<std::string, store::EvaluationSummary>> found;
    for (const store::VariantRow& row : rows)
        if (!row.stale && row.evaluation)
            found[row.task][row.baseline] = *row.evaluation;

    std::vector<const baselines::BaselineKind*> kinds;
    std::vector<Line> lines;
    m_devices.clear();
    for (const baselines::BaselineKind& kind : baselines::kinds()) {
        const auto has = [&kind](const auto& task) { return task.second.contains(std::string(kind.id)); };
        if (std::any_of(found.begin(), found.end(), has))
            kinds.push_back(&kind);
    }
    for (std::size_t place = 0; place < tasks.size(); ++place) {
        const auto of = found.find(tasks[place].id);
        if (of == found.end())
            continue;
        Line line{tasks[place].id, tasks[place].name, int(place), {}};
        if (tasks[place].level > 0)
            line.name.prepend(QString::fromStdString(line.task.value) + QStringLiteral("  "));
        for (const baselines::BaselineKind* kind : kinds) {
            const auto cell = of->second.find(std::string(kind->id));
            line.cells.push_back(cell == of->second.end() ? Cell() : Cell(cell->second));
            if (cell == of->second.end())
                continue;
            if (const QString device = QString::fromStdString(cell->second.deviceModel);
                !device.isEmpty() && !m_devices.contains(device))
                m_devices << device;
        }
        lines.push_back(std::move(line));
    }
    std::vector<Column> columns{{tr("Task")}};
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        std::vector<double> speedups;
        for (const Line& line : lines)
            if (isTimed(line.cells[i]))
                speedups.push_back(line.cells[i]->wall.estimate);
        columns.push_back(columnOf(*kinds[i], speedups));
    }
    // What is scrolled to and selected stays while a run adds its numbers.
    const bool same = kinds == m_kinds && std::equal(lines.begin(), lines.end(), m_lines.begin(), m_lines.end(),
                                                     [](const Line& a, const Line& b) { return a.task == b.task; });
    if (!same)
        beginResetModel();
    m_kinds = std::move(kinds);
    m_lines = std::move(lines);
    setColumns(std::move(columns));
    if (!same)
        return endResetModel();
    cellsChanged();
    emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
}

int BaselinesModel::rows() const
{
    return int(m_lines.size());
}

QVariant BaselinesModel::nameCell(const Line& line, int role)
{
    switch (role) {
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole:
    case CopyRole: return line.name;
    case Qt::ToolTipRole: return tr("%1: double-click to open the task").arg(line.name);
    case SortRole: return line.place;
    default: return {};
    }
}

QVariant BaselinesModel::cell(int row, int column, int role) const
{
    const Line& line = m_lines[std::size_t(row)];
    if (column == 0)
        return nameCell(line, role);
    const Theme& theme = Theme::instance();
    const Cell& cell = line.cells[std::size_t(column - 1)];
    const QString kind = nameOf(*m_kinds[std::size_t(column - 1)]);
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
    case Qt::DisplayRole: return correct ? speedupPhrase(cell->wall) : verdictStyle(cell->verdict).word;
    case CopyRole: return correct ? speedupSentence(cell->wall, cell->marks) : verdictStyle(cell->verdict).word;
    case Qt::AccessibleTextRole:
    case Qt::ToolTipRole: {
        const QString found = correct ? speedupSentence(cell->wall, cell->marks)
                                      : QStringLiteral("%1. %2").arg(verdictStyle(cell->verdict).word,
                                                                     QString::fromStdString(cell->firstReason));
        return tr("%1: %2\non %3").arg(kind, found, QString::fromStdString(cell->deviceModel)) +
               (correct && !cell->marks.empty() ? u'\n' + marksNote(cell->marks) : QString());
    }
    case Qt::ForegroundRole:
        return theme.color(correct ? speedupRole(cell->wall, cell->marks) : verdictStyle(cell->verdict).role);
    case MarkedRole: return correct && !cell->marks.empty() ? qlonglong(cell->variant.value) : 0;
    case BadgeRole: return correct ? marksBadge(cell->marks) : QString();
    case Qt::FontRole: return correct ? theme.monoFont() : theme.textFont();
    case SortRole: return isTimed(cell) ? cell->wall.estimate : -1.0;
    default: return {};
    }
}

} // namespace cudal1::ui
