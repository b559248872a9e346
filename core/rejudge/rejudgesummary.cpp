// SPDX-License-Identifier: GPL-3.0-or-later
// Arithmetic of summaries.
#include "core/rejudge/rejudgesummary.h"

#include "core/base/statistics.h"
#include "core/protocol/marks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace cudal1::rejudge {

namespace {

constexpr std::array<std::pair<Failures, std::string_view>, 3> words{{
    {Failures::One, "one"},
    {Failures::Zero, "zero"},
    {Failures::LeftOut, "left-out"},
}};

std::optional<double> valueOf(const base::Interval& interval)
{
    return interval.valid() ? std::optional(interval.estimate) : std::nullopt;
}

} // namespace

std::string_view toString(Failures rule)
{
    for (const auto& [value, word] : words)
        if (value == rule)
            return word;
    return {};
}

bool fromString(std::string_view text, Failures& out)
{
    for (const auto& [value, word] : words)
        if (text == word) {
            out = value;
            return true;
        }
    return false;
}

std::optional<ClockSummary> summarise(std::span<const std::optional<double>> values, Failures rule)
{
    ClockSummary out;
    std::vector<double> counted;
    for (const std::optional<double>& value : values) {
        out.failures += !value;
        if (value)
            counted.push_back(*value);
        else if (rule != Failures::LeftOut)
            counted.push_back(rule == Failures::One ? 1 : 0);
    }
    if (out.failures == int(values.size()))
        return {};
    out.count = int(counted.size());
    out.mean = std::accumulate(counted.begin(), counted.end(), 0.0) / out.count;
    out.maximum = *std::max_element(counted.begin(), counted.end());
    out.upperQuartile = base::quantile(counted, 0.75);
    out.median = base::median(counted);
    out.lowerQuartile = base::quantile(counted, 0.25);
    const bool anyZero = std::find(counted.begin(), counted.end(), 0.0) != counted.end();
    out.geometricMean = anyZero ? 0 : base::geometricMean(counted);
    out.above = double(std::count_if(counted.begin(), counted.end(),
                                     [](double value) { return value > protocol::leastGain; })) /
                out.count;
    return out;
}

RejudgeSummary summarise(const std::vector<ClaimOutcome>& rows, Failures rule, std::size_t most)
{
    RejudgeSummary out;
    out.rule = rule;
    std::vector<std::optional<double>> claimed, event, wall;
    int clearly = 0;
    for (const ClaimOutcome& row : rows) {
        ++out.verdicts[row.word()];
        if (!row.settled()) {
            ++out.unsettled;
            out.stale += row.stale;
            continue;
        }
        ++out.rows;
        ++out.suites[row.suite];
        claimed.push_back(row.claimed);
        event.push_back(row.found ? valueOf(row.found->event) : std::nullopt);
        wall.push_back(row.found ? valueOf(row.found->wall) : std::nullopt);
        if (!row.found)
            continue;
        clearly += row.found->wall.valid() && row.found->wall.low > protocol::leastGain;
        if (!row.correct() && !row.found->reasons.empty())
            ++out.reasons[row.found->reasons.front().code];
        for (const std::string& label : row.found->labels)
            ++out.labels[label];
        const base::Interval& ours = row.found->wall;
        if (row.claimed && *row.claimed > 0 && ours.valid() && (*row.claimed < ours.low || *row.claimed > ours.high))
            out.disagreements.push_back({&row, *row.claimed / ours.estimate});
    }
    out.claimed = summarise(claimed, rule);
    out.event = summarise(event, rule);
    out.wall = summarise(wall, rule);
    const int counted = out.wall ? out.wall->count : 0;
    out.clearlyFaster = counted > 0 ? double(clearly) / counted : 0;
    std::stable_sort(out.disagreements.begin(), out.disagreements.end(),
                     [](const Disagreement& a, const Disagreement& b) {
                         return std::abs(std::log(a.ratio)) > std::abs(std::log(b.ratio));
                     });
    if (out.disagreements.size() > most)
        out.disagreements.resize(most);
    return out;
}

} // namespace cudal1::rejudge
