// SPDX-License-Identifier: GPL-3.0-or-later
// How the best speed-up grew: over the rounds of a run, or over all evaluations of a project.
#include "core/charts/builders.h"

#include "core/base/statistics.h"
#include "core/charts/projectsummary.h"
#include "core/protocol/marks.h"

#include <algorithm>
#include <cmath>

namespace cudal1::charts {

namespace {

constexpr std::size_t mostSteps = 200; ///< with a mark

bool isTimed(const store::RunResult& result)
{
    return result.verdict == protocol::Verdict::Correct && result.wall.valid();
}

/// Axes and columns of the chart of a run.
void prepare(Chart& chart, const std::vector<store::RunResult>& results)
{
    double least = 1, most = 1;
    for (const store::RunResult& result : results)
        if (isTimed(result)) {
            least = std::min(least, result.wall.low);
            most = std::max(most, result.wall.high);
        }
    fitSpeedups(chart.y, least, most);
    chart.y.title = QStringLiteral("speed-up by the wall clock (logarithmic)");
    chart.x.low = 0;
    chart.x.high = double(results.size()) + 1;
    chart.x.whole = true;
    chart.x.title = QStringLiteral("variants judged");
    chart.rules.push_back({1, false, {}, Rule::Look::Solid, 0});
    chart.table.columns = {
        {QStringLiteral("number")},         {QStringLiteral("round")},       {QStringLiteral("variant")},
        {QStringLiteral("verdict"), false}, {QStringLiteral("speed-up")},    {QStringLiteral("low")},
        {QStringLiteral("high")},           {QStringLiteral("best so far")}, {QStringLiteral("techniques"), false}};
}

Mark variantMark(const store::RunResult& result, int round, const QString& techniques)
{
    Mark mark;
    mark.key = "variant:" + std::to_string(result.variant.value);
    mark.chip = QStringLiteral("#%1").arg(result.variant.value);
    mark.variant = result.variant;
    mark.hover = QStringLiteral("#%1, round %2: %3")
                     .arg(result.variant.value)
                     .arg(round)
                     .arg(isTimed(result) ? speedupText(result.wall) + QStringLiteral("  ") + intervalText(result.wall)
                                          : verdictText(result.verdict));
    if (!techniques.isEmpty())
        mark.hover += QLatin1Char('\n') + techniques;
    return mark;
}

Chart ofRun(const Numbers& numbers)
{
    Chart chart;
    chart.kind = "progress";
    const auto run = std::find_if(numbers.runs.begin(), numbers.runs.end(),
                                  [&](const store::RunRecord& one) { return one.id == numbers.run; });
    const QString task = run == numbers.runs.end() ? QString() : QString::fromStdString(run->task.value);
    chart.title = QStringLiteral("Run %1 of %2 over its rounds").arg(numbers.run.value).arg(task);
    if (numbers.results.empty()) {
        chart.empty = QStringLiteral("Nothing of this run was judged yet");
        return chart;
    }
    prepare(chart, numbers.results);
    Series correct{QStringLiteral("correct"), Series::Look::Points, Ink::Variant, 0, false, -1, {}};
    Series failed{QStringLiteral("not correct (at the lower edge)"), Series::Look::Points, Ink::Loss, 2, false, -1, {}};
    Series best{QStringLiteral("best so far"), Series::Look::Steps, Ink::Gain, 0, false, -1, {}};
    base::Interval soFar;
    int rounds = 0;
    std::int64_t judged_ms = 0;
    for (std::size_t i = 0; i < numbers.results.size(); ++i) {
        const store::RunResult& result = numbers.results[i];
        const double at = double(i) + 1;
        // A round is proposed as a whole, once all of the last one are judged.
        if (rounds == 0 || result.proposed_ms >= judged_ms) {
            ++rounds;
            chart.rules.push_back({at - 0.5, true, QStringLiteral("round %1").arg(rounds), Rule::Look::Faint, 1});
        }
        judged_ms = result.judged_ms;
        const bool timed = isTimed(result);
        if (timed && result.wall.low > soFar.low)
            soFar = result.wall;
        QStringList names;
        for (const std::string& technique : result.techniques)
            names << techniqueName(technique);
        const QString techniques = names.join(QStringLiteral(" + "));
        Mark mark = variantMark(result, rounds, techniques);
        mark.run = numbers.run;
        if (run != numbers.runs.end())
            mark.tasks = {run->task};
        Point point;
        point.x = at;
        point.y = timed ? result.wall.estimate : chart.y.low;
        point.low = timed ? result.wall.low : 0;
        point.high = timed ? result.wall.high : 0;
        point.mark = chart.add(std::move(mark));
        (timed ? correct : failed).points.push_back(point);
        if (soFar.valid() && (best.points.empty() || best.points.back().y != soFar.estimate))
            best.points.push_back({at, soFar.estimate});
        const auto number = [](bool known, double value) { return known ? ChartCell(value) : ChartCell(); };
        chart.table.rows.push_back({at, double(rounds), double(result.variant.value), verdictText(result.verdict),
                                    number(timed, result.wall.estimate), number(timed, result.wall.low),
                                    number(timed, result.wall.high), number(soFar.valid(), soFar.estimate),
                                    techniques});
    }
    chart.note = QStringLiteral("%1 in %2")
                     .arg(counted(qsizetype(numbers.results.size()), "variant", "variants"),
                          counted(rounds, "round", "rounds")) +
                 (soFar.valid() ? QStringLiteral("; best %1, %2.").arg(speedupText(soFar), intervalText(soFar))
                                : QStringLiteral("; none correct."));
    if (!best.points.empty())
        best.points.push_back({chart.x.high, best.points.back().y});
    for (Series* series : {&best, &correct, &failed})
        if (!series->points.empty())
            chart.series.push_back(std::move(*series));
    return chart;
}

Chart ofProject(const Numbers& numbers)
{
    Chart chart;
    chart.kind = "progress";
    chart.title = QStringLiteral("The project over its evaluations");
    int tried = 0;
    for (const store::TaskRow& row : numbers.tasks)
        tried += isTried(row);
    if (numbers.improvements.empty()) {
        chart.empty = QStringLiteral("No correct variant was timed yet");
        return chart;
    }
    chart.note = QStringLiteral("Geometric mean of the best so far of %1. %2")
                     .arg(counted(tried, "tried task", "tried tasks"),
                          QString::fromStdString(protocol::countedInMeansText()));
    if (!numbers.leftOut.isEmpty())
        chart.note += QLatin1Char(' ') + numbers.leftOut;
    chart.table.columns = {{QStringLiteral("evaluation")},
                           {QStringLiteral("task"), false},
                           {QStringLiteral("variant")},
                           {QStringLiteral("speed-up")},
                           {QStringLiteral("geometric mean so far")}};
    Series mean{QStringLiteral("geometric mean"), Series::Look::Steps, Ink::Gain, 0, false, -1, {}};
    const auto tasks = byId(numbers.tasks);
    std::map<base::TaskId, double> best;
    double sum = 0, least = 1, most = 1;
    const std::size_t stride = numbers.improvements.size() / mostSteps + 1;
    mean.points.push_back({0, 1});
    for (std::size_t i = 0; i < numbers.improvements.size(); ++i) {
        const store::Improvement& step = numbers.improvements[i];
        const double log = std::log(protocol::countedInMeans(step.wall, protocol::isQuestioned(step.marks)).estimate);
        sum += log - best[step.task];
        best[step.task] = log;
        Point point;
        point.x = double(step.number);
        point.y = std::exp(sum / std::max(tried, 1));
        least = std::min(least, point.y);
        most = std::max(most, point.y);
        if (i % stride == 0 || i + 1 == numbers.improvements.size()) {
            Mark mark;
            mark.key = "step:" + std::to_string(step.variant.value);
            mark.chip = QString::fromStdString(step.task.value);
            mark.tasks = {step.task};
            mark.variant = step.variant;
            const auto row = tasks.find(step.task);
            mark.hover = QStringLiteral("evaluation %1: geometric mean %2\n%3 reached %4  %5")
                             .arg(step.number)
                             .arg(speedupText(point.y), row == tasks.end() ? QString() : taskName(*row->second),
                                  speedupText(step.wall), intervalText(step.wall));
            point.mark = chart.add(std::move(mark));
        }
        mean.points.push_back(point);
        chart.table.rows.push_back({point.x, QString::fromStdString(step.task.value), double(step.variant.value),
                                    step.wall.estimate, point.y});
    }
    chart.x.high = double(numbers.improvements.back().number) * 1.02 + 1;
    chart.x.whole = true;
    chart.x.title = QStringLiteral("variants judged");
    mean.points.push_back({chart.x.high, mean.points.back().y});
    fitSpeedups(chart.y, least, most);
    chart.y.title = QStringLiteral("geometric mean speed-up (logarithmic)");
    chart.rules.push_back({1, false, {}, Rule::Look::Solid, 0});
    chart.series.push_back(std::move(mean));
    return chart;
}

} // namespace

Chart progress(const Numbers& numbers)
{
    return numbers.run ? ofRun(numbers) : ofProject(numbers);
}

} // namespace cudal1::charts
