// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a report that speaks of one task: verdict, times, analysis, code, differences, variants.
#include "core/base/spelled.h"
#include "core/charts/numbertext.h"
#include "core/optimize/handedover.h"
#include "core/optimize/outcometext.h"
#include "core/protocol/codes.h"
#include "core/protocol/marks.h"
#include "core/protocol/versus.h"
#include "core/rejudge/publishedclaims.h"
#include "core/report/cells.h"
#include "core/report/differences.h"
#include "core/report/sections.h"

#include <array>

namespace cudal1::report {

namespace {

void addClock(FactList& list, const char* key, const QString& name, const protocol::ClockSpeedup& clock,
              const QString& below = {})
{
    auto cell = clockCell(clock);
    if (!cell)
        return;
    cell->below = below;
    addFact(list, key, name, std::move(*cell));
}

FactList evaluationFacts(const protocol::Evaluation& e)
{
    FactList list;
    addFact(list, "verdict", QStringLiteral("Verdict"), charts::verdictText(e.verdict));
    addClock(list, "wall", QStringLiteral("Wall clock"), e.speedup.wall);
    addClock(list, "event", QStringLiteral("Events"), e.speedup.event);
    addClock(list, "gpu_busy", QStringLiteral("GPU busy"), e.speedup.gpuBusy,
             fromUtf8(protocol::recordedBusyText(e.speedup)));
    if (e.trials.run > 0)
        addFact(list, "trials", QStringLiteral("Trials"),
                numberCell(e.trials.passed, QStringLiteral("%1 of %2 passed, worst relative error %3")
                                                .arg(e.trials.passed)
                                                .arg(e.trials.run)
                                                .arg(e.trials.worstRelativeError, 0, 'g', 2)));
    const QString mode = fromUtf8(protocol::toString(e.precision.mode));
    if (e.precision.matched) {
        addFact(list, "precision", QStringLiteral("Precision"), mode + QStringLiteral(", the same on both sides"));
    } else {
        addFact(list, "precision", QStringLiteral("Precision"),
                textCell(QStringLiteral("%1, differs: variant %2, reference %3")
                             .arg(mode, fromUtf8(e.precision.candidate), fromUtf8(e.precision.reference)),
                         Tone::Warning));
    }
    addClock(list, "same_precision", QStringLiteral("Same precision"), e.precision.atCandidateSettings);
    if (e.control.wall.valid()) {
        Cell control = numberCell(e.control.wall.estimate, charts::speedupText(e.control.wall));
        control.interval = e.control.wall;
        control.detail = charts::intervalText(e.control.wall) + QStringLiteral(", the reference against itself");
        addFact(list, "control", QStringLiteral("Control"), std::move(control));
    }
    if (e.floor.time_ns > 0)
        addFact(list, "floor", QStringLiteral("Judge's limit"),
                numberCell(e.floor.time_ns, QStringLiteral("%1, which the part of %2 that no cache holds takes to move")
                                                .arg(charts::timeText(e.floor.time_ns),
                                                     charts::bytesText(e.floor.read_bytes + e.floor.written_bytes))));
    if (e.confirmation.run)
        addFact(list, "confirmation", QStringLiteral("Second look"),
                charts::verdictText(e.confirmation.verdict) +
                    (e.confirmation.wall.valid() ? QStringLiteral(", %1 (%2)")
                                                       .arg(charts::speedupText(e.confirmation.wall.speedup),
                                                            charts::intervalText(e.confirmation.wall.speedup))
                                                 : QString()));
    if (e.paper)
        addFact(list, "paper", QStringLiteral("Paper's protocol"),
                QStringLiteral("%1 by events, %2 by wall, %3")
                    .arg(charts::speedupText(e.paper->event.reported), charts::speedupText(e.paper->wall.reported),
                         e.paper->accepted ? QStringLiteral("accepted") : QStringLiteral("not accepted")));
    addFact(list, "stop", QStringLiteral("Measuring stopped"), fromUtf8(protocol::stopText(e.stopReason)));
    addFact(list, "device", QStringLiteral("Device"),
            fromUtf8(e.device.model.empty() ? e.device.name : e.device.model));
    addFact(list, "seed", QStringLiteral("Seed"), QString::number(e.seed));
    return list;
}

Tone toneOfCode(const protocol::Code* code)
{
    return code && code->severity == protocol::Severity::Note ? Tone::Soft : Tone::Warning;
}

void addFindings(const protocol::Evaluation& e, Section& section)
{
    for (const auto* list : {&e.reasons, &e.labels})
        for (const protocol::Reason& reason : *list) {
            const Tone tone = list == &e.reasons ? Tone::Loss : toneOfCode(protocol::findCode(reason.code));
            section.blocks.emplace_back(FindingBlock{fromUtf8(reason.code), fromUtf8(reason.text),
                                                     fromUtf8(reason.evidence), tone,
                                                     fromUtf8(protocol::meaningOf(reason.code))});
        }
}

void addAnalysis(const store::VariantRecord& variant, Section& section)
{
    const std::array<std::pair<const char*, const std::string*>, 3> parts{
        {{"Performance analysis", &variant.performanceAnalysis},
         {"Algorithm design", &variant.algorithmDesign},
         {"Code implementation", &variant.codeImplementation}}};
    for (const auto& [name, words] : parts)
        if (!words->empty()) {
            section.blocks.emplace_back(Heading{QLatin1String(name), {}});
            section.blocks.emplace_back(Paragraph{{}, fromUtf8(*words), {}, Tone::Plain, true});
        }
}

Table variantTable(const ReportedTask& task)
{
    Table table{{},
                {},
                {{"variant", "Variant", true},
                 {"verdict", "Verdict"},
                 {"wall", "Speed-up (wall)", true},
                 {"event", "By events", true},
                 {"techniques", "Techniques"},
                 {"origin", "Origin"},
                 {"device", "Device"},
                 {"made", "Made", true}},
                {}};
    for (const ReportedVariant& variant : task.variants) {
        const store::VariantRow& row = variant.row;
        const base::Interval wall = row.evaluation ? row.evaluation->wall : base::Interval();
        Cell techniques;
        for (const std::string& technique : row.techniques)
            techniques.tags << fromUtf8(base::spelled(technique));
        table.rows.push_back({numberCell(double(row.id.value)), verdictCell(row),
                              speedupCell(wall, row.evaluation ? row.evaluation->marks : std::string()),
                              eventCell(row.evaluation ? row.evaluation->event : base::Interval(), wall), techniques,
                              textCell(row.origin),
                              textCell(row.evaluation ? optimize::measuredOn(*row.evaluation) : std::string()),
                              dateCell(row.created_ms)});
    }
    return table;
}

QString variantName(const ReportedVariant& variant)
{
    return QStringLiteral("variant %1").arg(variant.row.id.value);
}

/// Everything of one variant. `open`: its difference from the reference stands unfolded.
void addVariant(const ReportedVariant& variant, const ReportedTask& task, bool open, Section& section)
{
    if (variant.evaluation) {
        section.blocks.emplace_back(evaluationFacts(*variant.evaluation));
        addFindings(*variant.evaluation, section);
    } else {
        section.blocks.emplace_back(Paragraph{{}, QStringLiteral("Not judged yet."), {}, Tone::Soft, false});
    }
    for (const store::ClaimRecord& claim : variant.claims)
        section.blocks.emplace_back(
            Paragraph{QStringLiteral("Claimed"),
                      QStringLiteral("%1, by %2").arg(fromUtf8(rejudge::claimText(claim)), fromUtf8(claim.source)),
                      {},
                      Tone::Plain,
                      false});
    if (!variant.record)
        return;
    addAnalysis(*variant.record, section);
    section.blocks.emplace_back(Heading{QStringLiteral("Code"), {}});
    section.blocks.emplace_back(
        differenceOf(QStringLiteral("reference"), task.source, variantName(variant), variant.record->source, open));
    section.blocks.emplace_back(CodeListing{variantName(variant), fromUtf8(variant.record->source), false});
}

void addTask(const ReportFacts& facts, const ReportedTask& task, Document& document)
{
    const bool full = facts.scope.shape == Template::Full;
    Section section{anchorOf(task.row.id), fromUtf8(task.row.id.value + " " + task.row.name), {}, true};
    const ReportedVariant* shown = task.shownVariant();
    if (!shown) {
        section.blocks.emplace_back(
            Paragraph{{}, QStringLiteral("No variant has been judged yet."), {}, Tone::Soft, false});
    } else {
        const bool kept = optimize::referenceIsBest(task.row.best);
        if (kept && task.row.bestVariant)
            section.blocks.emplace_back(
                Paragraph{{},
                          fromUtf8(optimize::referenceIsBestText(task.row.bestVariant, task.row.best)),
                          QStringLiteral("reference-is-best"),
                          Tone::Plain,
                          false});
        section.blocks.emplace_back(Heading{
            (task.row.bestVariant ? (kept ? QStringLiteral("Fastest variant: %1") : QStringLiteral("Best variant: %1"))
                                  : QStringLiteral("No variant is correct; the latest: %1"))
                .arg(shown->row.id.value),
            QStringLiteral("by ") + fromUtf8(shown->row.origin)});
        if (const auto slow = task.slowHost())
            section.blocks.emplace_back(Paragraph{{}, fromUtf8(optimize::slowHostText(*slow)), {}, Tone::Plain, false});
        if (const auto rival = task.rival())
            section.blocks.emplace_back(Paragraph{{}, fromUtf8(optimize::rivalText(*rival)), {}, Tone::Plain, false});
        if (full)
            addVariant(*shown, task, true, section);
        else if (shown->evaluation) {
            section.blocks.emplace_back(evaluationFacts(*shown->evaluation));
            addFindings(*shown->evaluation, section);
        }
    }
    if (full)
        section.blocks.emplace_back(CodeListing{QStringLiteral("reference"), fromUtf8(task.source), false});
    if (!task.variants.empty()) {
        section.blocks.emplace_back(Heading{QStringLiteral("Variants"), {}});
        section.blocks.emplace_back(variantTable(task));
    }
    document.sections.push_back(std::move(section));
    if (!full)
        return;
    // Every verdict has its reasons: of a single task each variant has a part of its own, else those with something to
    // say.
    for (std::size_t at = 0; at < task.variants.size(); ++at) {
        const ReportedVariant& variant = task.variants[at];
        if (at == task.shown || !variant.evaluation)
            continue;
        const bool says = !variant.evaluation->reasons.empty() || !variant.evaluation->labels.empty();
        const bool whole = facts.single() && facts.scope.kind != ReportScope::Kind::Ablation;
        if (!whole && !says)
            continue;
        Section own{QStringLiteral("variant-%1").arg(variant.row.id.value), {}, {}};
        own.blocks.emplace_back(
            Heading{QStringLiteral("Variant %1: %2")
                        .arg(QString::number(variant.row.id.value), charts::verdictText(variant.evaluation->verdict)),
                    QStringLiteral("by ") + fromUtf8(variant.row.origin)});
        if (whole)
            addVariant(variant, task, false, own);
        else
            addFindings(*variant.evaluation, own);
        document.sections.push_back(std::move(own));
    }
}

} // namespace

void addTasks(const ReportFacts& facts, Document& document)
{
    if (facts.scope.kind == ReportScope::Kind::Comparison || (!facts.single() && facts.scope.shape != Template::Full))
        return;
    for (const ReportedTask& task : facts.tasks)
        if (facts.scope.kind != ReportScope::Kind::Project || !task.variants.empty())
            addTask(facts, task, document);
}

void addComparison(const ReportFacts& facts, Document& document)
{
    if (facts.scope.kind != ReportScope::Kind::Comparison)
        return;
    const ReportedTask& task = facts.tasks.front();
    const ReportedVariant& first = task.variants.front();
    Section section{QStringLiteral("comparison"), QStringLiteral("Compared"), {}};
    section.blocks.emplace_back(variantTable(task));
    Table table{
        QStringLiteral("versus"),
        QStringLiteral("%1 against the others: above 1× it is the faster one. Each was measured against the same "
                       "reference; the interval joins both of theirs.")
            .arg(variantName(first)),
        {{"other", "Against", true}, {"wall", "Ratio (wall)", true}, {"event", "By events", true}, {"why", "Remark"}},
        {},
        false};
    for (std::size_t at = 1; at < task.variants.size(); ++at) {
        const ReportedVariant& other = task.variants[at];
        Cell why;
        protocol::Versus versus;
        if (first.evaluation && other.evaluation) {
            if (auto found = protocol::versus(*first.evaluation, *other.evaluation))
                versus = *found,
                why = textCell(fromUtf8(protocol::hostText(*found, "#" + std::to_string(first.row.id.value),
                                                           "#" + std::to_string(other.row.id.value))));
            else
                why = textCell(found.error().message);
        } else {
            why = textCell(QStringLiteral("not judged yet"));
        }
        table.rows.push_back({numberCell(double(other.row.id.value)), speedupCell(versus.wall),
                              eventCell(versus.event, versus.wall), why});
    }
    section.blocks.emplace_back(std::move(table));
    document.sections.push_back(std::move(section));
    const bool full = facts.scope.shape == Template::Full;
    for (const ReportedVariant& variant : task.variants) {
        Section own{QStringLiteral("variant-%1").arg(variant.row.id.value),
                    QStringLiteral("Variant %1").arg(variant.row.id.value),
                    {},
                    full};
        if (full) {
            addVariant(variant, task, &variant == &first, own);
            if (&variant != &first && variant.record && first.record)
                own.blocks.emplace_back(differenceOf(variantName(first), first.record->source, variantName(variant),
                                                     variant.record->source, true));
        } else if (variant.evaluation) {
            own.blocks.emplace_back(evaluationFacts(*variant.evaluation));
            addFindings(*variant.evaluation, own);
        }
        document.sections.push_back(std::move(own));
    }
}

} // namespace cudal1::report
