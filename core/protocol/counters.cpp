// SPDX-License-Identifier: GPL-3.0-or-later
// JSON of counters, and the kernels of a timeline as rows without counts.
#include "core/protocol/counters.h"

#include "core/base/statistics.h"
#include "core/protocol/fields.h"

#include <algorithm>

namespace cudal1::protocol {

namespace {

constexpr Words<CounterSource, 3> sourceWords{
    {{CounterSource::Cupti, "cupti"}, {CounterSource::Ncu, "ncu"}, {CounterSource::Static, "static"}}};

} // namespace

std::string_view toString(CounterSource source)
{
    return wordOf(sourceWords, source);
}

bool fromString(std::string_view word, CounterSource& out)
{
    return valueOf(sourceWords, word, out);
}

CounterSide launchedKernels(const Timeline& timeline)
{
    CounterSide side;
    side.notes = timeline.notes;
    if (timeline.windows.empty())
        return side;
    const double calls = double(timeline.windows.size());
    std::vector<double> durations;
    for (const TimelineWindow& window : timeline.windows)
        durations.push_back(double(window.duration_ns()));
    side.call_ns = base::median(durations);
    for (const TimelineEvent& event : timeline.events) {
        if (event.category != TimelineEvent::Category::Kernel || event.place == TimelineEvent::Place::Outside)
            continue;
        const KernelLaunch launch = event.launch.value_or(KernelLaunch());
        auto row = std::find_if(side.kernels.begin(), side.kernels.end(), [&](const KernelCounters& one) {
            return one.name == event.name && one.launch == launch;
        });
        if (row == side.kernels.end())
            row = side.kernels.insert(row, KernelCounters{event.name, launch, 0, 0, 0, {}});
        row->launches += 1 / calls;
        row->time_ns += double(event.duration_ns) / calls;
        row->tensor_bytes += double(event.bytes) / calls;
    }
    std::stable_sort(side.kernels.begin(), side.kernels.end(),
                     [](const KernelCounters& a, const KernelCounters& b) { return a.time_ns > b.time_ns; });
    return side;
}

void fields(auto& io, Is<CountersRequest> auto& v)
{
    io.required("task", v.task);
    io("candidate", v.candidate);
    io("candidate_name", v.candidateName);
    io("device", v.device);
    io.strict("precision", v.precision);
    io("seed", v.seed);
    io.strict("source", v.source);
    io("may_leave_isolation", v.mayLeaveIsolation);
    io("build_limit_s", v.buildLimit_s);
}
CUDAL1_JSON(CountersRequest)

void fields(auto& io, Is<KernelMetrics> auto& v)
{
    io("duration_ns", v.duration_ns, v.duration_ns.has_value());
    io("dram_bytes", v.dram_bytes, v.dram_bytes.has_value());
    io("l2_bytes", v.l2_bytes, v.l2_bytes.has_value());
    io("l1_bytes", v.l1_bytes, v.l1_bytes.has_value());
    io("fp32_ops", v.fp32_ops, v.fp32_ops.has_value());
    io("tensor_ops", v.tensor_ops, v.tensor_ops.has_value());
    io("occupancy", v.occupancy, v.occupancy.has_value());
    io("dram_use", v.dramUse, v.dramUse.has_value());
    io("l2_use", v.l2Use, v.l2Use.has_value());
    io("l1_use", v.l1Use, v.l1Use.has_value());
    io("shared_use", v.sharedUse, v.sharedUse.has_value());
    io("tensor_use", v.tensorUse, v.tensorUse.has_value());
    io("fp32_use", v.fp32Use, v.fp32Use.has_value());
    io("issue_use", v.issueUse, v.issueUse.has_value());
    io("stalls", v.stalls, !v.stalls.empty());
}
CUDAL1_JSON(KernelMetrics)

void fields(auto& io, Is<KernelCounters> auto& v)
{
    io("name", v.name);
    io("launch", v.launch);
    io("launches", v.launches);
    io("time_ns", v.time_ns);
    io("tensor_bytes", v.tensor_bytes);
    io("measured", v.measured, v.measured.has_value());
}
CUDAL1_JSON(KernelCounters)

void fields(auto& io, Is<CounterSide> auto& v)
{
    io("call_ns", v.call_ns);
    io.list("kernels", v.kernels);
    io("notes", v.notes);
}
CUDAL1_JSON(CounterSide)

void fields(auto& io, Is<Counters> auto& v)
{
    io("task", v.task);
    io("candidate_name", v.candidateName);
    io("device", v.device);
    io.strict("precision", v.precision);
    io("seed", v.seed);
    io("recorded_ms", v.recorded_ms);
    io.required("source", v.source);
    io("tool", v.tool);
    io("reason", v.reason);
    io.required("reference", v.reference);
    io("candidate", v.candidate, v.candidate.has_value());
}
CUDAL1_JSON(Counters)

} // namespace cudal1::protocol
