// SPDX-License-Identifier: GPL-3.0-or-later
// Shares of a call, as a sentence.
#include "core/ablation/bottleneck.h"

#include "core/ablation/findingstext.h"
#include "core/base/percenttext.h"
#include "core/base/timetext.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace cudal1::ablation {

namespace {

constexpr double busyAllTheTime = 0.9;
constexpr double busyHalfTheTime = 0.5;
constexpr double nearTheFloor = 0.6;
constexpr double sameWork = 0.02; ///< busy times that differ by less are the same

std::string kernelsText(const timeline::TimelineSummary& recorded)
{
    std::int64_t kernels = 0;
    double all_ns = 0; // more than the calls where they run side by side
    const timeline::EventTotal* longest = nullptr;
    for (const timeline::EventTotal& row : recorded.deviceRows) {
        if (row.category != protocol::TimelineEvent::Category::Kernel)
            continue;
        kernels += row.count;
        all_ns += double(row.total_ns);
        if (!longest || row.total_ns > longest->total_ns)
            longest = &row;
    }
    if (!longest || recorded.calls == 0)
        return {};
    constexpr std::size_t mostName = 40;
    std::string name = longest->name.substr(0, longest->name.find_first_of("(<"));
    if (name.size() > mostName)
        name = name.substr(0, mostName) + "…";
    const auto each = (kernels + std::int64_t(recorded.calls) - 1) / std::int64_t(recorded.calls);
    return "; " + std::to_string(each) + (each == 1 ? " kernel" : " kernels") + " a call, " +
           base::percentText(all_ns > 0 ? double(longest->total_ns) / all_ns : 0) + " of their time in " + name;
}

std::string countedText(const counters::SideFacts* counted)
{
    if (!counted || counted->kernels.empty() || counted->kernels.front().held.empty())
        return {};
    const counters::KernelFacts& longest = counted->kernels.front();
    return "; " + counters::shortName(longest.row.name, 40) + ": " + longest.held;
}

} // namespace

std::string bottleneckText(const protocol::Evaluation& evaluation, const timeline::TimelineSummary* recorded,
                           const counters::SideFacts* counted)
{
    const protocol::Speedup& speedup = evaluation.speedup;
    const double call = speedup.wall.candidate_ns;
    if (evaluation.verdict != protocol::Verdict::Correct || !speedup.wall.valid() || call <= 0)
        return {};
    const std::string tail = (recorded ? kernelsText(*recorded) : std::string()) + countedText(counted);
    if (!evaluation.device.name.starts_with("cuda"))
        return "CPU-bound: " + base::timeText(call) + " a call without a GPU" + tail;
    const auto measured = busyShare(speedup.wall, speedup.gpuBusy);
    if (!measured)
        return base::timeText(call) + " a call; how long the GPU was busy was not measured" + tail;
    const double share = *measured, busy = speedup.gpuBusy.candidate_ns;
    // Streams are recorded in calls of their own, which recording slows down.
    const std::string times = busy <= call
                                ? " (" + base::timeText(busy) + " of " + base::timeText(call) + ")"
                                : " (" + base::timeText(call) + "; " + base::timeText(busy) + " while it was recorded)";
    std::string out;
    if (share < busyHalfTheTime)
        out = "Launch-bound: the GPU works " + base::percentText(share) + " of a call" + times +
              " and waits for the CPU otherwise";
    else if (share < busyAllTheTime)
        out = "GPU work with gaps: the GPU works " + base::percentText(share) + " of a call" + times +
              ", the rest is launches and waits";
    else if (const double floor = evaluation.floor.time_ns; floor > 0 && floor / busy >= nearTheFloor)
        out = "Memory-bound: the GPU works " + base::percentText(share) + " of a call" + times + ", " +
              base::percentText(std::min(1.0, floor / busy)) + " of that is what its bytes need";
    else
        out = "GPU-bound: the kernels fill " + base::percentText(share) + " of a call" + times;
    // The same kernels in less time of a call: what was saved is the way to them.
    const double reference = speedup.gpuBusy.reference_ns;
    if (reference > 0 && std::abs(busy / reference - 1) <= sameWork)
        out += "; the kernels take as long as the reference's";
    return out + tail;
}

std::optional<double> busyShare(const protocol::ClockSpeedup& wall, const protocol::ClockSpeedup& gpuBusy)
{
    if (!wall.valid() || !gpuBusy.valid() || wall.candidate_ns <= 0 || gpuBusy.candidate_ns <= 0)
        return {};
    return std::min(1.0, gpuBusy.candidate_ns / wall.candidate_ns);
}

} // namespace cudal1::ablation
