// SPDX-License-Identifier: GPL-3.0-or-later
// How the best speed-ups of the tasks are distributed: the histogram, the percentiles by level, and fast_p.
#include "core/charts/builders.h"

#include "core/base/statistics.h"
#include "core/charts/histogram.h"
#include "core/charts/projectsummary.h"
#include "core/protocol/marks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cudal1::charts {

namespace {

constexpr int groups = 5; ///< levels 1 to 3, files, and tasks without a correct variant
constexpr int fileGroup = 3, failureGroup = 4;
constexpr int mostBins = 40;
constexpr std::size_t verticesWithMark = 80;

int groupOf(int level)
{
    return level == 0 ? fileGroup : std::min(level, 3) - 1;
}

QString groupName(int group)
{
    return group == failureGroup ? QStringLiteral("no correct variant") : levelName(group == fileGroup ? 0 : group + 1);
}

int levelOf(int group)
{
    return group == fileGroup ? 0 : group + 1;
}

std::vector<const store::TaskRow*> tried(const Numbers& numbers)
{
    std::vector<const store::TaskRow*> out;
    for (const store::TaskRow& row : numbers.tasks)
        if (isTried(row))
            out.push_back(&row);
    return out;
}

Mark levelMark(int level, const std::vector<const store::TaskRow*>& rows)
{
    Mark mark;
    mark.key = "level:" + std::to_string(level);
    mark.chip = levelName(level);
    for (const store::TaskRow* row : rows)
        if (row->level == level)
            mark.tasks.push_back(row->id);
    mark.hover = QStringLiteral("%1: %2").arg(levelName(level),
                                              counted(qsizetype(mark.tasks.size()), "tried task", "tried tasks"));
    return mark;
}

/// What to keep in mind of the best results, where there is something. It comes first in a note, whose end is cut where
/// there is little room.
QString caveats(const Numbers& numbers)
{
    QString note;
    for (const QString& sentence : {QString::fromStdString(devicesText(numbers.tasks)), numbers.leftOut})
        if (!sentence.isEmpty())
            note += sentence + QLatin1Char(' ');
    return note;
}

QString populationNote(const Numbers& numbers, const std::vector<const store::TaskRow*>& rows, Failures rule)
{
    const auto without = std::count_if(rows.begin(), rows.end(),
                                       [](const store::TaskRow* row) { return !row->best.valid(); });
    QString note = caveats(numbers) + counted(qsizetype(rows.size()), "tried task", "tried tasks");
    if (without > 0)
        note += QStringLiteral(", %1 without a correct variant").arg(without);
    return note + QStringLiteral(". ") + ruleText(rule);
}

/// Why fewer tasks have a true gain than one above 1.01; empty where none has another.
QString trueGainsNote(const Numbers& numbers)
{
    const ProjectSummary summary = summarise(numbers.tasks);
    const std::string others = otherGainsText(summary);
    return others.empty() ? QString()
                          : QStringLiteral(" True gains, at the reference's precision and not questioned: %1. "
                                           "Other gains: %2.")
                                .arg(summary.trueGains)
                                .arg(QString::fromStdString(others));
}

std::vector<double> valuesOf(std::span<const store::TaskRow* const> rows, Failures rule)
{
    std::vector<double> values;
    for (const store::TaskRow* row : rows) {
        if (row->best.valid() || rule == Failures::One)
            values.push_back(countedInMeans(*row));
        else if (rule == Failures::Zero)
            values.push_back(0);
    }
    return values;
}

LevelPercentiles lineOf(std::optional<int> level, const std::vector<const store::TaskRow*>& rows, Failures rule)
{
    LevelPercentiles line;
    line.level = level;
    line.tried = int(rows.size());
    for (const store::TaskRow* row : rows) {
        line.correct += bool(row->bestVariant);
        // As in the means: a gain that is not certain or is questioned counts as 1.
        const base::Interval kept = protocol::countedInMeans(row->best, protocol::isQuestioned(row->marks));
        line.gains += kept.estimate > store::TaskRow::leastGain;
        line.clear += kept.low > store::TaskRow::leastGain;
        line.trueGains += meritOf(*row) == protocol::Merit::Gain;
    }
    const std::vector<double> values = valuesOf(rows, rule);
    line.counted = int(values.size());
    if (values.empty())
        return line;
    line.mean = std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
    const bool anyZero = std::find(values.begin(), values.end(), 0.0) != values.end();
    line.geometricMean = anyZero ? 0 : base::geometricMean(values);
    line.maximum = *std::max_element(values.begin(), values.end());
    line.upperQuartile = base::quantile(values, 0.75);
    line.median = base::median(values);
    line.lowerQuartile = base::quantile(values, 0.25);
    return line;
}

/// What a histogram counts: samples, the task that each is of (those of one task beside each other), and what to call
/// them.
struct Counting {
    std::vector<GroupedSpeedup> samples;
    std::vector<base::TaskId> tasks;
    const char *one = "task", *many = "tasks";
};

/// Axes, bars stacked by group, and the bins as a table. False, and only that, where there is nothing to draw.
bool addBins(Chart& chart, const Counting& counting)
{
    const Histogram drawn = histogram(counting.samples, groups, mostBins);
    if (drawn.bins.empty())
        return false;
    chart.x.scale = AxisScale::Logarithmic;
    chart.x.low = drawn.low();
    chart.x.high = drawn.high();
    chart.x.speedups = true;
    chart.x.title = QStringLiteral("speed-up by the wall clock (logarithmic)");
    chart.y.high = drawn.highest * 1.04;
    chart.y.whole = true;
    chart.y.title = QString::fromLatin1(counting.many);

    for (int group = 0; group < groups; ++group) {
        Series series;
        series.name = groupName(group);
        series.look = Series::Look::Bars;
        series.ink = group == failureGroup ? Ink::Reference : levelInk(levelOf(group));
        series.pattern = group == failureGroup ? 3 : group == fileGroup ? 3 : group;
        chart.series.push_back(series);
    }
    chart.table.columns = {{QStringLiteral("from")}, {QStringLiteral("to")}};
    std::vector<int> used;
    for (int group = 0; group < groups; ++group)
        if (std::any_of(counting.samples.begin(), counting.samples.end(),
                        [group](const GroupedSpeedup& sample) { return sample.group == group; })) {
            used.push_back(group);
            chart.table.columns.push_back({groupName(group)});
        }
    chart.table.columns.push_back({chart.y.title});
    for (const Bin& bin : drawn.bins) {
        if (bin.total() == 0)
            continue;
        Mark mark;
        mark.key = "range:" + QString::number(bin.low, 'g', 6).toStdString();
        mark.chip = QStringLiteral("%1 to %2").arg(speedupText(bin.low), speedupText(bin.high));
        QStringList parts;
        std::vector<ChartCell> cells{bin.low, bin.high};
        for (const int group : used) {
            const int count = bin.counts[std::size_t(group)];
            if (count > 0)
                parts << QStringLiteral("%1: %2").arg(groupName(group)).arg(count);
            cells.push_back(double(count));
        }
        cells.push_back(double(bin.total()));
        chart.table.rows.push_back(std::move(cells));
        mark.hover = QStringLiteral("%1: %2\n%3")
                         .arg(mark.chip, counted(bin.total(), counting.one, counting.many),
                              parts.join(QStringLiteral(", ")));
        for (std::size_t i = 0; i < counting.samples.size(); ++i)
            if (counting.samples[i].speedup >= bin.low * (1 - 1e-9) &&
                counting.samples[i].speedup < bin.high * (1 - 1e-9) &&
                (mark.tasks.empty() || mark.tasks.back() != counting.tasks[i]))
                mark.tasks.push_back(counting.tasks[i]);
        const int id = chart.add(std::move(mark));
        int below = 0;
        for (const int group : used) {
            const int count = bin.counts[std::size_t(group)];
            if (count == 0)
                continue;
            Point point;
            point.x = bin.low;
            point.x2 = bin.high;
            point.y = below;
            point.y2 = below + count;
            point.mark = id;
            chart.series[std::size_t(group)].points.push_back(point);
            below += count;
        }
    }
    std::erase_if(chart.series, [](const Series& series) { return series.points.empty(); });
    return true;
}

/// Marks 1x and the quartiles; the note begins with those that lie beyond the axis.
void addQuartiles(Chart& chart, const std::vector<double>& values)
{
    chart.rules.push_back({1, true, {}, Rule::Look::Solid, 0});
    const struct {
        double q;
        const char* name;
        int place;
        Rule::Look look;
    } quartiles[]{{0.25, "Q1", -1, Rule::Look::Dotted},
                  {0.5, "median", 0, Rule::Look::Dashed},
                  {0.75, "Q3", 1, Rule::Look::Dotted}};
    QString beyond;
    for (const auto& [q, name, place, look] : quartiles)
        if (const double at = base::quantile(values, q); at >= chart.x.low && at <= chart.x.high)
            chart.rules.push_back(
                {at, true, QStringLiteral("%1 %2").arg(QLatin1String(name), speedupText(at)), look, place});
        else
            beyond +=
                QStringLiteral("%1 is %2. ").arg(QLatin1String(name), at > 0 ? speedupText(at) : QStringLiteral("0"));
    chart.note.prepend(beyond);
}

/// The share of `of` that counts as more than p falls at each of the numbers that they count as.
void addCurve(Chart& chart, const QString& name, const std::vector<const store::TaskRow*>& of, Ink ink, int pattern)
{
    std::vector<const store::TaskRow*> sorted = of;
    std::erase_if(sorted, [](const store::TaskRow* row) { return !row->best.valid(); });
    std::sort(sorted.begin(), sorted.end(),
              [](const store::TaskRow* a, const store::TaskRow* b) { return countedInMeans(*a) < countedInMeans(*b); });
    Series series{name, Series::Look::Steps, ink, pattern, false, -1, {}};
    series.points.push_back({chart.x.low, double(sorted.size()) / double(of.size())});
    const std::size_t stride = sorted.size() / verticesWithMark + 1;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const double p = countedInMeans(*sorted[i]);
        const std::size_t faster = sorted.size() - i - 1;
        if (faster > 0 && countedInMeans(*sorted[i + 1]) == p)
            continue;
        Point point;
        point.x = std::max(p, chart.x.low);
        point.y = double(faster) / double(of.size());
        if (i % stride == 0 || faster == 0) {
            Mark mark;
            mark.key = "fastp:" + name.toStdString() + ":" + QString::number(p, 'g', 6).toStdString();
            mark.chip = QStringLiteral("%1 above %2").arg(name, speedupText(p));
            mark.hover = QStringLiteral("%1: %2 of %3 (%4 %) faster than %5")
                             .arg(name)
                             .arg(faster)
                             .arg(of.size())
                             .arg(QString::number(100 * point.y, 'f', 0), speedupText(p));
            for (std::size_t at = i + 1; at < sorted.size(); ++at)
                mark.tasks.push_back(sorted[at]->id);
            point.mark = chart.add(std::move(mark));
        }
        series.points.push_back(point);
    }
    series.points.push_back({chart.x.high, series.points.back().y});
    chart.series.push_back(std::move(series));
}

} // namespace

