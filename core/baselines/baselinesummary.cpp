// SPDX-License-Identifier: GPL-3.0-or-later
// Arithmetic of summaries, and rows as text.
#include "core/baselines/baselinesummary.h"

#include "core/base/csv.h"
#include "core/base/statistics.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace cudal1::baselines {

using base::csvField;

namespace {

BaselineSummary lineOf(const std::vector<BaselineRow>& rows, int level, const BaselineKind& kind)
{
    BaselineSummary line;
    line.level = level;
    line.kind = &kind;
    std::vector<double> speedups;
    for (const BaselineRow& row : rows) {
        if (row.kind != &kind || !row.found || (level != BaselineSummary::allLevels && row.level != level))
            continue;
        ++line.measured;
        line.correct += row.correct();
        if (row.found->wall.valid())
            speedups.push_back(row.found->wall.speedup.estimate);
    }
    line.timed = int(speedups.size());
    if (speedups.empty())
        return line;
    line.mean = std::accumulate(speedups.begin(), speedups.end(), 0.0) / double(speedups.size());
    line.geometricMean = base::geometricMean(speedups);
    line.lowerQuartile = base::quantile(speedups, 0.25);
    line.median = base::median(speedups);
    line.upperQuartile = base::quantile(speedups, 0.75);
    line.maximum = *std::max_element(speedups.begin(), speedups.end());
    return line;
}

std::string milliseconds(double ns)
{
    return ns > 0 ? csvField(ns / 1e6) : "";
}

std::string fields(const base::Interval& interval)
{
    return interval.valid() ? csvField(interval.estimate) + "," + csvField(interval.low) + "," + csvField(interval.high)
                            : ",,";
}

} // namespace

std::vector<BaselineSummary> summarise(const std::vector<BaselineRow>& rows)
{
    std::set<int> levels;
    for (const BaselineRow& row : rows)
        if (row.found)
            levels.insert(row.level);
    std::vector<int> order(levels.begin(), levels.end());
    if (!order.empty() && order.front() == 0) // files come after levels
        std::rotate(order.begin(), order.begin() + 1, order.end());
    if (order.size() > 1)
        order.push_back(BaselineSummary::allLevels);
    std::vector<BaselineSummary> lines;
    for (const int level : order)
        for (const BaselineKind& kind : kinds())
            if (BaselineSummary line = lineOf(rows, level, kind); line.measured > 0)
                lines.push_back(line);
    return lines;
}

std::string csvOf(const std::vector<BaselineRow>& rows)
{
    std::string out =
        "level,task,name,baseline,verdict,eager_ms,baseline_ms,speedup,speedup_low,speedup_high,event,event_low,"
        "event_high,gpu_busy,gpu_busy_eager_ms,gpu_busy_baseline_ms,reason,reason_text,labels,nulls_passed,seconds,"
        "device,suite\r\n";
    for (const BaselineRow& row : rows) {
        if (!row.found)
            continue;
        const BaselineResult& found = *row.found;
        std::string labels;
        for (const std::string& label : found.labels)
            labels += (labels.empty() ? "" : "; ") + label;
        out += std::to_string(row.level) + "," + csvField(row.task.value) + "," + csvField(row.taskName) + "," +
               csvField(std::string(row.kind->id)) + "," + row.word() + "," + milliseconds(found.wall.reference_ns) +
               "," + milliseconds(found.wall.candidate_ns) + "," + fields(found.wall.speedup) + "," +
               fields(found.event.speedup) + "," +
               (found.gpuBusy.valid() ? csvField(found.gpuBusy.speedup.estimate) : "") + "," +
               milliseconds(found.gpuBusy.reference_ns) + "," + milliseconds(found.gpuBusy.candidate_ns) + "," +
               csvField(found.reason.code) + "," + csvField(found.reason.text) + "," + csvField(labels) + "," +
               csvField(found.nulls) + "," + csvField(found.seconds) + "," + csvField(found.deviceModel) + "," +
               csvField(row.suite) + "\r\n";
    }
    return out;
}

} // namespace cudal1::baselines
