// SPDX-License-Identifier: GPL-3.0-or-later
// Curves of an experiment as a chart.
#include "core/experiment/experimentcurves.h"

#include "core/base/statistics.h"
#include "core/charts/builders.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace cudal1::experiment {

using charts::Ink;

namespace {

constexpr std::size_t mostVertices = 200; ///< of a line

/// One run as a line of steps: where it stood from there on.
using Steps = std::vector<std::pair<double, double>>;

struct Curve {
    std::map<std::uint64_t, std::vector<Steps>> bySeed;
    std::set<double> places;
    std::size_t runs = 0, unfinished = 0;
};

std::optional<double> placeOf(const CellStep& step, Along along, const std::string& unit)
{
    if (along == Along::Samples)
        return step.samples;
    if (along == Along::Tokens)
        return double(step.tokens);
    const auto cost = step.costs.find(unit);
    return cost == step.costs.end() ? std::nullopt : std::optional(cost->second);
}

Curve curveOf(std::size_t arm, const std::vector<CellResult>& results, Along along, const std::string& unit)
{
    Curve out;
    for (const CellResult& run : results) {
        if (run.arm != arm || (run.steps.empty() && !run.done))
            continue;
        Steps steps;
        for (const CellStep& step : run.steps)
            if (const auto at = placeOf(step, along, unit); at && *at > 0) {
                steps.emplace_back(*at, countedScore(step.score));
                out.places.insert(*at);
            }
        if (steps.empty() && !(run.done && run.samples == 0)) // it took what nobody knows
            continue;
        ++out.runs;
        out.unfinished += !run.done;
        out.bySeed[run.seed].push_back(std::move(steps));
    }
    return out;
}

double valueAt(const Steps& steps, double place)
{
    const auto after = std::upper_bound(steps.begin(), steps.end(), place,
                                        [](double at, const auto& step) { return at < step.first; });
    return after == steps.begin() ? 1.0 : std::prev(after)->second;
}

/// Of all runs; its interval reaches from the lowest to the highest seed.
base::Interval valueAt(const Curve& curve, double place)
{
    std::vector<double> all;
    base::Interval out{0, 0, 0};
    for (const auto& [seed, runs] : curve.bySeed) {
        std::vector<double> own;
        for (const Steps& steps : runs)
            own.push_back(valueAt(steps, place));
        const double mean = base::geometricMean(own);
        out.low = all.empty() ? mean : std::min(out.low, mean);
        out.high = all.empty() ? mean : std::max(out.high, mean);
        all.insert(all.end(), own.begin(), own.end());
    }
    out.estimate = base::geometricMean(all);
    return out;
}

QString axisOf(Along along, const std::string& unit)
{
    switch (along) {
    case Along::Samples: return QStringLiteral("replies judged in a run");
    case Along::Tokens: return QStringLiteral("tokens of a run, prompts and replies");
    case Along::Cost: return QStringLiteral("cost of a run, %1").arg(QString::fromStdString(unit));
    }
    return {};
}

QString nameOf(const Arm& arm)
{
    const QString policy = QString::fromStdString(arm.policy);
    return arm.method ? policy + QStringLiteral(", ") + QString::fromStdString(arm.methodName()) : policy;
}

QString numberText(double value)
{
    return value == std::round(value) ? QString::number(value, 'f', 0) : QString::number(value, 'g', 4);
}

} // namespace

LineLook lineOf(std::size_t arm)
{
    constexpr Ink inks[]{Ink::Variant, Ink::Warning, Ink::Gain, Ink::Loss, Ink::Reference};
    // Lines that coincide are seen through each other's gaps.
    return {inks[arm % std::size(inks)], int(arm + arm / std::size(inks)) % 5};
}

std::vector<std::string> costUnits(const std::vector<CellResult>& results)
{
    std::set<std::string> units;
    for (const CellResult& one : results)
        for (const auto& [unit, cost] : one.costs)
            if (cost > 0)
                units.insert(unit);
    return {units.begin(), units.end()};
}

namespace {

/// Adds the line of an arm with its marks and rows; the highest value of its band.
double addLine(charts::Chart& chart, const Arm& asked, std::size_t arm, const Curve& curve, const QString& column)
{
    charts::Series line;
    line.look = charts::Series::Look::Steps;
    line.name = nameOf(asked);
    line.ink = lineOf(arm).ink;
    line.pattern = lineOf(arm).dash;
    line.points.push_back({0, 1});
    double most = 1;
    const std::vector<double> places(curve.places.begin(), curve.places.end());
    const std::size_t stride = places.size() / mostVertices + 1;
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (i % stride != 0 && i + 1 != places.size())
            continue;
        const base::Interval value = valueAt(curve, places[i]);
        charts::Mark mark;
        mark.key = "arm:" + std::to_string(arm) + ":" + std::to_string(i);
        mark.hover =
            line.name + QLatin1Char('\n') +
            QStringLiteral("%1 after %2 %3").arg(charts::speedupText(value.estimate), numberText(places[i]), column);
        if (curve.bySeed.size() > 1)
            mark.hover += QStringLiteral("\nseeds from %1 to %2")
                              .arg(charts::speedupText(value.low), charts::speedupText(value.high));
        charts::Point point;
        point.x = places[i];
        point.y = value.estimate;
        point.low = value.low;
        point.high = value.high;
        point.mark = chart.add(std::move(mark));
        line.points.push_back(point);
        most = std::max(most, value.high);
        chart.table.rows.push_back({QString::fromStdString(asked.policy), QString::fromStdString(asked.methodName()),
                                    places[i], value.estimate, value.low, value.high, double(curve.runs)});
    }
    chart.series.push_back(std::move(line));
    return most;
}

