// SPDX-License-Identifier: GPL-3.0-or-later
// One row a variant or baseline with every number of its newest evaluation: what spreadsheets and scripts want.
#include "core/charts/numbertext.h"
#include "core/rejudge/publishedclaims.h"
#include "core/report/cells.h"
#include "core/report/sections.h"

#include <algorithm>

namespace cudal1::report {

namespace {

Cell empty()
{
    return {};
}

void addInterval(std::vector<Cell>& row, const base::Interval& interval)
{
    for (const double value : {interval.estimate, interval.low, interval.high})
        row.push_back(interval.valid() ? numberCell(value) : empty());
}

Cell positive(double value)
{
    return value > 0 ? numberCell(value) : empty();
}

/// 1 or 0 in a table of numbers, and true or false where a format has both.
Cell truthCell(bool value)
{
    return numberCell(value, value ? QStringLiteral("true") : QStringLiteral("false"));
}

QString codes(const std::vector<protocol::Reason>& reasons)
{
    QStringList list;
    for (const protocol::Reason& reason : reasons)
        list << fromUtf8(reason.code);
    return list.join(QStringLiteral("; "));
}

QString joined(const std::vector<std::string>& texts)
{
    QStringList list;
    for (const std::string& text : texts)
        list << fromUtf8(text);
    return list.join(QStringLiteral("; "));
}

std::vector<Column> columnsOf()
{
    std::vector<Column> columns;
    for (const char* key : {"task",
                            "level",
                            "name",
                            "suite",
                            "variant",
                            "baseline",
                            "origin",
                            "techniques",
                            "best",
                            "verdict",
                            "reasons",
                            "first_reason",
                            "labels",
                            "wall",
                            "wall_low",
                            "wall_high",
                            "event",
                            "event_low",
                            "event_high",
                            "gpu_busy",
                            "gpu_busy_low",
                            "gpu_busy_high",
                            "reference_ns",
                            "variant_ns",
                            "trials_run",
                            "trials_passed",
                            "worst_relative_error",
                            "precision",
                            "precision_matched",
                            "same_precision",
                            "same_precision_low",
                            "same_precision_high",
                            "floor_ns",
                            "claimed",
                            "claims",
                            "device",
                            "driver",
                            "torch",
                            "cuda",
                            "preset",
                            "seed",
                            "measured_ms"})
        columns.push_back({QLatin1String(key), QLatin1String(key)});
    return columns;
}

std::vector<Cell> rowOf(const ReportedTask& task, const ReportedVariant& variant)
{
    const store::VariantRow& row = variant.row;
    std::vector<Cell> cells{
        textCell(task.row.id.value), numberCell(task.row.level),       textCell(task.row.name),
        textCell(task.row.suite),    numberCell(double(row.id.value)), textCell(row.baseline),
        textCell(row.origin),        textCell(joined(row.techniques)), truthCell(row.id == task.row.bestVariant)};
    if (!variant.evaluation) {
        cells.push_back(textCell(QStringLiteral("waiting")));
        return cells;
    }
    const protocol::Evaluation& e = *variant.evaluation;
    cells.push_back(textCell(protocol::toString(e.verdict)));
    cells.push_back(textCell(codes(e.reasons)));
    cells.push_back(textCell(row.evaluation->firstReason));
    cells.push_back(textCell(codes(e.labels)));
    for (const protocol::ClockSpeedup* clock : {&e.speedup.wall, &e.speedup.event, &e.speedup.gpuBusy})
        addInterval(cells, clock->speedup);
    cells.push_back(positive(e.speedup.wall.reference_ns));
    cells.push_back(positive(e.speedup.wall.candidate_ns));
    cells.push_back(numberCell(e.trials.run));
    cells.push_back(numberCell(e.trials.passed));
    cells.push_back(e.trials.run > 0 ? numberCell(e.trials.worstRelativeError) : empty());
    cells.push_back(textCell(protocol::toString(e.precision.mode)));
    cells.push_back(truthCell(e.precision.matched));
    addInterval(cells, e.precision.atCandidateSettings.speedup);
    cells.push_back(positive(e.floor.time_ns));
    const store::ClaimRecord* claim = variant.claims.empty() ? nullptr : &variant.claims.front();
    cells.push_back(claim && claim->speedup ? numberCell(*claim->speedup) : empty());
    std::string claims;
    for (const store::ClaimRecord& one : variant.claims)
        claims += (claims.empty() ? "" : "; ") + rejudge::claimText(one);
    cells.push_back(claims.empty() ? empty() : textCell(claims));
    for (const std::string* text : {&e.device.model, &e.device.driver, &e.environment.torch, &e.environment.cuda})
        cells.push_back(textCell(*text));
    cells.push_back(textCell(protocol::toString(e.preset)));
    cells.push_back(textCell(QString::number(e.seed))); // as text: more digits than a double has
    cells.push_back(numberCell(double(row.evaluation->created_ms)));
    return cells;
}

} // namespace

Table variantRecords(const ReportFacts& facts)
{
    Table table{QStringLiteral("records"), {}, columnsOf(), {}, false};
    for (const ReportedTask& task : facts.tasks) {
        for (const ReportedVariant& variant : task.variants)
            table.rows.push_back(rowOf(task, variant));
        for (const ReportedBaseline& baseline : task.baselines)
            table.rows.push_back(rowOf(task, baseline.measured));
    }
    for (std::vector<Cell>& row : table.rows)
        row.resize(table.columns.size());
    return table;
}

} // namespace cudal1::report
