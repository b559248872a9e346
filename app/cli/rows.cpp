// SPDX-License-Identifier: GPL-3.0-or-later
// Texts and JSON of variants and evaluations.
#include "app/cli/rows.h"

#include "app/cli/papertext.h"
#include "app/cli/texttable.h"
#include "core/base/cuttext.h"
#include "core/base/ratiotext.h"
#include "core/base/timetext.h"
#include "core/optimize/outcometext.h"
#include "core/protocol/codes.h"
#include "core/protocol/marks.h"

#include <QDateTime>

#include <algorithm>
#include <cstdio>

namespace cudal1::cli {

using base::durationText;
using optimize::speedupText;
using Tone = Terminal::Tone;

std::string tonedVerdict(const Terminal& terminal, protocol::Verdict verdict)
{
    return terminal.toned(verdict == protocol::Verdict::Correct ? Tone::Good : Tone::Bad,
                          optimize::verdictText(verdict));
}

std::string ageText(std::int64_t created_ms)
{
    return base::ageText(created_ms, QDateTime::currentMSecsSinceEpoch());
}

std::string agoText(std::int64_t created_ms)
{
    return base::agoText(created_ms, QDateTime::currentMSecsSinceEpoch());
}

std::string formatted(const char* format, double value)
{
    char out[64];
    std::snprintf(out, sizeof out, format, value);
    return out;
}

std::string fourDigits(double value)
{
    return formatted("%.4g", value);
}

std::string costText(double cost, const std::string& unit)
{
    return fourDigits(cost) + " " + unit;
}

std::string valueText(const base::Interval& value)
{
    return base::threeDigits(value.estimate) + " (" + base::threeDigits(value.low) + "–" +
           base::threeDigits(value.high) + ")";
}

std::string levelText(std::optional<int> level)
{
    if (!level)
        return "all";
    return *level > 0 ? std::to_string(*level) : "files";
}

std::string indented(const std::string& text, const std::string& margin)
{
    std::string out;
    const std::string body = text.substr(0, text.find_last_not_of("\n ") + 1);
    for (std::size_t at = 0; at <= body.size();) {
        const std::size_t end = std::min(body.find('\n', at), body.size());
        if (at > 0)
            out += '\n';
        if (end > at) // blank lines get no margin
            out += margin + body.substr(at, end - at);
        at = end + 1;
    }
    return out;
}

std::string codesLegend(const Terminal& terminal, const std::set<std::string>& codes)
{
    const std::string text = protocol::legendText(codes);
    return text.empty() ? text : "\n\n" + terminal.toned(Tone::Dim, text);
}

std::string variantsTable(const Terminal& terminal, const std::vector<store::VariantRow>& rows)
{
    if (rows.empty())
        return "No variants yet.";
    double most = 1;
    for (const store::VariantRow& row : rows)
        if (row.evaluation && row.evaluation->verdict == protocol::Verdict::Correct)
            most = std::max(most, row.evaluation->wall.estimate);
    TextTable table({{"id", TextTable::Align::Right},
                     TextTable::whole("verdict"),
                     {"", TextTable::Align::Left, TextTable::Fit::LeaveOut},
                     TextTable::whole("speed-up (wall)"),
                     TextTable::whole("by events"),
                     {"techniques"},
                     {"device"},
                     {"age", TextTable::Align::Right},
                     {"reason"}});
    bool clocksDisagree = false;
    for (const store::VariantRow& row : rows) {
        std::vector<std::string> cells(9);
        cells[0] = std::to_string(row.id.value);
        cells[1] = terminal.toned(Tone::Dim, "not judged");
        cells[5] = optimize::techniquesText(row.techniques, row.origin);
        cells[7] = ageText(row.created_ms);
        if (const auto& evaluation = row.evaluation) {
            cells[1] = tonedVerdict(terminal, evaluation->verdict) + (row.stale ? " †" : "");
            if (evaluation->verdict == protocol::Verdict::Correct) {
                cells[2] = terminal.toned(Tone::Good, speedupBar(evaluation->wall.estimate, most));
                cells[3] = speedupText(evaluation->wall, evaluation->marks);
                const bool disagree = protocol::clocksDisagree(evaluation->wall, evaluation->event);
                clocksDisagree = clocksDisagree || disagree;
                if (evaluation->event.valid())
                    cells[4] = base::estimateText(evaluation->event) + (disagree ? " ≠" : "");
            }
            cells[6] = optimize::measuredOn(*evaluation);
            cells[8] = elided(evaluation->firstReason.substr(0, evaluation->firstReason.find('\n')), 60);
        }
        table.add(std::move(cells));
    }
    std::string out = table.text();
    if (const auto rival = store::rivalOf(rows))
        out += "\n\n" + optimize::rivalText(*rival);
    if (const auto slow = store::slowHostOf(rows))
        out += "\n\n" + optimize::slowHostText(*slow);
    std::string marks;
    for (const store::VariantRow& row : rows)
        marks += row.evaluation ? row.evaluation->marks : std::string();
    if (!marks.empty())
        out += "\n" + protocol::marksText(marks);
    if (clocksDisagree)
        out += "\n≠ " + protocol::clocksDisagreeText();
    if (std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.evaluation && row.stale; }))
        out += "\n† for another text of the task than the project has now: counted nowhere";
    return out;
}