QString levelName(int level)
{
    return level > 0 ? QStringLiteral("level %1").arg(level) : QStringLiteral("files");
}

QString ruleText(Failures rule)
{
    return rule == Failures::One
             ? QString::fromStdString(protocol::countedInMeansText())
             : QStringLiteral("A task counts as 1× where none of its correct variants is faster by "
                              "its whole interval, or the gain is questioned; one without a correct "
                              "variant is %1.")
                   .arg(ruleName(rule));
}

QString ruleName(Failures rule)
{
    return rule == Failures::One  ? QStringLiteral("counted as 1×")
         : rule == Failures::Zero ? QStringLiteral("counted as 0")
                                  : QStringLiteral("left out");
}

std::vector<LevelPercentiles> levelLines(std::span<const store::TaskRow> tasks, Failures rule)
{
    std::map<int, std::vector<const store::TaskRow*>> levels;
    std::vector<const store::TaskRow*> all;
    for (const store::TaskRow& row : tasks)
        if (isTried(row)) {
            levels[orderOf(row.level)].push_back(&row);
            all.push_back(&row);
        }
    std::vector<LevelPercentiles> lines;
    if (!all.empty())
        lines.push_back(lineOf({}, all, rule));
    for (const auto& [order, rows] : levels)
        lines.push_back(lineOf(rows.front()->level, rows, rule));
    return lines;
}

