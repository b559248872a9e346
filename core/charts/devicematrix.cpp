// SPDX-License-Identifier: GPL-3.0-or-later
// Level by GPU: what the same project comes to on each device that judged it.
#include "core/charts/builders.h"

#include "core/base/statistics.h"
#include "core/protocol/marks.h"

#include <algorithm>
#include <cmath>

namespace cudal1::charts {

namespace {

struct Best {
    int judged = 0, correct = 0;
    base::Interval wall;
    std::string marks;
};

/// The ink is full at a factor of four.
double strengthOf(double speedup)
{
    return std::clamp(std::abs(std::log(speedup)) / std::log(4.0), 0.1, 0.8);
}

using BestByTask = std::map<base::TaskId, Best>;

/// Tasks with a row of their own in the matrix.
struct Line {
    QString name;
    std::vector<const store::TaskRow*> tasks;
};

std::map<std::string, BestByTask> bestByDevice(const Numbers& numbers)
{
    std::map<std::string, BestByTask> found;
    for (const store::ResultGroup& group : numbers.groups) {
        Best& best = found[group.deviceModel][group.task];
        best.judged += group.judged;
        best.correct += group.correct;
        if (protocol::isBetter(group.wall, group.marks, best.wall, best.marks)) {
            best.wall = group.wall;
            best.marks = group.marks;
        }
    }
    return found;
}

/// One line for each level with a task that some device judged; behind several a line for all of them.
std::vector<Line> linesOf(const Numbers& numbers, const std::map<std::string, BestByTask>& found)
{
    std::map<int, Line> levels;
    Line all{QStringLiteral("all"), {}};
    for (const store::TaskRow& row : numbers.tasks)
        if (std::any_of(found.begin(), found.end(),
                        [&row](const auto& device) { return device.second.contains(row.id); })) {
            Line& level = levels[orderOf(row.level)];
            level.name = levelName(row.level);
            level.tasks.push_back(&row);
            all.tasks.push_back(&row);
        }
    std::vector<Line> lines;
    lines.reserve(levels.size() + 1);
    for (auto& [order, line] : levels)
        lines.push_back(std::move(line));
    if (lines.size() > 1)
        lines.push_back(std::move(all));
    return lines;
}

/// What the tasks of a line came to on a device.
struct Cell {
    std::vector<base::TaskId> tasks; ///< that the device judged
    std::vector<double> values;
    int correct = 0;
};

Cell cellOf(const Line& line, const BestByTask& bests, Failures rule)
{
    Cell cell;
    for (const store::TaskRow* row : line.tasks) {
        const auto best = bests.find(row->id);
        if (best == bests.end())
            continue;
        cell.tasks.push_back(row->id);
        cell.correct += best->second.correct > 0;
        const base::Interval& wall = best->second.wall;
        if (wall.valid() || rule == Failures::One)
            cell.values.push_back(protocol::countedInMeans(wall, protocol::isQuestioned(best->second.marks)).estimate);
        else if (rule == Failures::Zero)
            cell.values.push_back(0);
    }
    return cell;
}

/// Adds the cell to the table of numbers; gives what is drawn of it, but for its place.
Point addCell(Chart& chart, const Option& device, const QString& line, Cell cell)
{
    const bool anyZero = std::find(cell.values.begin(), cell.values.end(), 0.0) != cell.values.end();
    const double mean = anyZero ? 0 : base::geometricMean(cell.values);
    const double median = base::median(cell.values);
    const double most = cell.values.empty() ? 0 : *std::max_element(cell.values.begin(), cell.values.end());
    const QString meanText = anyZero ? QStringLiteral("0") : speedupText(mean);
    const auto number = [&cell](double value) { return cell.values.empty() ? ChartCell() : ChartCell(value); };
    chart.table.rows.push_back({device.name, line, double(cell.tasks.size()), double(cell.correct), number(mean),
                                number(median), number(most)});
    Point point;
    point.text = QStringLiteral("%1\n%2 of %3 correct").arg(meanText).arg(cell.correct).arg(cell.tasks.size());
    point.ink = mean > store::TaskRow::leastGain                 ? Ink::Gain
              : mean > 0 && mean < 1 / store::TaskRow::leastGain ? Ink::Loss
                                                                 : Ink::Reference;
    point.strength = mean > 0 ? strengthOf(mean) : 0.1;
    Mark mark;
    mark.key = "device:" + device.id + ":" + line.toStdString();
    mark.chip = QStringLiteral("%1 on %2").arg(line, device.name);
    mark.deviceModel = device.id;
    mark.hover = QStringLiteral("%1: geometric mean %2\nmedian %3, max %4; %5 of %6 correct")
                     .arg(mark.chip, meanText, speedupText(median), speedupText(most))
                     .arg(cell.correct)
                     .arg(counted(qsizetype(cell.tasks.size()), "task", "tasks"));
    mark.tasks = std::move(cell.tasks);
    point.mark = chart.add(std::move(mark));
    return point;
}

} // namespace

Chart deviceMatrix(const Numbers& numbers, Failures rule)
{
    Chart chart;
    chart.kind = "devices";
    chart.title = QStringLiteral("Level by device");
    const std::vector<Option> models = devices(numbers);
    std::map<std::string, BestByTask> found = bestByDevice(numbers);
    if (found.empty()) {
        chart.empty = QStringLiteral("No variant was judged yet");
        return chart;
    }
    if (models.size() > 1) // first, since the end of a note is cut where there is little room
        chart.note = QStringLiteral("Devices may have judged different tasks: see the cells. ");
    chart.note += QStringLiteral("Geometric mean of each task's best speed-up on the device. ") + ruleText(rule);
    chart.table.columns = {{QStringLiteral("device"), false},
                           {QStringLiteral("level"), false},
                           {QStringLiteral("tasks")},
                           {QStringLiteral("correct")},
                           {QStringLiteral("geometric mean")},
                           {QStringLiteral("median")},
                           {QStringLiteral("max")}};
    const std::vector<Line> lines = linesOf(numbers, found);
    Series cells{{}, Series::Look::Cells, Ink::Reference, 0, false, -1, {}};
    for (std::size_t column = 0; column < models.size(); ++column) {
        chart.x.words << models[column].name;
        for (std::size_t line = 0; line < lines.size(); ++line) {
            Cell cell = cellOf(lines[line], found[models[column].id], rule);
            if (cell.tasks.empty())
                continue;
            Point point = addCell(chart, models[column], lines[line].name, std::move(cell));
            point.x = double(column);
            point.x2 = double(column) + 1;
            point.y = double(line);
            point.y2 = double(line) + 1;
            cells.points.push_back(std::move(point));
        }
    }
    for (const Line& line : lines)
        chart.y.words << line.name;
    chart.x.scale = chart.y.scale = AxisScale::Words;
    chart.x.high = double(chart.x.words.size());
    chart.y.high = double(chart.y.words.size());
    chart.series.push_back(std::move(cells));
    return chart;
}

} // namespace cudal1::charts