/// Where a line changes its height.
std::vector<std::pair<double, double>> courseOf(const charts::Series& line)
{
    std::vector<std::pair<double, double>> out;
    for (const charts::Point& point : line.points)
        if (out.empty() || out.back().second != point.y)
            out.emplace_back(point.x, point.y);
    return out;
}

/// " Lines 2 and 3 of the legend coincide."; empty where none do.
QString coincidingText(const std::vector<charts::Series>& lines)
{
    std::map<std::vector<std::pair<double, double>>, QStringList> courses;
    for (std::size_t i = 0; i < lines.size(); ++i)
        courses[courseOf(lines[i])] << QString::number(i + 1);
    QString out;
    for (auto& [course, places] : courses)
        if (places.size() > 1) {
            const QString last = places.takeLast();
            out +=
                QStringLiteral(" Lines %1 and %2 of the legend coincide.").arg(places.join(QStringLiteral(", ")), last);
        }
    return out;
}

} // namespace

charts::Chart curvesOf(const std::vector<Arm>& arms, const std::vector<CellResult>& results, Along along,
                       const std::string& unit)
{
    charts::Chart chart;
    chart.kind = "experiment";
    chart.title = QStringLiteral("Best speed-up so far");
    chart.x.title = axisOf(along, unit);
    chart.x.whole = along != Along::Cost;
    chart.y.title = QStringLiteral("speed-up, geometric mean (logarithmic)");
    const QString column = along == Along::Samples ? QStringLiteral("replies")
                         : along == Along::Tokens  ? QStringLiteral("tokens")
                                                   : QString::fromStdString(unit);
    chart.table.columns = {
        {QStringLiteral("policy"), false}, {QStringLiteral("method"), false}, {column},
        {QStringLiteral("speed-up")},      {QStringLiteral("lowest seed")},   {QStringLiteral("highest seed")},
        {QStringLiteral("runs")}};
    double most = 1, furthest = 0;
    std::size_t begun = 0, unfinished = 0;
    bool severalSeeds = false;
    for (std::size_t arm = 0; arm < arms.size(); ++arm) {
        const Curve curve = curveOf(arm, results, along, unit);
        if (curve.places.empty())
            continue;
        begun += curve.runs;
        unfinished += curve.unfinished;
        severalSeeds = severalSeeds || curve.bySeed.size() > 1;
        most = std::max(most, addLine(chart, arms[arm], arm, curve, column));
        furthest = std::max(furthest, *curve.places.rbegin());
    }
    if (chart.series.empty()) {
        chart.empty = along == Along::Cost && !results.empty() && !unit.empty()
                        ? QStringLiteral("No run has cost anything in %1").arg(QString::fromStdString(unit))
                    : along == Along::Samples ? QStringLiteral("No reply was judged yet")
                                              : QStringLiteral("No run tells what it took");
        return chart;
    }
    for (charts::Series& line : chart.series) { // what is over keeps what it came to
        charts::Point end = line.points.back();
        end.x = furthest;
        end.mark = -1;
        if (end.x > line.points.back().x)
            line.points.push_back(end);
    }
    chart.x.low = 0;
    chart.x.high = furthest * 1.02;
    charts::fitSpeedups(chart.y, 1, most);
    chart.y.low = std::max(chart.y.low, 0.9); // no line lies below 1
    chart.rules.push_back({1, false, {}, charts::Rule::Look::Solid, 0});
    chart.note = QStringLiteral("Over %1 of %2; the reference, at 1×, stands for a run that has nothing better.")
                     .arg(begun)
                     .arg(charts::counted(qsizetype(results.size()), "run", "runs")) +
                 (unfinished > 0 ? QStringLiteral(" %1 not finished and %2 left out of the table's means.")
                                       .arg(unfinished == 1 ? QStringLiteral("One of these has")
                                                            : QStringLiteral("%1 of these have").arg(unfinished),
                                            unfinished == 1 ? QStringLiteral("is") : QStringLiteral("are"))
                                 : QString()) +
                 coincidingText(chart.series) +
                 (severalSeeds ? QStringLiteral(" Bands reach from the lowest seed to the highest.") : QString());
    return chart;
}

} // namespace cudal1::experiment
