// SPDX-License-Identifier: GPL-3.0-or-later
// Tables and JSON of a replay of published results.
#include "app/cli/rejudgetable.h"

#include "app/cli/rows.h"
#include "app/cli/texttable.h"
#include "core/base/percenttext.h"
#include "core/base/ratiotext.h"
#include "core/optimize/outcometext.h"

#include <algorithm>

namespace cudal1::cli {

using base::ratioText;
using nlohmann::json;
using Tone = Terminal::Tone;

namespace {

std::string wordsOf(std::string word)
{
    std::replace(word.begin(), word.end(), '_', ' ');
    return word;
}

std::string countsText(const std::map<std::string, int>& counts)
{
    std::vector<std::pair<std::string, int>> ordered(counts.begin(), counts.end());
    std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string out;
    for (const auto& [word, number] : ordered)
        out += (out.empty() ? "" : ", ") + std::to_string(number) + " " + wordsOf(word);
    return out;
}

json clockJson(const std::optional<rejudge::ClockSummary>& clock)
{
    if (!clock)
        return nullptr;
    return {{"count", clock->count},   {"failures", clock->failures},
            {"mean", clock->mean},     {"geometric_mean", clock->geometricMean},
            {"median", clock->median}, {"above_1_01", clock->above}};
}

} // namespace

const char* ruleText(rejudge::Failures rule)
{
    switch (rule) {
    case rejudge::Failures::One: return "failures count as 1×";
    case rejudge::Failures::Zero: return "failures count as 0×";
    case rejudge::Failures::LeftOut: return "failures are left out";
    }
    return "";
}

std::string outcomesTable(const Terminal& terminal, const std::vector<rejudge::ClaimOutcome>& rows)
{
    TextTable table({{"task"},
                     {"variant", TextTable::Align::Right},
                     {"claimed", TextTable::Align::Right},
                     {"events (the paper's)", TextTable::Align::Right},
                     TextTable::whole("wall (ours)"),
                     TextTable::whole("verdict"),
                     {"reason"},
                     {"labels"}});
    std::set<std::string> codes;
    for (const rejudge::ClaimOutcome& row : rows) {
        std::vector<std::string> cells(8);
        cells[0] = row.task.value;
        if (row.variant)
            cells[1] = std::to_string(row.variant.value);
        if (row.claimed)
            cells[2] = ratioText(*row.claimed);
        else if (row.claimedCorrect && !*row.claimedCorrect)
            cells[2] = "incorrect";
        cells[5] = terminal.toned(Tone::Dim, wordsOf(row.word()));
        if (const auto& found = row.found) {
            cells[5] = tonedVerdict(terminal, found->verdict);
            if (found->event.valid())
                cells[3] = base::estimateText(found->event);
            if (found->wall.valid())
                cells[4] = optimize::speedupText(found->wall);
            if (!found->reasons.empty())
                codes.insert(cells[6] = found->reasons.front().code);
            cells[7] = joined(found->labels);
            codes.insert(found->labels.begin(), found->labels.end());
        } else if (!row.irregularities.empty()) {
            cells[6] = row.irregularities.front().substr(0, row.irregularities.front().find(':'));
        }
        table.add(std::move(cells));
    }
    return table.text() + codesLegend(terminal, codes);
}

std::string summaryText(const Terminal& terminal, const rejudge::RejudgeSummary& summary)
{
    std::string out = terminal.toned(Tone::Strong, "verdicts") + "  " + countsText(summary.verdicts);
    if (!summary.reasons.empty())
        out += "\nreasons   " + countsText(summary.reasons);
    if (!summary.labels.empty())
        out += "\nlabels    " + countsText(summary.labels);
    if (summary.rows == 0)
        return out;
    TextTable table({{"speed-up over " + std::to_string(summary.rows) + (summary.rows == 1 ? " row" : " rows")},
                     {"mean", TextTable::Align::Right},
                     {"geometric", TextTable::Align::Right},
                     {"median", TextTable::Align::Right},
                     {"above 1.01", TextTable::Align::Right},
                     {"failures", TextTable::Align::Right}});
    const auto add = [&](const char* name, const std::optional<rejudge::ClockSummary>& clock) {
        if (clock)
            table.add({name, ratioText(clock->mean), ratioText(clock->geometricMean), ratioText(clock->median),
                       base::tenthsText(clock->above), std::to_string(clock->failures)});
    };
    add("claimed", summary.claimed);
    add("by events (the paper's clock)", summary.event);
    add("by wall (ours)", summary.wall);
    out += "\n\n" + table.text();
    if (summary.wall)
        out += "\nWhole interval above 1.01: " + base::tenthsText(summary.clearlyFaster);
    out += "\nIn all of these " + std::string(ruleText(summary.rule)) + "; --failures one, zero or left-out chooses.";
    if (!summary.event && summary.wall)
        out += " There is no event clock on this device.";
    const auto rowsAre = [](int number) { return std::to_string(number) + (number == 1 ? " row is" : " rows are"); };
    if (const int waiting = summary.unsettled - summary.stale; waiting > 0)
        out += "\n" + rowsAre(waiting) + " not judged yet and in no number above.";
    if (summary.stale > 0)
        out += "\n" + rowsAre(summary.stale) +
               " for another text of the task than the project has now, and in no number above.";
    if (summary.suites.size() > 1) {
        out += "\nThese numbers put tasks of " + std::to_string(summary.suites.size()) + " versions together:";
        for (const auto& [suite, number] : summary.suites)
            out += (suite == summary.suites.begin()->first ? " " : ", ") + std::to_string(number) +
                   (number == 1 ? " row of " : " rows of ") + (suite.empty() ? "single files" : suite);
        out += ".";
    }
    if (!summary.disagreements.empty()) {
        TextTable most({{"largest disagreements"},
                        {"variant", TextTable::Align::Right},
                        {"claimed", TextTable::Align::Right},
                        {"by events", TextTable::Align::Right},
                        {"by wall"},
                        {"claimed / wall", TextTable::Align::Right}});
        for (const rejudge::Disagreement& one : summary.disagreements) {
            const rejudge::RejudgeResult& found = *one.row->found;
            most.add({one.row->task.value + " " + one.row->taskName, std::to_string(one.row->variant.value),
                      ratioText(*one.row->claimed), found.event.valid() ? base::estimateText(found.event) : "",
                      optimize::speedupText(found.wall), ratioText(one.ratio)});
        }
        out += "\n\n" + most.text();
    }
    return out;
}

json toJson(const rejudge::ClaimOutcome& row)
{
    const auto number = [](const auto& value) { return value ? json(*value) : json(nullptr); };
    json out = {{"source", row.source},
                {"key", row.key},
                {"task", row.task.value},
                {"name", row.taskName},
                {"variant", row.variant ? json(row.variant.value) : json(nullptr)},
                {"claimed", {{"speedup", number(row.claimed)}, {"correct", number(row.claimedCorrect)}}},
                {"irregularities", row.irregularities},
                {"verdict", row.word()},
                {"speedup", {{"wall", nullptr}, {"event", nullptr}}},
                {"reasons", json::array()},
                {"labels", json::array()}};
    if (const auto& found = row.found) {
        out["evaluation"] = found->id.value;
        out["speedup"] = {{"wall", toJson(found->wall)}, {"event", toJson(found->event)}};
        for (const protocol::Reason& reason : found->reasons)
            out["reasons"].push_back({{"code", reason.code}, {"text", reason.text}});
        out["labels"] = found->labels;
        out["seconds"] = found->seconds;
    }
    return out;
}

json toJson(const rejudge::RejudgeSummary& summary)
{
    json disagreements = json::array();
    for (const rejudge::Disagreement& one : summary.disagreements)
        disagreements.push_back({{"task", one.row->task.value},
                                 {"variant", one.row->variant.value},
                                 {"claimed", *one.row->claimed},
                                 {"event", toJson(one.row->found->event)},
                                 {"wall", toJson(one.row->found->wall)},
                                 {"claimed_over_wall", one.ratio}});
    return {{"rows", summary.rows},
            {"not_judged", summary.unsettled},
            {"stale", summary.stale},
            {"suites", summary.suites},
            {"verdicts", summary.verdicts},
            {"reasons", summary.reasons},
            {"labels", summary.labels},
            {"failures_as", rejudge::toString(summary.rule)},
            {"claimed", clockJson(summary.claimed)},
            {"event", clockJson(summary.event)},
            {"wall", clockJson(summary.wall)},
            {"wall_interval_above_1_01", summary.clearlyFaster},
            {"disagreements", std::move(disagreements)}};
}

} // namespace cudal1::cli
