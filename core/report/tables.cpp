// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of a report that are tables of their own: verdicts, baselines, published results, runs; and the records.
#include "core/charts/numbertext.h"
#include "core/protocol/codes.h"
#include "core/rejudge/publishedclaims.h"
#include "core/report/cells.h"
#include "core/report/sections.h"

#include <algorithm>
#include <map>

namespace cudal1::report {

namespace {

QString stateText(store::RunState state)
{
    return state == store::RunState::Running ? QStringLiteral("running or cut off")
                                             : QString::fromLatin1(store::runStateWord(state));
}

Cell durationCell(const store::RunRecord& run)
{
    const double seconds = double(run.updated_ms - run.created_ms) / 1000;
    return numberCell(seconds, charts::durationText(seconds));
}

} // namespace

void addRun(const ReportFacts& facts, Document& document)
{
    if (!facts.run)
        return;
    const store::RunRecord& run = *facts.run;
    FactList list;
    addFact(list, "kind", QStringLiteral("Kind"), fromUtf8(run.kind));
    addFact(list, "task", QStringLiteral("Task"), fromUtf8(run.task.value));
    addFact(list, "state", QStringLiteral("State"),
            stateText(run.state) + (run.message.empty() ? QString() : QStringLiteral(": ") + fromUtf8(run.message)));
    addFact(list, "started", QStringLiteral("Started"), dateCell(run.created_ms));
    addFact(list, "took", QStringLiteral("Took"), durationCell(run));
    Section section{QStringLiteral("run"), QStringLiteral("Run %1").arg(run.id.value), {std::move(list)}};
    if (facts.runByTime)
        section.blocks.emplace_back(
            Paragraph{{},
                      QStringLiteral("This run judged variants that were there before; those whose newest evaluation "
                                     "was stored while it ran are meant here."),
                      {},
                      Tone::Soft,
                      false});
    section.blocks.emplace_back(CodeListing{QStringLiteral("parameters"), fromUtf8(run.parameters), false});
    document.sections.push_back(std::move(section));
}

namespace {

qsizetype claimsOf(const ReportFacts& facts)
{
    auto count = qsizetype(facts.withoutCode.size());
    for (const ReportedTask& task : facts.tasks)
        for (const ReportedVariant& variant : task.variants)
            count += qsizetype(variant.claims.size());
    return count;
}

/// An overview names the claims of a few; the template of claims has their sums.
bool areTooManyClaims(const ReportFacts& facts)
{
    constexpr qsizetype most = 40;
    return facts.isOverview() && claimsOf(facts) > most;
}

} // namespace

void addLeftOut(const ReportFacts& facts, Document& document)
{
    qsizetype variants = 0, baselines = 0;
    for (const ReportedTask& task : facts.tasks) {
        variants += qsizetype(task.variants.size());
        baselines += qsizetype(task.baselines.size());
    }
    struct Kind {
        qsizetype count;
        const char *one, *many;
    };
    const Kind kinds[]{
        {variants, "variant with its code and all verdicts", "variants with their code and all verdicts"},
        {baselines, "baseline", "baselines"},
        {qsizetype(facts.ablations.size()), "ablation", "ablations"},
        {qsizetype(facts.timelines.size()), "timeline", "timelines"},
        {qsizetype(facts.kernels.size()), "call with the counters of its kernels",
         "calls with the counters of their kernels"},
        {areTooManyClaims(facts) ? claimsOf(facts) : 0, "published claim",
         "published claims, whose sums the template of claims has"},
    };
    QStringList what;
    for (const auto& [count, one, many] : kinds)
        if (count > 0)
            what << charts::counted(count, one, many);
    if (what.isEmpty())
        return;
    const QString text = QStringLiteral("has what this summary leaves out: %1. The summary of one task has its "
                                        "ablations, baselines, timelines and kernels too.")
                             .arg(what.join(QStringLiteral(", ")));
    document.sections.push_back({QStringLiteral("left-out"),
                                 QStringLiteral("What is left out"),
                                 {Paragraph{QStringLiteral("The full report"), text, {}, Tone::Plain, false}}});
}

void addVerdicts(const ReportFacts& facts, Document& document)
{
    if (facts.single())
        return;
    struct Count {
        int number = 0;
        std::map<std::string, int> reasons;
    };
    std::map<QString, Count> counts;
    int all = 0;
    for (const ReportedTask& task : facts.tasks)
        for (const ReportedVariant& variant : task.variants) {
            ++all;
            Count& count = counts[variant.evaluation ? charts::verdictText(variant.evaluation->verdict)
                                                     : QStringLiteral("waiting")];
            ++count.number;
            if (!variant.evaluation)
                continue;
            const auto& reasons = variant.evaluation->verdict == protocol::Verdict::Correct
                                    ? variant.evaluation->labels
                                    : variant.evaluation->reasons;
            for (const protocol::Reason& reason : reasons)
                ++count.reasons[reason.code];
        }
    if (all == 0)
        return;
    Table table{QStringLiteral("verdict-counts"),
                {},
                {{"verdict", "Verdict"},
                 {"variants", "Variants", true},
                 {"share", "Share", true},
                 {"reasons", "Reasons and labels"}},
                {}};
    std::vector<std::pair<QString, const Count*>> order;
    order.reserve(counts.size());
    for (const auto& [name, count] : counts)
        order.emplace_back(name, &count);
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.second->number > b.second->number; });
    for (const auto& [name, count] : order) {
        std::vector<std::pair<int, std::string>> reasons;
        for (const auto& [code, number] : count->reasons)
            reasons.emplace_back(-number, code);
        std::sort(reasons.begin(), reasons.end());
        Cell why;
        for (const auto& [number, code] : reasons)
            why.tags << QStringLiteral("%1 %2").arg(fromUtf8(code), QString::number(-number));
        table.rows.push_back({textCell(name), numberCell(count->number),
                              numberCell(double(count->number) / all, share(count->number, all)), why});
    }
    Section section{QStringLiteral("verdicts"), QStringLiteral("Verdicts"), {std::move(table)}};
    FactList meanings;
    for (const protocol::Code& code : protocol::codes())
        if (std::any_of(counts.begin(), counts.end(),
                        [&](const auto& one) { return one.second.reasons.contains(std::string(code.code)); }))
            addFact(meanings, code.code.data(), fromUtf8(std::string(code.code)), fromUtf8(std::string(code.meaning)));
    if (!meanings.facts.empty())
        section.blocks.emplace_back(std::move(meanings));
    document.sections.push_back(std::move(section));
}

