// SPDX-License-Identifier: GPL-3.0-or-later
// NVIDIA's names for what we ask, and the way from launches to rows.
#include "core/judge/supervisor/countermetrics.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

namespace cudal1::judge {

using protocol::CounterSide;
using protocol::KernelCounters;
using protocol::KernelMetrics;
using protocol::TimelineEvent;

namespace {

using Value = std::optional<double> KernelMetrics::*;

/// A metric, what it is a part of, and by how much it counts there.
struct Part {
    Value value;
    const char* metric;
    double factor = 1;
};

constexpr double percent = 0.01;
// Shares are of what the unit can do in the time that the kernel took, not of the cycles in which it was busy: a pipe
// that is used fully for a tenth of the time is used to a tenth.
constexpr auto parts = std::to_array<Part>({
    {&KernelMetrics::duration_ns, "gpu__time_duration.sum"},
    {&KernelMetrics::dram_bytes, "dram__bytes.sum"},
    {&KernelMetrics::l2_bytes, "lts__t_bytes.sum"},
    {&KernelMetrics::l1_bytes, "l1tex__t_bytes.sum"},
    {&KernelMetrics::fp32_ops, "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"},
    {&KernelMetrics::fp32_ops, "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum"},
    {&KernelMetrics::fp32_ops, "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 2},
    {&KernelMetrics::tensor_ops, "sm__ops_path_tensor_src_tf32_dst_fp32.sum"},
    {&KernelMetrics::tensor_ops, "sm__ops_path_tensor_src_bf16_dst_fp32.sum"},
    {&KernelMetrics::tensor_ops, "sm__ops_path_tensor_src_fp16.sum"},
    {&KernelMetrics::tensor_ops, "sm__ops_path_tensor_src_fp16_dst_fp32.sum"},
    {&KernelMetrics::tensor_ops, "sm__ops_path_tensor_src_fp16_dst_fp16.sum"},
    {&KernelMetrics::tensor_ops, "sm__ops_path_tensor_src_fp16_bf16_tf32_dst_fp32.sum"},
    {&KernelMetrics::tensor_ops, "sm__ops_path_tensor_src_fp8.sum"},
    {&KernelMetrics::occupancy, "sm__warps_active.avg.pct_of_peak_sustained_active", percent},
    {&KernelMetrics::dramUse, "dram__bytes.sum.pct_of_peak_sustained_elapsed", percent},
    {&KernelMetrics::l2Use, "lts__t_bytes.sum.pct_of_peak_sustained_elapsed", percent},
    {&KernelMetrics::l1Use, "l1tex__t_bytes.sum.pct_of_peak_sustained_elapsed", percent},
    {&KernelMetrics::sharedUse, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed",
     percent},
    {&KernelMetrics::tensorUse, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", percent},
    {&KernelMetrics::fp32Use, "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed", percent},
    {&KernelMetrics::issueUse, "smsp__issue_active.avg.pct_of_peak_sustained_elapsed", percent},
});

constexpr std::string_view stallPrefix = "smsp__average_warps_issue_stalled_", stallSuffix = "_per_issue_active.ratio";
constexpr std::array stalls{
    "long_scoreboard",    "short_scoreboard", "wait",           "barrier",      "membar",
    "math_pipe_throttle", "mio_throttle",     "lg_throttle",    "tex_throttle", "not_selected",
    "selected",           "no_instruction",   "dispatch_stall", "drain",        "branch_resolving",
    "imc_miss",           "sleeping",         "misc",           "gmma"};

constexpr Value sums[] = {&KernelMetrics::duration_ns, &KernelMetrics::dram_bytes, &KernelMetrics::l2_bytes,
                          &KernelMetrics::l1_bytes,    &KernelMetrics::fp32_ops,   &KernelMetrics::tensor_ops};
constexpr Value shares[] = {&KernelMetrics::occupancy, &KernelMetrics::dramUse,   &KernelMetrics::l2Use,
                            &KernelMetrics::l1Use,     &KernelMetrics::sharedUse, &KernelMetrics::tensorUse,
                            &KernelMetrics::fp32Use,   &KernelMetrics::issueUse};

/// Several launches put together.
class Together {
public:
    void add(const KernelMetrics& one)
    {
        const double weight = one.duration_ns.value_or(1);
        m_weight += weight;
        for (const Value value : sums)
            if (one.*value)
                m_sum.*value = (m_sum.*value).value_or(0) + *(one.*value);
        for (const Value value : shares)
            if (one.*value)
                m_sum.*value = (m_sum.*value).value_or(0) + *(one.*value) * weight;
        for (const auto& [reason, share] : one.stalls)
            m_sum.stalls[reason] += share * weight;
    }

    KernelMetrics metrics() const
    {
        KernelMetrics out = m_sum;
        for (const Value value : shares)
            if (out.*value)
                out.*value = *(out.*value) / m_weight;
        for (auto& [reason, share] : out.stalls)
            share /= m_weight;
        return out;
    }

private:
    KernelMetrics m_sum;
    double m_weight = 0;
};

/// The kernels of the last recorded call, in the order in which they were launched.
std::vector<const TimelineEvent*> launchedInOrder(const protocol::Timeline& timeline)
{
    std::vector<const TimelineEvent*> kernels;
    const std::int64_t from = timeline.windows.back().start_ns, to = timeline.windows.back().end_ns;
    for (const TimelineEvent& event : timeline.events)
        if (event.category == TimelineEvent::Category::Kernel && event.place != TimelineEvent::Place::Outside &&
            event.start_ns >= from && event.start_ns < to)
            kernels.push_back(&event);
    std::sort(kernels.begin(), kernels.end(), [](const TimelineEvent* a, const TimelineEvent* b) {
        return std::tie(a->correlation, a->start_ns) < std::tie(b->correlation, b->start_ns);
    });
    return kernels;
}

/// Launches, of which a whole graph is one.
std::size_t piecesOf(const std::vector<const TimelineEvent*>& kernels)
{
    std::set<std::uint64_t> graphs;
    std::size_t pieces = 0;
    for (const TimelineEvent* kernel : kernels)
        pieces += kernel->graph == 0 || graphs.insert(kernel->correlation).second;
    return pieces;
}

std::string countText(std::size_t number)
{
    return std::to_string(number) + (number == 1 ? " kernel" : " kernels");
}

/// Without return type, template arguments and arguments: two demanglers differ in those.
std::string_view bareName(std::string_view name)
{
    if (name.starts_with("void "))
        name.remove_prefix(5);
    const std::size_t from = name.starts_with("(anonymous namespace)::") ? 1 : 0;
    return name.substr(0, name.find_first_of("<(", from));
}

/// Why these launches cannot be those kernels; empty when they are.
std::string mismatch(const std::vector<const TimelineEvent*>& kernels, const std::vector<CountedLaunch>& launches)
{
    if (launches.size() != kernels.size()) {
        if (launches.size() == piecesOf(kernels))
            return "The profiler counts a CUDA graph as one piece, so that its kernels have no counts of their own.";
        return "The call launched " + countText(kernels.size()) + " while its times were recorded, and " +
               countText(launches.size()) + " while they were counted, so that nothing says which is which.";
    }
    for (std::size_t i = 0; i < kernels.size(); ++i)
        if (!launches[i].kernel.empty() && bareName(launches[i].kernel) != bareName(kernels[i]->name))
            return "Launch " + std::to_string(i + 1) + " was of " + kernels[i]->name +
                   " while times were recorded, and of " + launches[i].kernel + " while it was counted.";
    return {};
}

} // namespace

const std::vector<std::string>& counterMetrics()
{
    static const std::vector<std::string> names = [] {
        std::vector<std::string> out;
        out.reserve(std::size(parts) + std::size(stalls));
        for (const Part& part : parts)
            out.emplace_back(part.metric);
        for (const char* reason : stalls)
            out.push_back(std::string(stallPrefix) + reason + std::string(stallSuffix));
        return out;
    }();
    return names;
}

KernelMetrics metricsOf(const std::map<std::string, double>& counted)
{
    KernelMetrics out;
    for (const Part& part : parts)
        if (const auto found = counted.find(part.metric); found != counted.end())
            out.*part.value = (out.*part.value).value_or(0) + found->second * part.factor;
    double all = 0;
    for (const char* reason : stalls)
        if (const auto found = counted.find(std::string(stallPrefix) + reason + std::string(stallSuffix));
            found != counted.end() && found->second > 0) {
            out.stalls[reason] = found->second;
            all += found->second;
        }
    for (auto& [reason, share] : out.stalls)
        share /= all;
    return out;
}

std::size_t launchesOfLastCall(const protocol::Timeline& timeline)
{
    return timeline.windows.empty() ? 0 : launchedInOrder(timeline).size();
}

bool addCounts(CounterSide& side, const protocol::Timeline& timeline, const std::vector<CountedLaunch>& launches)
{
    if (timeline.windows.empty())
        return false;
    const std::vector<const TimelineEvent*> kernels = launchedInOrder(timeline);
    if (const std::string why = mismatch(kernels, launches); !why.empty()) {
        side.notes.push_back(why);
        return false;
    }
    for (KernelCounters& row : side.kernels) {
        Together together;
        bool any = false;
        for (std::size_t i = 0; i < kernels.size(); ++i)
            if (kernels[i]->name == row.name && kernels[i]->launch.value_or(protocol::KernelLaunch()) == row.launch) {
                together.add(metricsOf(launches[i].metrics));
                any = true;
            }
        if (any)
            row.measured = together.metrics();
    }
    return true;
}

} // namespace cudal1::judge