Chart distribution(const Numbers& numbers, Failures rule)
{
    Chart chart;
    chart.kind = "distribution";
    chart.title = QStringLiteral("Best speed-up of each task");
    const std::vector<const store::TaskRow*> rows = tried(numbers);
    chart.note = populationNote(numbers, rows, rule);
    Counting counting;
    for (const store::TaskRow* row : rows)
        if (row->best.valid() || rule == Failures::One) {
            counting.samples.push_back({countedInMeans(*row), row->best.valid() ? groupOf(row->level) : failureGroup});
            counting.tasks.push_back(row->id);
        }
    const bool anyCorrect = std::any_of(rows.begin(), rows.end(),
                                        [](const store::TaskRow* row) { return row->best.valid(); });
    if (!anyCorrect || !addBins(chart, counting)) { // bars of failures alone would look like speed-ups
        chart.empty = QStringLiteral("No task has a correct variant that was timed yet");
        return chart;
    }
    for (Series& series : chart.series)
        for (int group = 0; group < failureGroup; ++group)
            if (series.name == groupName(group))
                series.mark = chart.add(levelMark(levelOf(group), rows));
    addQuartiles(chart, valuesOf(rows, rule));
    return chart;
}

Chart variantDistribution(const store::TaskRow& task, std::span<const double> speedups)
{
    Chart chart;
    chart.kind = "distribution";
    chart.title = QStringLiteral("Speed-ups of the correct variants");
    chart.note = QStringLiteral("%1 of %2, %3.")
                     .arg(counted(qsizetype(speedups.size()), "correct variant", "correct variants"), taskName(task),
                          levelName(task.level));
    Counting counting{{}, {}, "variant", "variants"};
    for (const double speedup : speedups) {
        counting.samples.push_back({speedup, groupOf(task.level)});
        counting.tasks.push_back(task.id);
    }
    if (addBins(chart, counting))
        addQuartiles(chart, {speedups.begin(), speedups.end()});
    else
        chart.empty = QStringLiteral("No correct variant was timed yet");
    return chart;
}

