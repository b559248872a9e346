// SPDX-License-Identifier: GPL-3.0-or-later
// Each task's speed-up by one contender against that by another: variants, baselines, published results.
#include "core/charts/builders.h"

#include "core/base/statistics.h"
#include "core/store/storedversus.h"

#include <algorithm>

namespace cudal1::charts {

namespace {

struct Entry {
    base::Interval speedup;
    base::VariantId variant;
};
using Entries = std::map<base::TaskId, Entry>;

void keepBest(Entries& entries, const base::TaskId& task, const base::Interval& speedup, base::VariantId variant)
{
    if (!speedup.valid())
        return;
    const auto [at, isNew] = entries.try_emplace(task, Entry{speedup, variant});
    if (!isNew && speedup.low > at->second.speedup.low)
        at->second = {speedup, variant};
}

/// What a contender has for each task on a device. Claims are of no device of ours.
Entries entriesOf(const Numbers& numbers, const ContenderId& id, const std::string& device)
{
    Entries entries;
    const auto part = id.substr(std::min(id.size(), id.find(':') + 1));
    if (id.starts_with("baseline:")) {
        for (const store::VariantRow& row : numbers.baselines) // in the order of adding: the newest text of a kind wins
            if (row.baseline == part && row.evaluation->deviceModel == device) {
                entries.erase(row.task);
                if (row.evaluation->verdict == protocol::Verdict::Correct)
                    keepBest(entries, row.task, row.evaluation->wall, row.id);
            }
    } else if (id.starts_with("claimed:")) {
        for (const store::ClaimRecord& claim : numbers.claims)
            if (claim.source == part)
                keepBest(entries, claim.task, {*claim.speedup, *claim.speedup, *claim.speedup}, claim.variant);
    } else {
        for (const store::ResultGroup& group : numbers.groups)
            if (group.deviceModel == device &&
                (id == "best" || (id.starts_with("found:") && contenderOf(group.origin) == part)))
                keepBest(entries, group.task, group.wall, group.best);
    }
    return entries;
}

bool isClaim(const ContenderId& id)
{
    return id.starts_with("claimed:");
}

/// How many times as fast y is as x; invalid where that cannot be said. A claim is a number without a measurement.
base::Interval ratioOf(const Numbers& numbers, const Entry& y, const Entry& x, bool claimed)
{
    if (claimed)
        return base::ratioOf(y.speedup, x.speedup);
    const auto found = numbers.versus.find({y.variant, x.variant});
    return found == numbers.versus.end() ? base::Interval() : found->second;
}

QString nameOf(const std::vector<Option>& options, const ContenderId& id)
{
    const auto found = std::find_if(options.begin(), options.end(),
                                    [&id](const Option& option) { return option.id == id; });
    return found == options.end() ? QString::fromStdString(id) : found->name;
}

} // namespace

void completeScatter(const Numbers& numbers, Choices& choices)
{
    std::vector<Option> options = contenders(numbers);
    // What was found by the only origin is the best variant itself: a line that says nothing. Who asks for it gets it.
    const auto isFound = [](const Option& option) { return option.id.starts_with("found:"); };
    if (std::count_if(options.begin(), options.end(), isFound) == 1)
        std::erase_if(options, isFound);
    // Eager is the reference itself, and says little; it is the last to be chosen.
    const auto complete = [&options](ContenderId& id, const ContenderId& other) {
        for (const bool eager : {false, true})
            for (const Option& option : options)
                if (id.empty() && option.id != other && (eager || option.id != "baseline:eager"))
                    id = option.id;
    };
    complete(choices.y, choices.x);
    complete(choices.x, choices.y);
}

base::Status readVersus(const store::Project& project, const Choices& choices, Numbers& numbers)
{
    Choices complete = choices;
    completeScatter(numbers, complete);
    if (isClaim(complete.x) || isClaim(complete.y))
        return {};
    const std::string device = deviceOf(numbers, choices);
    const Entries xs = entriesOf(numbers, complete.x, device);
    for (const auto& [task, y] : entriesOf(numbers, complete.y, device)) {
        const auto x = xs.find(task);
        if (x == xs.end())
            continue;
        const auto versus = store::versus(project, y.variant, x->second.variant);
        if (versus)
            numbers.versus[{y.variant, x->second.variant}] = versus->wall;
        else if (versus.error().code != base::ErrorCode::InvalidArgument)
            return versus.error();
    }
    return {};
}

Chart scatter(const Numbers& numbers, const Choices& choices)
{
    Chart chart;
    chart.kind = "baselines";
    const std::vector<Option> options = contenders(numbers);
    Choices complete = choices;
    completeScatter(numbers, complete);
    const ContenderId &x = complete.x, &y = complete.y;
    if (x.empty() || y.empty()) {
        chart.title = QStringLiteral("Variants against baselines");
        chart.empty = QStringLiteral(
            "There is nothing to compare with yet: Run > Measure Baselines, or `cudal1 baselines` for many tasks, measures what the "
            "framework's own switches bring; `cudal1 import` takes in what others published");
        return chart;
    }
    const std::string device = deviceOf(numbers, choices);
    const QString xName = nameOf(options, x), yName = nameOf(options, y);
    chart.title = QStringLiteral("%1 against %2").arg(yName, xName);
    const Entries xs = entriesOf(numbers, x, device), ys = entriesOf(numbers, y, device);
    chart.table.columns = {
        {QStringLiteral("task"), false},   {QStringLiteral("level")},         {xName},
        {xName + QStringLiteral(" low")},  {xName + QStringLiteral(" high")}, {yName},
        {yName + QStringLiteral(" low")},  {yName + QStringLiteral(" high")}, {QStringLiteral("ratio")},
        {QStringLiteral("verdict"), false}};
    std::map<int, Series> levels;
    double least = 1, most = 1;
    int above = 0, below = 0, without = 0, apart = 0;
    std::vector<double> ratios;
    for (const store::TaskRow& row : numbers.tasks) {
        const auto atX = xs.find(row.id), atY = ys.find(row.id);
        if (atX == xs.end() || atY == ys.end()) {
            without += (atX == xs.end()) != (atY == ys.end());
            continue;
        }
        const base::Interval &bx = atX->second.speedup, &by = atY->second.speedup;
        const base::Interval ratio = ratioOf(numbers, atY->second, atX->second, isClaim(x) || isClaim(y));
        if (!ratio.valid()) {
            ++apart;
            continue;
        }
        const base::Comparison comparison = base::compare(ratio);
        above += comparison == base::Comparison::Faster;
        below += comparison == base::Comparison::Slower;
        ratios.push_back(ratio.estimate);
        least = std::min({least, bx.low, by.low});
        most = std::max({most, bx.high, by.high});
        Mark mark;
        mark.key = "task:" + row.id.value;
        mark.chip = QString::fromStdString(row.id.value);
        mark.tasks = {row.id};
        mark.variant = atY->second.variant ? atY->second.variant : atX->second.variant;
        const QString word = QString::fromUtf8(protocol::toString(comparison).data(),
                                               qsizetype(protocol::toString(comparison).size()));
        mark.hover = QStringLiteral("%1\n%2: %3  %4\n%5: %6  %7\nratio %8  %9")
                         .arg(taskName(row), yName, speedupText(by), intervalText(by), xName, speedupText(bx),
                              bx.low < bx.high ? intervalText(bx) : QString(), speedupText(ratio), word);
        Series& series = levels[orderOf(row.level)];
        series.name = levelName(row.level);
        series.ink = levelInk(row.level);
        series.pattern = row.level == 0 ? 3 : std::min(row.level, 3) - 1;
        Point point;
        point.x = bx.estimate;
        point.y = by.estimate;
        point.low = by.low;
        point.high = by.high;
        point.mark = chart.add(std::move(mark));
        series.points.push_back(point);
        const auto level = row.level > 0 ? ChartCell(double(row.level)) : ChartCell();
        chart.table.rows.push_back(
            {taskName(row), level, bx.estimate, bx.low, bx.high, by.estimate, by.low, by.high, ratio.estimate, word});
    }
    QString left = without > 0 ? QStringLiteral(" %1 of one side only left out.").arg(counted(without, "task", "tasks"))
                               : QString();
    if (apart > 0)
        left += QStringLiteral(" %1 measured at two precisions or for two texts left out.")
                    .arg(counted(apart, "task", "tasks"));
    if (levels.empty()) {
        chart.empty = QStringLiteral("No task has both on %1.%2").arg(QString::fromStdString(device), left);
        return chart;
    }
    chart.note = QStringLiteral(
                     "%1 on %2: %3 above the line, %4 below, %5 too close to tell; geometric mean of the ratio %6.%7")
                     .arg(counted(qsizetype(ratios.size()), "task", "tasks"), QString::fromStdString(device))
                     .arg(above)
                     .arg(below)
                     .arg(int(ratios.size()) - above - below)
                     .arg(speedupText(base::geometricMean(ratios)), left);
    if (isClaim(x) || isClaim(y))
        chart.note += QStringLiteral(" Claims are by others' clock on their device.");
    else
        chart.note += QStringLiteral(" Ratios are at one speed of the host.");
    fitSpeedups(chart.x, least, most);
    chart.y = chart.x;
    chart.x.title = QStringLiteral("%1, speed-up over eager").arg(xName);
    chart.y.title = yName;
    chart.rules = {{1, true, {}, Rule::Look::Faint, 0}, {1, false, {}, Rule::Look::Faint, 0}};
    chart.diagonal = true;
    for (auto& [order, series] : levels) {
        Mark mark;
        mark.key = "series:" + series.name.toStdString();
        mark.chip = series.name;
        for (const Point& point : series.points)
            mark.tasks.push_back(chart.marks[std::size_t(point.mark)].tasks.front());
        mark.hover = QStringLiteral("%1: %2").arg(series.name, counted(qsizetype(mark.tasks.size()), "task", "tasks"));
        series.mark = chart.add(std::move(mark));
        chart.series.push_back(std::move(series));
    }
    return chart;
}

} // namespace cudal1::charts
