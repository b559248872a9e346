// SPDX-License-Identifier: GPL-3.0-or-later
// A timeline's numbers as tables of text.
#include "app/cli/timelinetext.h"

#include "app/cli/texttable.h"
#include "core/base/bytestext.h"
#include "core/base/percenttext.h"
#include "core/base/timetext.h"
#include "core/store/storedversus.h"

#include <cmath>
#include <cstdio>

namespace cudal1::cli {

namespace {

constexpr int nameWidth = 60;

std::string partOfCall(double part_ns, double call_ns)
{
    return base::timeText(part_ns) + (call_ns > 0 ? "  " + base::finePercentText(part_ns / call_ns) : "");
}

std::string misplacedText(const timeline::Misplaced& misplaced)
{
    if (misplaced.count == 0)
        return "none";
    return std::to_string(misplaced.count) + ", " + base::timeText(static_cast<double>(misplaced.total_ns)) +
           ", first " + elided(misplaced.first, 24);
}

/// "12" when every call has so many, "12.3" on average otherwise.
std::string aCall(std::int64_t count, std::size_t calls)
{
    char text[32];
    const double each = static_cast<double>(count) / static_cast<double>(calls);
    std::snprintf(text, sizeof text, "%.*f", each == std::floor(each) ? 0 : 1, each);
    return text;
}

std::string rowsTable(const std::vector<timeline::EventTotal>& rows, const char* title, std::size_t calls,
                      std::size_t most)
{
    using Align = TextTable::Align;
    TextTable table({{title},
                     {"mean a call", Align::Right},
                     {"of a call", Align::Right},
                     {"times", Align::Right},
                     {"grid", Align::Right},
                     {"block", Align::Right},
                     {"registers", Align::Right},
                     {"shared", Align::Right},
                     {"rate", Align::Right}});
    for (std::size_t i = 0; i < std::min(rows.size(), most); ++i) {
        const timeline::EventTotal& row = rows[i];
        const protocol::KernelLaunch* launch = row.launch ? &*row.launch : nullptr;
        const std::string varies = row.oneLaunch ? "" : " …";
        table.add(
            {elided(row.name + (row.detail.empty() ? "" : ", " + row.detail), nameWidth),
             base::timeText(static_cast<double>(row.total_ns) / static_cast<double>(calls)),
             base::finePercentText(row.share), aCall(row.count, calls), launch ? extentText(launch->grid) + varies : "",
             launch ? extentText(launch->block) : "", launch ? std::to_string(launch->registers) : "",
             launch ? base::bytesText(static_cast<double>(launch->staticShared_bytes + launch->dynamicShared_bytes))
                    : "",
             base::rateText(row.moved.bytesPerSecond())});
    }
    std::string text = table.text();
    if (rows.size() > most)
        text += "\n… and " + std::to_string(rows.size() - most) + " more";
    return text;
}

} // namespace

std::string extentText(const std::array<std::int32_t, 3>& size)
{
    std::string text = std::to_string(size[0]);
    for (std::size_t d = 1; d < 3; ++d)
        if (size[d] != 1 || (d == 1 && size[2] != 1))
            text += "×" + std::to_string(size[d]);
    return text;
}

std::string callsTable(const timeline::TimelineSummary& reference, const timeline::TimelineSummary* candidate)
{
    TextTable table({{""}, {"reference"}, {candidate ? "candidate" : ""}});
    const auto line = [&](const char* title, const auto& cell) {
        table.add({title, cell(reference), candidate ? cell(*candidate) : std::string()});
    };
    line("a call (median)", [](const auto& s) { return base::timeText(s.call_ns); });
    line(reference.device ? "device busy" : "in operators",
         [](const auto& s) { return partOfCall(s.busy_ns, s.call_ns); });
    line("longest gap", [](const auto& s) { return partOfCall(s.longestGap_ns, s.call_ns); });
    line("outside the windows", [](const auto& s) { return misplacedText(s.outside); });
    if (reference.device) {
        line("after the caller's stream", [](const auto& s) { return misplacedText(s.beyondStream); });
        if (reference.unseen_ns > 0 || (candidate && candidate->unseen_ns > 0))
            line("unseen by events", [](const auto& s) { return partOfCall(s.unseen_ns, s.call_ns); });
    }
    return table.text();
}

std::string besideJudge(const store::Project& project, base::VariantId variant, const protocol::TimelineAnswer& answer)
{
    if (!variant || !answer.candidate)
        return {};
    return timeline::besideJudgeText(timeline::summarise(answer.reference), timeline::summarise(*answer.candidate),
                                     store::judgedOn(project, variant, answer.device.model, answer.precision));
}

std::string sideText(const Terminal& terminal, const std::string& title, const protocol::Timeline& timeline,
                     const timeline::TimelineSummary& summary, std::size_t most)
{
    std::string text = terminal.toned(Terminal::Tone::Strong, title);
    if (!summary.deviceRows.empty())
        text += "\n" + rowsTable(summary.deviceRows, "on the device", summary.calls, most);
    if (!summary.operatorRows.empty())
        text += "\n" + rowsTable(summary.operatorRows, "operator, without what it calls", summary.calls, most);
    if (summary.deviceRows.empty() && summary.operatorRows.empty())
        text += "\nNo operator of the framework ran in the windows.";
    for (const std::string& note : timeline.notes)
        text += "\n" + terminal.toned(Terminal::Tone::Warn, note);
    return text;
}

} // namespace cudal1::cli