namespace {

std::string clockLine(const char* name, const protocol::ClockSpeedup& clock)
{
    return std::string(name) + speedupText(clock.speedup) + "   " + base::timeText(clock.reference_ns) + " → " +
           base::timeText(clock.candidate_ns);
}

/// What a program printed, or a traceback: enough of it to see what it is.
std::string shownText(const std::string& text)
{
    constexpr std::size_t mostLines = 60, mostOfLine = 400;
    return base::fewLines(text, mostLines, mostOfLine);
}

/// A finding behind `head`, and under it what its code means.
std::string findingText(const Terminal& terminal, const std::string& head, const protocol::Reason& finding)
{
    const std::string meaning = protocol::meaningOf(finding.code);
    return head + finding.text + " [" + finding.code + "]" +
           (meaning.empty() ? "" : "\n" + std::string(head.size(), ' ') + terminal.toned(Tone::Dim, meaning));
}

std::string reasonText(const Terminal& terminal, const protocol::Reason& reason)
{
    std::string out = findingText(terminal, "  ", reason);
    if (!reason.evidence.empty())
        out += "\n" + indented(shownText(reason.evidence), "    ");
    return out;
}

} // namespace

std::string joined(const std::vector<std::string>& words)
{
    std::string out;
    for (const std::string& word : words)
        out += (out.empty() ? "" : ", ") + word;
    return out;
}

std::string evaluationText(const Terminal& terminal, const protocol::Evaluation& e)
{
    std::vector<std::string> lines;
    lines.push_back("verdict    " + tonedVerdict(terminal, e.verdict));
    for (const protocol::Reason& reason : e.reasons)
        lines.push_back(reasonText(terminal, reason));
    if (e.speedup.wall.valid())
        lines.push_back(terminal.toned(Tone::Strong, clockLine("speed-up   ", e.speedup.wall)));
    if (e.speedup.event.valid())
        lines.push_back(clockLine("by events  ", e.speedup.event));
    if (e.speedup.gpuBusy.valid())
        lines.push_back(clockLine("GPU busy   ", e.speedup.gpuBusy));
    for (const std::string& note :
         {protocol::clocksDisagree(e.speedup.wall.speedup, e.speedup.event.speedup) ? protocol::clocksDisagreeText()
                                                                                    : std::string(),
          protocol::recordedBusyText(e.speedup)})
        if (!note.empty())
            lines.push_back("  " + note);
    if (e.paper)
        for (const std::string& line : paperLines(terminal, *e.paper))
            lines.push_back(line);
    if (e.trials.run > 0) {
        lines.push_back("trials     " + std::to_string(e.trials.passed) + " of " + std::to_string(e.trials.run) +
                        " passed" + (e.trials.families.empty() ? "" : " (" + joined(e.trials.families) + ")"));
        for (const std::string& skipped : e.trials.skipped)
            lines.push_back("           left out " + skipped);
    }
    std::string precision = "precision  " + std::string(protocol::toString(e.precision.mode));
    if (!e.precision.matched)
        precision += terminal.toned(Tone::Warn, ", " + protocol::otherPrecision(e.precision));
    lines.push_back(precision);
    if (e.precision.atCandidateSettings.valid())
        lines.push_back(clockLine("  at equal precision  ", e.precision.atCandidateSettings));
    for (const protocol::Reason& label : e.labels)
        lines.push_back(findingText(terminal, "note       ", label));
    lines.push_back("took       " + durationText(e.seconds.total) + " (" +
                    (e.seconds.reference > 0 ? "reference " + durationText(e.seconds.reference) + ", " : "") +
                    "build " + durationText(e.seconds.build) + ", check " + durationText(e.seconds.check) + ", time " +
                    durationText(e.seconds.time) + "), preset " + std::string(protocol::toString(e.preset)) +
                    (e.stopReason.empty() || e.stopReason == "not_timed" ? "" : ", stopped by " + e.stopReason) +
                    ", seed " + std::to_string(e.seed));
    lines.push_back("device     " + e.device.name + (e.device.model.empty() ? "" : ", " + e.device.model) +
                    (e.device.driver.empty() ? "" : ", driver " + e.device.driver) +
                    (e.environment.torch.empty() ? "" : ", torch " + e.environment.torch));
    if (!e.output.empty())
        lines.push_back("output\n" + indented(shownText(e.output), "    "));
    std::string out;
    for (const std::string& line : lines)
        out += (out.empty() ? "" : "\n") + line;
    return out;
}

} // namespace cudal1::cli