void addBaselines(const ReportFacts& facts, Document& document)
{
    Table table{QStringLiteral("baseline-rows"),
                QStringLiteral("What the framework's own switches make of the tasks, judged like any variant. Eager is "
                               "the reference itself: what it differs from 1× by is the method's own error."),
                {{"task", "Task"},
                 {"baseline", "Baseline"},
                 {"verdict", "Verdict"},
                 {"wall", "Speed-up (wall)", true},
                 {"event", "By events", true},
                 {"eager_ns", "Eager beside it", true},
                 {"baseline_ns", "One call", true},
                 {"best_over", "Best variant over it", true}},
                {}};
    int place = 0;
    for (const ReportedTask& task : facts.tasks)
        for (const ReportedBaseline& row : task.baselines) {
            const baselines::BaselineResult& found = *row.found;
            const bool correct = row.correct();
            Cell id = textCell(task.row.id.value);
            id.order = place++;
            Cell verdict = textCell(charts::verdictText(found.verdict), correct ? Tone::Gain : Tone::Loss);
            verdict.sign = correct ? QStringLiteral("✓") : QStringLiteral("✗");
            verdict.below = fromUtf8(found.reason.text);
            table.rows.push_back({id, textCell(row.kind->name), verdict, speedupCell(found.wall.speedup, found.marks),
                                  eventCell(found.event.speedup, found.wall.speedup), timeCell(found.wall.reference_ns),
                                  timeCell(found.wall.candidate_ns), speedupCell(task.bestOver(row))});
        }
    if (!table.rows.empty())
        document.sections.push_back({QStringLiteral("baselines"), QStringLiteral("Baselines"), {std::move(table)}});
}

