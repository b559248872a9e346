// SPDX-License-Identifier: GPL-3.0-or-later
// Lines and tables about kernels.
#include "app/cli/counterstext.h"

#include "app/cli/rows.h"
#include "app/cli/texttable.h"
#include "core/base/bytestext.h"
#include "core/base/percenttext.h"
#include "core/base/timetext.h"
#include "core/counters/nsightcommand.h"
#include "core/taskfacts/taskfacts.h"

#include <algorithm>
#include <cmath>

namespace cudal1::cli {

namespace {

using counters::KernelFacts;
using counters::SideFacts;
using protocol::KernelMetrics;

constexpr std::size_t kernelRows = 12;
constexpr std::size_t kernelWidth = 48;

counters::SideFacts countedFacts(const CountersReport& report, const CountedSide& side)
{
    return counters::factsOf(side.side, side.record.counters.device, report.costs ? &*report.costs : nullptr);
}

std::string measuredShare(const std::optional<double>& share)
{
    return share ? base::percentText(*share) : std::string();
}

std::string useText(const KernelFacts& facts, std::optional<double> KernelMetrics::*use,
                    const std::optional<double>& rate = {})
{
    const auto& m = facts.row.measured;
    std::string out = m ? measuredShare((*m).*use) : std::string();
    if (rate && *rate > 0)
        out += (out.empty() ? "" : ", ") + std::string(facts.rateIsOfTensors ? "≥ " : "") + base::rateText(*rate);
    return out;
}

std::string occupancyText(const KernelFacts& facts)
{
    const auto& m = facts.row.measured;
    const std::string most = facts.occupancy ? base::percentText(facts.occupancy->share) : std::string();
    if (m && m->occupancy)
        return base::percentText(*m->occupancy) + (most.empty() ? "" : " of " + most);
    return most.empty() ? most : "at most " + most; // by how it was launched alone
}

std::string launchesText(double launches)
{
    return formatted(std::abs(launches - std::round(launches)) < 0.05 ? "%.0f" : "%.1f", launches);
}

std::string kernelsTable(const SideFacts& facts)
{
    using Align = TextTable::Align;
    TextTable table({{"kernel"},
                     {"a call", Align::Right},
                     {"share", Align::Right},
                     {"times", Align::Right},
                     {"occupancy", Align::Right},
                     TextTable::whole("limited by"),
                     {"DRAM", Align::Right},
                     {"L2", Align::Right},
                     {"L1", Align::Right},
                     {"shared", Align::Right},
                     {"tensor", Align::Right},
                     {"FP32", Align::Right},
                     {"warps are"}});
    for (std::size_t i = 0; i < std::min(facts.kernels.size(), kernelRows); ++i) {
        const KernelFacts& one = facts.kernels[i];
        const auto waits = one.row.measured ? counters::waitsOf(*one.row.measured)
                                            : std::vector<std::pair<std::string, double>>();
        table.add(
            {counters::shortName(one.row.name, kernelWidth), base::timeText(one.row.time_ns),
             base::percentText(one.share), launchesText(one.row.launches), occupancyText(one),
             one.occupancy ? counters::limiterText(*one.occupancy, one.row.launch) : "",
             useText(one, &KernelMetrics::dramUse, one.dram_rate), useText(one, &KernelMetrics::l2Use, one.l2_rate),
             useText(one, &KernelMetrics::l1Use, one.l1_rate), useText(one, &KernelMetrics::sharedUse),
             useText(one, &KernelMetrics::tensorUse), useText(one, &KernelMetrics::fp32Use),
             waits.empty() ? ""
                           : counters::stallText(waits.front().first) + " " + base::percentText(waits.front().second)});
    }
    return table.text();
}

std::string roofText(const SideFacts& facts)
{
    if (!facts.roof)
        return {};
    return counters::threeDigitsText(facts.roof->intensity) + " operations a byte, " +
           taskfacts::flopsText(facts.roof->rate) + "/s" +
           (facts.roofIsCounted ? "" : " (operations of the reference as written, and the bytes that must move)");
}

std::string sideText(const Terminal& terminal, const CountedSide& side, const SideFacts& facts)
{
    const bool isJudged = facts.call_ns == side.record.referenceJudged_ns ||
                          facts.call_ns == side.record.candidateJudged_ns;
    std::string text = terminal.toned(Terminal::Tone::Strong, side.name) + "  " + base::timeText(facts.call_ns) +
                       " a call" + (isJudged ? " as judged, " : " as recorded, ") + base::timeText(facts.kernels_ns) +
                       " in kernels" + (facts.together_ns < facts.kernels_ns ? " (added up)" : "");
    if (facts.copies_ns && *facts.copies_ns > 0)
        text += ", " + base::timeText(*facts.copies_ns) + " in copies and memsets";
    if (!facts.bottleneck.empty())
        text += "\n" + facts.bottleneck + ".";
    if (const std::string roof = roofText(facts); !roof.empty())
        text += "\nRoofline: " + roof;
    text += "\n" + (facts.kernels.empty() ? "No kernel ran." : kernelsTable(facts));
    if (facts.kernels.size() > kernelRows)
        text += "\n" + std::to_string(facts.kernels.size() - kernelRows) + " more";
    for (const std::string& note : facts.notes)
        text += "\n" + terminal.toned(Terminal::Tone::Warn, note);
    return text;
}

std::string changesTable(const CountersReport& report)
{
    using Align = TextTable::Align;
    TextTable table(
        {{"kernel"},
         {report.baseline->name, Align::Right},
         {report.own.name, Align::Right},
         {"difference", Align::Right},
         {report.baseline->side.call_ns < report.own.side.call_ns ? "of the loss" : "of the gain", Align::Right}});
    const auto changes = counters::changesOf(report.baseline->side, report.own.side);
    const double a = report.baseline->side.call_ns, b = report.own.side.call_ns;
    const auto add = [&](const std::string& name, double a_ns, double b_ns, double share, bool isOfBoth = false) {
        const auto timeOf = [&](double ns) { return ns != 0 || isOfBoth ? base::timeText(ns) : std::string(); };
        table.add({name, timeOf(a_ns), timeOf(b_ns), (b_ns > a_ns ? "+" : "") + base::timeText(b_ns - a_ns),
                   base::percentText(std::abs(share) < 0.005 ? 0 : share)});
    };
    std::size_t shown = 0;
    double restA = 0, restB = 0, restShare = 0;
    for (const counters::KernelChange& one : changes) {
        const bool isLast = &one == &changes.back();
        if (shown++ < kernelRows || isLast) {
            if (isLast && changes.size() > kernelRows + 1)
                add("others", restA, restB, restShare);
            add(counters::shortName(one.name, kernelWidth), one.a_ns, one.b_ns, one.share, isLast);
        } else {
            restA += one.a_ns;
            restB += one.b_ns;
            restShare += one.share;
        }
    }
    add("call", a, b, a != b ? 1 : 0, true);
    return table.text();
}

/// Its name; empty where there is none.
std::string longestKernel(const CountedSide& side)
{
    const auto& rows = side.side.kernels;
    return rows.empty() || counters::isCopies(rows.front()) ? std::string() : rows.front().name;
}

nlohmann::json countedSideJson(const CountersReport& report, const CountedSide& side)
{
    nlohmann::json out = counters::factsJson(countedFacts(report, side));
    const protocol::Counters& counters = side.record.counters;
    out["name"] = side.name;
    out["source"] = protocol::toString(counters.source);
    out["source_text"] = counters::sourceText(counters);
    out["tool"] = counters.tool;
    out["reason"] = counters.reason;
    out["created_ms"] = side.record.created_ms;
    out["timeline"] = side.record.timeline ? nlohmann::json(side.record.timeline.value) : nlohmann::json(nullptr);
    out["device"] = counters.device;
    return out;
}

} // namespace

std::string countersText(const Terminal& terminal, const CountersReport& report)
{
    const protocol::Counters& counters = report.own.record.counters;
    std::string text = terminal.toned(Terminal::Tone::Strong, report.task.id.value + " " + report.task.name) + "  " +
                       report.own.name + " on " + counters.device.model + ", " + agoText(report.own.record.created_ms) +
                       "\n" + counters::sourceText(counters);
    if (report.baseline && report.baseline->record.created_ms != report.own.record.created_ms)
        text += "\n" + report.baseline->name + ": " + counters::sourceText(report.baseline->record.counters);
    if (report.baseline)
        text += "\n\n" + sideText(terminal, *report.baseline, countedFacts(report, *report.baseline));
    text += "\n\n" + sideText(terminal, report.own, countedFacts(report, report.own));
    if (report.baseline)
        text += "\n\n" + changesTable(report);
    const counters::Roofs roofs = counters::roofsOf(counters.device.model);
    if (roofs.bytesPerSecond > 0)
        text += "\n\nRoofs: " + base::rateText(roofs.bytesPerSecond) + " of memory, " +
                taskfacts::flopsText(roofs.fp32) + "/s in FP32" +
                (roofs.tf32 > 0 ? ", " + taskfacts::flopsText(roofs.tf32) + "/s in TF32" : "") +
                ", by the data sheet of " + roofs.gpu + ".";
    if (report.variant)
        text += "\nNsight: " + counters::ncuCommand(report.variant, report.project, longestKernel(report.own)) +
                "\n        " + counters::nsysCommand(report.variant, report.project);
    return text;
}

nlohmann::json countersJson(const CountersReport& report)
{
    const counters::Roofs roofs = counters::roofsOf(report.own.record.counters.device.model);
    nlohmann::json out{{"task", report.task.id.value},
                       {"variant", report.variant ? nlohmann::json(report.variant.value) : nlohmann::json(nullptr)},
                       {"own", countedSideJson(report, report.own)},
                       {"baseline", nullptr},
                       {"changes", nlohmann::json::array()},
                       {"roofs",
                        {{"gpu", roofs.gpu},
                         {"bytes_per_s", roofs.bytesPerSecond},
                         {"fp32_per_s", roofs.fp32},
                         {"tf32_per_s", roofs.tf32}}}};
    if (report.variant) {
        out["ncu_command"] = counters::ncuCommand(report.variant, report.project, longestKernel(report.own));
        out["nsys_command"] = counters::nsysCommand(report.variant, report.project);
    }
    if (report.baseline) {
        out["baseline"] = countedSideJson(report, *report.baseline);
        out["changes"] = counters::changesJson(counters::changesOf(report.baseline->side, report.own.side));
    }
    return out;
}

} // namespace cudal1::cli
