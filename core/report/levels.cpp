// SPDX-License-Identifier: GPL-3.0-or-later
// Speed-ups of tasks put together by level.
#include "core/report/levels.h"

#include "core/charts/numbertext.h"
#include "core/report/cells.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace cudal1::report {

LevelLine levelLine(const std::vector<Score>& scores, int level, FailureRule rule)
{
    LevelLine line;
    line.level = level;
    std::vector<double> values;
    for (const Score& score : scores) {
        if (level != LevelLine::allLevels && score.level != level)
            continue;
        ++line.tasks;
        if (score.speedup) {
            ++line.successes;
            line.above += *score.speedup > store::TaskRow::leastGain;
            values.push_back(*score.speedup);
        } else if (rule != FailureRule::LeftOut) {
            values.push_back(rule == FailureRule::One ? 1 : 0);
        }
    }
    line.counted = int(values.size());
    if (values.empty())
        return line;
    line.mean = std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
    line.geometricMean = std::find(values.begin(), values.end(), 0.0) == values.end() ? base::geometricMean(values) : 0;
    line.highest = *std::max_element(values.begin(), values.end());
    line.upper = base::quantile(values, 0.75);
    line.median = base::median(values);
    line.lower = base::quantile(values, 0.25);
    return line;
}

std::string_view toString(FailureRule rule)
{
    switch (rule) {
    case FailureRule::One: return "1×";
    case FailureRule::Zero: return "0";
    case FailureRule::LeftOut: return "left out";
    }
    return {};
}

std::vector<LevelLine> levelLines(const std::vector<Score>& scores, FailureRule rule)
{
    std::set<int> present;
    for (const Score& score : scores)
        present.insert(score.level);
    std::vector<int> order(present.begin(), present.end());
    if (!order.empty() && order.front() == 0)
        std::rotate(order.begin(), order.begin() + 1, order.end());
    if (order.size() > 1)
        order.insert(order.begin(), LevelLine::allLevels);
    std::vector<LevelLine> lines;
    lines.reserve(order.size());
    for (const int level : order)
        lines.push_back(levelLine(scores, level, rule));
    return lines;
}

std::vector<Score> scoresOf(const ReportFacts& facts, bool event)
{
    std::vector<Score> scores;
    for (const ReportedTask& task : facts.tasks) {
        if (!charts::isTried(task.row))
            continue;
        base::Interval interval = task.row.best;
        if (event) {
            const ReportedVariant* best = task.row.bestVariant ? task.shownVariant() : nullptr;
            interval = best && best->row.evaluation ? best->row.evaluation->event : base::Interval();
        }
        scores.push_back({task.row.level, interval.valid() ? std::optional(interval.estimate) : std::nullopt});
    }
    return scores;
}

QString lineName(int level)
{
    return level == LevelLine::allLevels ? QStringLiteral("all") : levelText(level);
}

Table percentileTable(const ReportFacts& facts)
{
    Table table{QStringLiteral("percentiles"), {}, {}, {}, false};
    table.columns.push_back(
        {"population", facts.single() ? QStringLiteral("Correct variants") : QStringLiteral("Level")});
    if (!facts.single()) {
        table.columns.push_back({"failures", QStringLiteral("Failures count as")});
        table.columns.push_back({"tasks", QStringLiteral("Tasks"), true});
    } else {
        table.columns.push_back({"variants", QStringLiteral("Variants"), true});
    }
    const struct {
        const char* key;
        const char* title;
        double q;
    } quantiles[]{{"least", "Least", 0}, {"p10", "10 %", .1}, {"p25", "25 %", .25}, {"median", "Median", .5},
                  {"p75", "75 %", .75},  {"p90", "90 %", .9}, {"p95", "95 %", .95}, {"most", "Most", 1}};
    for (const auto& one : quantiles)
        table.columns.push_back({QLatin1String(one.key), QLatin1String(one.title), true});
    const auto add = [&](const QString& name, const QString& rule, const std::vector<double>& values) {
        std::vector<Cell> row{textCell(name)};
        if (!rule.isEmpty())
            row.push_back(textCell(rule));
        row.push_back(numberCell(double(values.size())));
        for (const auto& one : quantiles) {
            const double value = base::quantile(values, one.q);
            row.push_back(values.empty() ? noCell() : numberCell(value, charts::speedupText(value)));
        }
        table.rows.push_back(std::move(row));
    };
    if (facts.single()) {
        std::vector<double> values;
        for (const ReportedVariant& variant : facts.tasks.front().variants)
            if (const auto& e = variant.row.evaluation;
                e && !variant.row.stale && e->verdict == protocol::Verdict::Correct && e->wall.valid())
                values.push_back(e->wall.estimate);
        add(QStringLiteral("all"), {}, values);
        return table;
    }
    for (const LevelLine& line : levelLines(scoresOf(facts, false), FailureRule::One))
        for (const FailureRule rule : {FailureRule::One, FailureRule::LeftOut}) {
            std::vector<double> values;
            for (const ReportedTask& task : facts.tasks) {
                const store::TaskRow& row = task.row;
                if (charts::isTried(row) && (line.level == LevelLine::allLevels || row.level == line.level) &&
                    (row.best.valid() || rule == FailureRule::One))
                    values.push_back(charts::countedInMeans(row));
            }
            add(lineName(line.level), fromUtf8(toString(rule)), values);
        }
    return table;
}

} // namespace cudal1::report