Chart percentiles(const Numbers& numbers, Failures rule)
{
    Chart chart;
    chart.kind = "percentiles";
    chart.title = QStringLiteral("Speed-ups by level: quartiles, means and maximum");
    const std::vector<const store::TaskRow*> rows = tried(numbers);
    chart.note = populationNote(numbers, rows, rule) + trueGainsNote(numbers);
    const std::vector<LevelPercentiles> lines = levelLines(numbers.tasks, rule);
    for (const char* title : {"level", "tried", "correct", "above 1.01", "clearly above 1.01", "true gains", "mean",
                              "geometric mean", "max", "75 %", "50 %", "25 %"})
        chart.table.columns.push_back({QString::fromLatin1(title), !chart.table.columns.empty()});
    double least = 1, most = 1;
    Series box{QStringLiteral("25 % to 75 %"), Series::Look::Bars, Ink::Level1, 0, true, -1, {}};
    Series median{QStringLiteral("median"), Series::Look::Points, Ink::Text, 0, true, -1, {}};
    Series mean{QStringLiteral("geometric mean"), Series::Look::Points, Ink::Text, 3, true, -1, {}, true};
    Series maximum{QStringLiteral("maximum"), Series::Look::Points, Ink::Gain, 2, true, -1, {}};
    for (const LevelPercentiles& line : lines) {
        const QString name = line.level ? levelName(*line.level) : QStringLiteral("all");
        const auto value = [&line](double number) { return line.counted > 0 ? ChartCell(number) : ChartCell(); };
        chart.table.rows.push_back({name, double(line.tried), double(line.correct), double(line.gains),
                                    double(line.clear), double(line.trueGains), value(line.mean),
                                    value(line.geometricMean), value(line.maximum), value(line.upperQuartile),
                                    value(line.median), value(line.lowerQuartile)});
        Mark mark = line.level ? levelMark(*line.level, rows) : Mark();
        mark.key = line.level ? mark.key : "all";
        mark.hover =
            QStringLiteral(
                "%1: %2 tried, %3 correct, %4 with a true gain\n25 %  %5 · 50 %  %6 · 75 %  %7 · max %8\nmean %9")
                .arg(name)
                .arg(line.tried)
                .arg(line.correct)
                .arg(line.trueGains)
                .arg(speedupText(line.lowerQuartile), speedupText(line.median), speedupText(line.upperQuartile),
                     speedupText(line.maximum), speedupText(line.mean)) +
            QStringLiteral(", geometric mean %1").arg(speedupText(line.geometricMean));
        const double at = double(chart.y.words.size()) + 0.5;
        chart.y.words << name;
        const int id = chart.add(std::move(mark));
        if (line.counted == 0 || line.maximum <= 0)
            continue;
        // Zeros have no place on a logarithmic axis: such ends lie at its edge, which fitSpeedups() puts at a half or
        // below.
        const auto shown = [](double number) { return std::max(number, 0.1); };
        for (const double number : {line.lowerQuartile, line.median, line.maximum})
            least = std::min(least, shown(number));
        most = std::max(most, line.maximum);
        Point point;
        point.mark = id;
        point.x = shown(line.lowerQuartile);
        point.x2 = shown(line.upperQuartile);
        point.y = at - 0.3;
        point.y2 = at + 0.3;
        box.points.push_back(point);
        point.y = at;
        for (const auto& [series, number] :
             {std::pair(&median, line.median), std::pair(&mean, line.geometricMean), std::pair(&maximum, line.maximum)})
            if (number > 0) {
                point.x = number;
                series->points.push_back(point);
            }
    }
    if (box.points.empty()) {
        chart.empty = QStringLiteral("No task has a correct variant that was timed yet");
        return chart;
    }
    chart.y.scale = AxisScale::Words;
    chart.y.high = double(chart.y.words.size());
    fitSpeedups(chart.x, least, most);
    chart.x.title = QStringLiteral("speed-up by the wall clock (logarithmic)");
    chart.rules.push_back({1, true, {}, Rule::Look::Solid, 0});
    chart.series = {box, median, mean, maximum};
    return chart;
}

