// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a report that speak of all tasks at once: numbers, distribution, table of tasks.
#include "core/base/spelled.h"
#include "core/charts/chartof.h"
#include "core/charts/numbertext.h"
#include "core/optimize/outcometext.h"
#include "core/protocol/marks.h"
#include "core/report/cells.h"
#include "core/report/chartblock.h"
#include "core/report/levels.h"
#include "core/report/sections.h"

#include <algorithm>

namespace cudal1::report {

namespace {

/// The histogram of the best of each task, or of the variants of a single one.
charts::Chart distributionOf(const ReportFacts& facts)
{
    if (!facts.single()) {
        charts::Numbers numbers;
        numbers.tasks = facts.rows;
        return charts::chartOf(charts::ChartKind::Distribution, numbers);
    }
    std::vector<double> speedups;
    for (const ReportedVariant& variant : facts.tasks.front().variants)
        if (const auto& e = variant.row.evaluation;
            e && !variant.row.stale && e->verdict == protocol::Verdict::Correct && e->wall.valid())
            speedups.push_back(e->wall.estimate);
    return charts::variantDistribution(facts.tasks.front().row, speedups);
}

QString leftOutText(const ReportFacts& facts)
{
    if (!facts.single())
        return QString::fromStdString(facts.version.sentence());
    const int others = facts.tasks.empty() ? 0 : facts.tasks.front().row.otherTexts;
    return others == 0 ? QString()
                       : QStringLiteral("%1 made for another text of the task %2 in no number here.")
                             .arg(charts::counted(others, "result", "results"),
                                  others == 1 ? QStringLiteral("is") : QStringLiteral("are"));
}

/// The numbers of a single task: its best variant by both clocks, the times behind them, the share that was correct.
Cards cardsOf(const ReportedTask& task)
{
    int judged = 0, correct = 0;
    for (const ReportedVariant& variant : task.variants)
        if (variant.row.evaluation && !variant.row.stale) {
            ++judged;
            correct += variant.row.evaluation->verdict == protocol::Verdict::Correct;
        }
    const ReportedVariant* shown = task.shownVariant();
    const bool timed = task.row.best.valid() && shown && shown->evaluation;
    const protocol::Speedup speedup = timed ? shown->evaluation->speedup : protocol::Speedup();
    Cell wall = numberCell(task.row.best.estimate, markedText(task.row.best, task.row.marks));
    wall.interval = task.row.best;
    wall.detail = charts::intervalText(task.row.best);
    Cell event = numberCell(speedup.event.speedup.estimate, charts::speedupText(speedup.event.speedup));
    event.interval = speedup.event.speedup;
    event.detail = charts::intervalText(speedup.event.speedup);
    Cell call = numberCell(speedup.wall.candidate_ns,
                           timed ? charts::timeText(speedup.wall.candidate_ns) : QStringLiteral("–"));
    if (timed)
        call.detail = QStringLiteral("from ") + charts::timeText(speedup.wall.reference_ns);
    Cell share_ = numberCell(correct, share(correct, judged));
    share_.detail = QStringLiteral("%1 of %2").arg(correct).arg(judged);
    return {{{"wall", QStringLiteral("Speed-up (wall)"), wall,
              timed ? fromUtf8(protocol::toString(base::compare(task.row.best)))
                    : QStringLiteral("no correct variant was timed")},
             {"event", QStringLiteral("By events"), event,
              protocol::clocksDisagree(task.row.best, speedup.event.speedup)
                  ? QStringLiteral("disagrees with the wall clock, which counts")
                  : QStringLiteral("on the caller's stream")},
             {"call_ns", QStringLiteral("One call"), call, QStringLiteral("median by the wall clock")},
             {"correct", QStringLiteral("Correct"), share_, QStringLiteral("variants judged")}}};
}

Cards cardsOf(const ReportFacts& facts)
{
    const charts::ProjectSummary& s = facts.summary;
    const QString rule = QStringLiteral("of all tried tasks; without a gain they count as 1×");
    Cell gains = numberCell(s.trueGains);
    const std::string sides = optimize::sidesText(facts.counted.counts);
    gains.detail = QStringLiteral("of %1 tasks").arg(s.tried) +
                   (sides.empty() ? QString() : QStringLiteral(", ") + fromUtf8(sides));
    const QString others = fromUtf8(charts::otherGainsText(s));
    const QString condition = QStringLiteral("at the reference's precision, the whole 95 % interval above %1×")
                                  .arg(store::TaskRow::leastGain);
    Cell correct = numberCell(s.correct);
    correct.detail = gains.detail;
    return {{{"true_gains", QStringLiteral("True gain"), gains,
              others.isEmpty() ? condition : condition + QStringLiteral("; besides ") + others},
             {"geometric_mean", QStringLiteral("Geometric mean"),
              numberCell(s.geometricMean, charts::speedupText(s.geometricMean)), rule},
             {"median", QStringLiteral("Median"), numberCell(s.median, charts::speedupText(s.median)), rule},
             {"correct", QStringLiteral("Correct"), correct,
              QStringLiteral("with at least one correct variant: ") + share(s.correct, s.tried)}}};
}

} // namespace

void addNumbers(const ReportFacts& facts, Document& document)
{
    if (facts.scope.kind == ReportScope::Kind::Comparison || facts.onlyBaselines())
        return;
    Section section{facts.single() ? QStringLiteral("task-numbers") : QStringLiteral("numbers"), {}, {}};
    if (facts.single())
        section.blocks.emplace_back(cardsOf(facts.tasks.front()));
    else
        section.blocks.emplace_back(cardsOf(facts));
    if (!facts.single()) {
        QString rule = QStringLiteral("A task counts with its best correct variant by the wall clock. %1 A gain at "
                                      "the reference's precision that nothing puts in question is better than one at "
                                      "another precision, and a questioned one comes last. Among such gains the best "
                                      "has the highest lower bound of the interval, so that luck in one measurement "
                                      "does not win.")
                           .arg(fromUtf8(protocol::countedInMeansText()));
        if (facts.summary.ownPrecision > 0 || facts.summary.inQuestion > 0)
            rule += QStringLiteral(" A true gain comes at the reference's precision, and no label puts it in question. "
                                   "The tables name gains at another precision and questioned ones as such.");
        if (facts.untried > 0)
            rule += QStringLiteral(" %1 not tried yet and counted nowhere.")
                        .arg(facts.untried == 1 ? QStringLiteral("One task was")
                                                : QStringLiteral("%1 tasks were").arg(facts.untried));
        section.blocks.emplace_back(Paragraph{{}, rule, {}, Tone::Soft, false});
    }
    document.sections.push_back(std::move(section));
    if (const QString leftOut = leftOutText(facts); !leftOut.isEmpty())
        document.sections.push_back({{}, {}, {Paragraph{{}, leftOut, QStringLiteral("left-out"), Tone::Soft, false}}});
}

void addDistribution(const ReportFacts& facts, Document& document)
{
    if (facts.scope.kind == ReportScope::Kind::Comparison || facts.onlyBaselines())
        return;
    const charts::Chart chart = distributionOf(facts);
    Section section{QStringLiteral("distribution"), QStringLiteral("Distribution"), {}};
    if (chart.isEmpty()) {
        section.title.clear();
        section.blocks.emplace_back(Paragraph{
            {}, QStringLiteral("No speed-up has been measured yet: nothing to draw."), {}, Tone::Soft, false});
        document.sections.push_back(std::move(section));
        return;
    }
    section.blocks.emplace_back(Heading{chart.title, {}});
    section.blocks.emplace_back(chartBlock(chart));
    section.blocks.emplace_back(percentileTable(facts));
    document.sections.push_back(std::move(section));
}

void addTaskTable(const ReportFacts& facts, Document& document)
{
    if (facts.single() || facts.tasks.empty() || facts.onlyBaselines())
        return;
    const bool linked = facts.scope.shape == Template::Full;
    Table table{QStringLiteral("tasks-table"),
                {},
                {{"task", "Task"},
                 {"name", "Name"},
                 {"state", "State"},
                 {"wall", "Speed-up (wall)", true},
                 {"event", "By events", true},
                 {"variants", "Variants", true},
                 {"techniques", "Techniques of the best"}},
                {}};
    int place = 0;
    for (const ReportedTask& task : facts.tasks) {
        const ReportedVariant* best = task.row.bestVariant ? task.shownVariant() : nullptr;
        Cell id = textCell(task.row.id.value);
        id.order = place++;
        if (linked)
            id.target = anchorOf(task.row.id);
        Cell techniques;
        if (best)
            for (const std::string& technique : best->row.techniques)
                techniques.tags << fromUtf8(base::spelled(technique));
        table.rows.push_back(
            {id, textCell(task.row.name), textCell(charts::stateText(task.row)),
             speedupCell(task.row.best, task.row.marks),
             eventCell(best && best->row.evaluation ? best->row.evaluation->event : base::Interval(), task.row.best),
             numberCell(task.row.variants), techniques});
    }
    if (std::all_of(table.rows.begin(), table.rows.end(), [](const auto& row) { return row.back().tags.isEmpty(); })) {
        table.columns.pop_back(); // imported variants name no techniques
        for (auto& row : table.rows)
            row.pop_back();
    }
    document.sections.push_back({QStringLiteral("tasks"), QStringLiteral("Tasks"), {std::move(table)}});
}

} // namespace cudal1::report
