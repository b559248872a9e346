// SPDX-License-Identifier: GPL-3.0-or-later
// Orders and text of the table.
#include "core/ablation/ablationtable.h"

#include "core/ablation/measured.h"
#include "core/base/csv.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace cudal1::ablation {

using base::csvField;

namespace {

constexpr std::array<std::pair<Order, std::string_view>, 7> orderWords{{
    {Order::Rank, "rank"},
    {Order::Design, "design"},
    {Order::Speedup, "speedup"},
    {Order::Event, "event"},
    {Order::Call, "call"},
    {Order::Toggles, "toggles"},
    {Order::Verdict, "verdict"},
}};

double keyOf(const CombinationRow& row, Order order)
{
    switch (order) {
    case Order::Rank:
    case Order::Design: return 0;
    case Order::Speedup: return row.found ? -row.found->wall.speedup.estimate : 0;
    case Order::Event: return row.found ? -row.found->event.speedup.estimate : 0;
    case Order::Call: return row.found && row.found->wall.valid() ? row.found->wall.candidate_ns : 1e300;
    case Order::Toggles: return std::popcount(row.on);
    case Order::Verdict: return row.found ? static_cast<double>(row.found->verdict) : 1e9;
    }
    return 0;
}

std::string fields(const base::Interval& interval)
{
    return interval.valid() ? csvField(interval.estimate) + "," + csvField(interval.low) + "," + csvField(interval.high)
                            : ",,";
}

std::string milliseconds(double ns)
{
    return ns > 0 ? csvField(ns / 1e6) : "";
}

} // namespace

bool fromString(std::string_view text, Order& out)
{
    for (const auto& [value, word] : orderWords)
        if (text == word) {
            out = value;
            return true;
        }
    return false;
}

Order rankedBy(const std::vector<CombinationRow>& rows)
{
    return driftText(rows).empty() ? Order::Speedup : Order::Call;
}

void sort(std::vector<CombinationRow>& rows, Order order)
{
    if (order == Order::Rank)
        order = rankedBy(rows);
    std::stable_sort(rows.begin(), rows.end(), [order](const CombinationRow& a, const CombinationRow& b) {
        return keyOf(a, order) < keyOf(b, order);
    });
}

std::string csvOf(const std::vector<std::string>& toggles, const std::vector<CombinationRow>& rows)
{
    std::string out;
    for (const std::string& toggle : toggles)
        out += csvField(toggle) + ",";
    out += "variant,verdict,speedup,speedup_low,speedup_high,reference_ms,candidate_ms,event,event_low,event_high,gpu_"
           "busy_reference_ms,"
           "gpu_busy_candidate_ms,bottleneck,reason,reason_text,labels,seconds\r\n";
    for (const CombinationRow& row : rows) {
        for (std::size_t i = 0; i < toggles.size(); ++i)
            out += row.on >> i & 1U ? "1," : "0,";
        const CombinationResult found = row.found.value_or(CombinationResult{});
        std::string labels;
        for (const std::string& label : found.labels)
            labels += (labels.empty() ? "" : "; ") + label;
        out += (row.variant ? std::to_string(row.variant.value) : "") + "," + row.word() + "," +
               fields(found.wall.speedup) + "," + milliseconds(found.wall.reference_ns) + "," +
               milliseconds(found.wall.candidate_ns) + "," + fields(found.event.speedup) + "," +
               milliseconds(found.gpuBusy.reference_ns) + "," + milliseconds(found.gpuBusy.candidate_ns) + "," +
               csvField(found.bottleneck) + "," + csvField(found.reason.code) + "," + csvField(found.reason.text) +
               "," + csvField(labels) + "," + (row.found ? csvField(found.seconds) : "") + "\r\n";
    }
    return out;
}

} // namespace cudal1::ablation