Chart fastP(const Numbers& numbers)
{
    Chart chart;
    chart.kind = "fastp";
    chart.title = QStringLiteral("fast_p: tasks with a correct variant faster than p");
    const std::vector<const store::TaskRow*> rows = tried(numbers);
    chart.note = caveats(numbers) +
                 QStringLiteral(
                     "Share of %1; one without a correct variant is never fast, and one without a clear gain, or "
                     "with a questioned one, counts as 1×.")
                     .arg(counted(qsizetype(rows.size()), "tried task", "tried tasks"));
    std::map<int, std::vector<const store::TaskRow*>> levels;
    double most = 1;
    for (const store::TaskRow* row : rows) {
        levels[orderOf(row->level)].push_back(row);
        most = std::max(most, countedInMeans(*row));
    }
    if (rows.empty()) {
        chart.empty = QStringLiteral("No task was tried yet");
        return chart;
    }
    fitSpeedups(chart.x, 1, most);
    chart.x.title = QStringLiteral("p, as a speed-up by the wall clock (logarithmic)");
    chart.y.scale = AxisScale::Share;
    chart.y.title = QStringLiteral("share of tasks");
    chart.rules.push_back({1, true, QStringLiteral("1×"), Rule::Look::Solid, 0});

    if (levels.size() > 1)
        addCurve(chart, QStringLiteral("all"), rows, Ink::Text, 0);
    for (const auto& [order, of] : levels) {
        const int level = of.front()->level;
        addCurve(chart, levelName(level), of, levelInk(level), level == 0 ? 4 : std::min(level, 3));
        chart.series.back().mark = chart.add(levelMark(level, rows));
    }

    chart.table.columns.push_back({QStringLiteral("p")});
    for (const Series& series : chart.series)
        chart.table.columns.push_back({series.name});
    for (const double p : {0.5, 0.8, 1.0, 1.01, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0, 100.0}) {
        std::vector<ChartCell> cells{p};
        const auto share = [p](const std::vector<const store::TaskRow*>& of) {
            return double(std::count_if(
                       of.begin(), of.end(),
                       [p](const store::TaskRow* row) { return row->best.valid() && countedInMeans(*row) > p; })) /
                   double(of.size());
        };
        if (levels.size() > 1)
            cells.push_back(share(rows));
        for (const auto& [order, of] : levels)
            cells.push_back(share(of));
        chart.table.rows.push_back(std::move(cells));
    }
    return chart;
}

} // namespace cudal1::charts
