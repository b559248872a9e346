// SPDX-License-Identifier: GPL-3.0-or-later
// Tables as the paper prints them: mean, maximum, quartiles, successes and gains by level; over the reference, and over
// what the framework's own switches make of it. Under both clocks and every rule for failures, since each changes the
// numbers.
#include "core/charts/numbertext.h"
#include "core/report/cells.h"
#include "core/report/levels.h"
#include "core/report/sections.h"

#include <algorithm>

namespace cudal1::report {

namespace {

constexpr FailureRule rules[]{FailureRule::LeftOut, FailureRule::One, FailureRule::Zero};

std::vector<Column> numberColumns()
{
    return {{"mean", "Mean", true},       {"geometric_mean", "Geometric mean", true},
            {"max", "Max", true},         {"p75", "75 %", true},
            {"median", "50 %", true},     {"p25", "25 %", true},
            {"success", "Success", true}, {"above", ">1.01×", true},
            {"tasks", "Out of", true}};
}

void addNumbersOf(const LevelLine& line, std::vector<Cell>& row)
{
    const auto speedup = [&](double value) {
        return line.counted > 0 ? numberCell(value, value > 0 ? charts::speedupText(value) : QStringLiteral("0"))
                                : noCell();
    };
    for (const double value : {line.mean, line.geometricMean, line.highest, line.upper, line.median, line.lower})
        row.push_back(speedup(value));
    for (const int count : {line.successes, line.above, line.tasks})
        row.push_back(numberCell(count));
}

bool hasEvents(const std::vector<Score>& scores)
{
    return std::any_of(scores.begin(), scores.end(), [](const Score& score) { return score.speedup.has_value(); });
}

Table byLevel(const ReportFacts& facts, bool event)
{
    Table table{event ? QStringLiteral("paper-event") : QStringLiteral("paper-wall"),
                event ? QStringLiteral("The same by events on the caller's stream, the paper's clock. Of the best "
                                       "variant by the wall clock.")
                      : QStringLiteral("Speed-up over the reference by the wall clock."),
                {{"level", "Level"}, {"failures", "Failures count as"}},
                {},
                false};
    const auto columns = numberColumns();
    table.columns.insert(table.columns.end(), columns.begin(), columns.end());
    const std::vector<Score> scores = scoresOf(facts, event);
    for (const FailureRule rule : rules)
        for (const LevelLine& line : levelLines(scores, rule)) {
            std::vector<Cell> row{textCell(lineName(line.level)), textCell(toString(rule))};
            addNumbersOf(line, row);
            table.rows.push_back(std::move(row));
        }
    return table;
}

/// The best variant's speed-up over each baseline: both were measured against the same reference.
Table overBaselines(const ReportFacts& facts)
{
    Table table{QStringLiteral("paper-baselines"),
                QStringLiteral("Speed-up of the best variant over each of the framework's own switches, of tasks where "
                               "both were timed, by the wall clock."),
                {{"baseline", "Over"}, {"level", "Level"}},
                {},
                false};
    const auto columns = numberColumns();
    table.columns.insert(table.columns.end(), columns.begin(), columns.end());
    for (const baselines::BaselineKind& kind : baselines::kinds()) {
        std::vector<Score> scores;
        for (const ReportedTask& task : facts.tasks)
            for (const ReportedBaseline& baseline : task.baselines)
                if (const base::Interval over = baseline.kind == &kind ? task.bestOver(baseline) : base::Interval();
                    over.valid())
                    scores.push_back({task.row.level, over.estimate});
        for (const LevelLine& line : levelLines(scores, FailureRule::LeftOut)) {
            std::vector<Cell> row{textCell(kind.name), textCell(lineName(line.level))};
            addNumbersOf(line, row);
            table.rows.push_back(std::move(row));
        }
    }
    return table;
}

} // namespace

void addPaperTables(const ReportFacts& facts, Document& document)
{
    if (facts.single())
        return;
    Section section{QStringLiteral("paper"), QStringLiteral("Tables as in the paper"), {}};
    section.blocks.emplace_back(
        Paragraph{{},
                  QStringLiteral("Success is a variant that is correct and was timed; >1.01× counts estimates, as the "
                                 "paper does, and not whole intervals. What a task "
                                 "without a success counts as changes means by a lot, so each rule has its rows."),
                  {},
                  Tone::Soft,
                  false});
    section.blocks.emplace_back(byLevel(facts, false));
    if (hasEvents(scoresOf(facts, true)))
        section.blocks.emplace_back(byLevel(facts, true));
    if (Table over = overBaselines(facts); !over.rows.empty())
        section.blocks.emplace_back(std::move(over));
    document.sections.push_back(std::move(section));
}

Table paperRecords(const ReportFacts& facts)
{
    Table table{QStringLiteral("records"),
                {},
                {{"clock", "Clock"}, {"level", "Level"}, {"failures", "Failures count as"}},
                {},
                false};
    const auto columns = numberColumns();
    table.columns.insert(table.columns.end(), columns.begin(), columns.end());
    for (const bool event : {false, true}) {
        if (event && !hasEvents(scoresOf(facts, true)))
            continue;
        for (std::vector<Cell>& row : byLevel(facts, event).rows) {
            row.insert(row.begin(), textCell(event ? QStringLiteral("event") : QStringLiteral("wall")));
            table.rows.push_back(std::move(row));
        }
    }
    return table;
}

} // namespace cudal1::report
