// SPDX-License-Identifier: GPL-3.0-or-later
// Level by GPU: what the same project comes to on each device that judged it.
#include "core/charts/builders.h"

#include "core/base/statistics.h"

#include <algorithm>
#include <cmath>

namespace cudal1::charts {

namespace {

struct Best {
    int judged = 0, correct = 0;
    base::Interval wall;
};

/// The ink is full at a factor of four.
double strengthOf(double speedup)
{
    return std::clamp(std::abs(std::log(speedup)) / std::log(4.0), 0.1, 0.8);
}

} // namespace

Chart deviceMatrix(const Numbers& numbers, Failures rule)
{
    Chart chart;
    chart.kind = "devices";
    chart.title = QStringLiteral("Level by device");
    const std::vector<Option> models = devices(numbers);
    std::map<std::string, std::map<base::TaskId, Best>> found;
    for (const store::ResultGroup& group : numbers.groups) {
        Best& best = found[group.deviceModel][group.task];
        best.judged += group.judged;
        best.correct += group.correct;
        if (group.wall.low > best.wall.low)
            best.wall = group.wall;
    }
    if (found.empty()) {
        chart.empty = QStringLiteral("No variant was judged yet");
        return chart;
    }
    chart.note =
        QStringLiteral(
            "Geometric mean of the best speed-up of each task that was judged on the device; without a correct variant there it is %1.")
            .arg(ruleName(rule));
    if (models.size() > 1)
        chart.note += QStringLiteral(" Devices may have judged different tasks: see the numbers in the cells.");
    chart.table.columns = {{QStringLiteral("device"), false},
                           {QStringLiteral("level"), false},
                           {QStringLiteral("tasks")},
                           {QStringLiteral("correct")},
                           {QStringLiteral("geometric mean")},
                           {QStringLiteral("median")},
                           {QStringLiteral("max")}};
    std::map<int, std::vector<const store::TaskRow*>> levels;
    std::vector<const store::TaskRow*> all;
    for (const store::TaskRow& row : numbers.tasks)
        if (std::any_of(found.begin(), found.end(),
                        [&row](const auto& device) { return device.second.contains(row.id); })) {
            levels[orderOf(row.level)].push_back(&row);
            all.push_back(&row);
        }
    std::vector<std::pair<QString, std::vector<const store::TaskRow*>>> lines;
    for (const auto& [order, rows] : levels)
        lines.emplace_back(levelName(rows.front()->level), rows);
    if (lines.size() > 1)
        lines.emplace_back(QStringLiteral("all"), all);
    Series cells{{}, Series::Look::Cells, Ink::Reference, 0, false, -1, {}};
    for (std::size_t column = 0; column < models.size(); ++column) {
        const std::map<base::TaskId, Best>& of = found[models[column].id];
        chart.x.words << models[column].name;
        for (std::size_t line = 0; line < lines.size(); ++line) {
            const auto& [name, rows] = lines[line];
            Mark mark;
            mark.key = "device:" + models[column].id + ":" + name.toStdString();
            mark.chip = QStringLiteral("%1 on %2").arg(name, models[column].name);
            mark.deviceModel = models[column].id;
            std::vector<double> values;
            int correct = 0;
            for (const store::TaskRow* row : rows) {
                const auto best = of.find(row->id);
                if (best == of.end())
                    continue;
                mark.tasks.push_back(row->id);
                correct += best->second.correct > 0;
                if (best->second.wall.valid())
                    values.push_back(best->second.wall.estimate);
                else if (rule != Failures::LeftOut)
                    values.push_back(rule == Failures::One ? 1 : 0);
            }
            if (mark.tasks.empty())
                continue;
            const bool anyZero = std::find(values.begin(), values.end(), 0.0) != values.end();
            const double mean = anyZero ? 0 : base::geometricMean(values);
            const QString meanText = anyZero ? QStringLiteral("0") : speedupText(mean);
            const auto tasks = double(mark.tasks.size());
            Point point;
            point.x = double(column);
            point.x2 = double(column) + 1;
            point.y = double(line);
            point.y2 = double(line) + 1;
            point.text = QStringLiteral("%1\n%2 of %3 correct").arg(meanText).arg(correct).arg(mark.tasks.size());
            point.ink = mean > store::TaskRow::leastGain                 ? Ink::Gain
                      : mean > 0 && mean < 1 / store::TaskRow::leastGain ? Ink::Loss
                                                                         : Ink::Reference;
            point.strength = mean > 0 ? strengthOf(mean) : 0.1;
            mark.hover = QStringLiteral("%1: geometric mean %2\nmedian %3, max %4; %5 of %6 correct")
                             .arg(mark.chip, meanText, speedupText(base::median(values)),
                                  speedupText(values.empty() ? 0 : *std::max_element(values.begin(), values.end())))
                             .arg(correct)
                             .arg(counted(qsizetype(mark.tasks.size()), "task", "tasks"));
            chart.table.rows.push_back(
                {models[column].name, name, tasks, double(correct), values.empty() ? ChartCell() : ChartCell(mean),
                 values.empty() ? ChartCell() : ChartCell(base::median(values)),
                 values.empty() ? ChartCell() : ChartCell(*std::max_element(values.begin(), values.end()))});
            point.mark = chart.add(std::move(mark));
            cells.points.push_back(std::move(point));
        }
    }
    for (const auto& line : lines)
        chart.y.words << line.first;
    chart.x.scale = chart.y.scale = AxisScale::Words;
    chart.x.high = double(chart.x.words.size());
    chart.y.high = double(chart.y.words.size());
    chart.series.push_back(std::move(cells));
    return chart;
}

} // namespace cudal1::charts