namespace {

Cell deviceCell(const store::ClaimRecord& claim)
{
    const rejudge::ClaimedDevice device = rejudge::claimedDevice(claim);
    Cell cell = textCell(device.name);
    if (device.byFileName)
        cell.below = QStringLiteral("by the file's name");
    return cell;
}

/// A claim beside what was found of its variant; null for one without code. `place`: in the order of the rows.
std::vector<Cell> publishedRow(const store::ClaimRecord& claim, const ReportedVariant* variant, int place)
{
    const auto* evaluation = variant && variant->row.evaluation ? &*variant->row.evaluation : nullptr;
    const base::Interval wall = evaluation ? evaluation->wall : base::Interval();
    Cell key = textCell(claim.key), task = textCell(claim.task.value), none = noCell();
    key.order = place;
    task.order = place;
    const double ratio = claim.speedup && wall.valid() ? *claim.speedup / wall.estimate : 0;
    QStringList others;
    for (const rejudge::ClaimedOver& one : rejudge::claimedOver(claim))
        if (one.over != "eager")
            others << charts::speedupText(one.speedup) + QLatin1Char(' ') + fromUtf8(one.over);
    return {key,
            task,
            variant ? numberCell(double(variant->row.id.value)) : none,
            deviceCell(claim),
            claim.speedup ? numberCell(*claim.speedup, charts::speedupText(*claim.speedup)) : none,
            textCell(others.join(QStringLiteral(", "))),
            eventCell(evaluation ? evaluation->event : base::Interval(), wall),
            speedupCell(wall, evaluation ? evaluation->marks : std::string()),
            variant ? verdictCell(variant->row) : textCell(QStringLiteral("no code"), Tone::Soft),
            ratio > 0 ? numberCell(ratio, charts::speedupText(ratio)) : none,
            textCell(claim.source)};
}

} // namespace

void addPublished(const ReportFacts& facts, Document& document)
{
    if (areTooManyClaims(facts))
        return;
    Table table{QStringLiteral("claims"),
                QStringLiteral("What was published beside what was found here, one row for each device that it was "
                               "published for. Claims are by the clock and on the device of their authors."),
                {{"key", "Row"},
                 {"task", "Task"},
                 {"variant", "Variant", true},
                 {"device", "Device"},
                 {"claimed", "Claimed", true},
                 {"others", "Claimed over others"},
                 {"event", "By events", true},
                 {"wall", "By wall", true},
                 {"verdict", "Verdict"},
                 {"claim_over_wall", "Claim over wall", true},
                 {"source", "Source"}},
                {}};
    for (const ReportedTask& task : facts.tasks)
        for (const ReportedVariant& variant : task.variants)
            for (const store::ClaimRecord& claim : variant.claims)
                table.rows.push_back(publishedRow(claim, &variant, int(table.rows.size())));
    for (const store::ClaimRecord& claim : facts.withoutCode)
        table.rows.push_back(publishedRow(claim, nullptr, int(table.rows.size())));
    if (table.rows.empty())
        return;
    const QString source = table.rows.front().back().text;
    if (std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) { return row.back().text == source; })) {
        table.caption += QStringLiteral(" Source: ") + source + QLatin1Char('.');
        table.columns.pop_back();
        for (auto& row : table.rows)
            row.pop_back();
    }
    document.sections.push_back({QStringLiteral("published"), QStringLiteral("Published results"), {std::move(table)}});
}

void addRuns(const ReportFacts& facts, Document& document)
{
    if (facts.runs.empty())
        return;
    Table table{QStringLiteral("run-rows"),
                {},
                {{"run", "Run", true},
                 {"kind", "Kind"},
                 {"task", "Task"},
                 {"state", "State"},
                 {"started", "Started", true},
                 {"took_s", "Took", true}},
                {}};
    for (const store::RunRecord& run : facts.runs) {
        Cell state = textCell(stateText(run.state));
        state.below = fromUtf8(run.message);
        table.rows.push_back({numberCell(double(run.id.value)), textCell(run.kind), textCell(run.task.value), state,
                              dateCell(run.created_ms), durationCell(run)});
    }
    document.sections.push_back({QStringLiteral("runs"), QStringLiteral("Runs"), {std::move(table)}});
}

} // namespace cudal1::report
