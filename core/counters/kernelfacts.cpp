// SPDX-License-Identifier: GPL-3.0-or-later
// From rows to shares, rates and reasons.
#include "core/counters/kernelfacts.h"

#include "core/base/bytestext.h"
#include "core/base/counttext.h"
#include "core/base/percenttext.h"
#include "core/base/timetext.h"
#include "core/costs/roofline.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>

namespace cudal1::counters {

using protocol::CounterSide;
using protocol::KernelCounters;
using protocol::KernelMetrics;

namespace {

// NVIDIA's guides call a unit well used from 60 % on, and take 80 % for all that a kernel gets out of it.
constexpr double wellUsed = 0.6;
constexpr double busyAllTheTime = 0.9, busyHalfTheTime = 0.5; ///< of a call, as the sentence about a variant has them
constexpr double oneWave = 1;
constexpr double lowOccupancy = 0.3;
// Kernels are timed in other calls than those that the judge times. So a sum of their times that is a little longer
// than a call need not be of kernels side by side, and one that is hardly longer is not worth a word.
constexpr double asLong = 1.005, surelyLonger = 1.1; ///< times a call

struct Use {
    Bound bound;
    std::optional<double> share;
    const char* what;
};

std::array<Use, 7> usesOf(const KernelMetrics& m)
{
    return {{{Bound::Memory, m.dramUse, "DRAM's bandwidth"},
             {Bound::L2, m.l2Use, "the L2 cache's bandwidth"},
             {Bound::L1, m.l1Use, "the L1 cache's bandwidth"},
             {Bound::L1, m.sharedUse, "shared memory's bandwidth"},
             {Bound::Tensor, m.tensorUse, "the tensor cores"},
             {Bound::Fp32, m.fp32Use, "the FP32 pipe"},
             {Bound::Issue, m.issueUse, "all issue slots"}}};
}

std::string_view heading(Bound bound)
{
    switch (bound) {
    case Bound::Memory: return "Memory-bound";
    case Bound::L2: return "Bound by the L2 cache";
    case Bound::L1: return "Bound by L1 and shared memory";
    case Bound::Tensor: return "Bound by tensor cores";
    case Bound::Fp32: return "Bound by FP32 arithmetic";
    case Bound::Issue: return "Bound by instructions";
    case Bound::Latency: return "Latency-bound";
    case Bound::Grid: return "Too little parallel work";
    case Bound::Launch: return "Launch-bound";
    case Bound::Copies: return "Bound by copies";
    case Bound::Unknown: return "";
    }
    return "";
}

std::string gridText(const KernelCounters& row, int processors)
{
    const std::int64_t blocks = blocksOf(row.launch);
    return std::to_string(blocks) + (blocks == 1 ? " block" : " blocks") + " for " + std::to_string(processors) +
           " multiprocessors";
}

std::string occupancyText(const KernelFacts& facts)
{
    if (!facts.occupancy || facts.occupancy->share >= lowOccupancy)
        return {};
    return "; at most " + base::percentText(facts.occupancy->share) + " of the warps fit, limited by " +
           limiterText(*facts.occupancy, facts.row.launch);
}

/// What was counted decides: the unit that is used most, or, where none is, why warps wait.
void judgeByCounts(KernelFacts& facts, const KernelMetrics& m, int processors)
{
    const Use* top = nullptr;
    const auto uses = usesOf(m);
    for (const Use& use : uses)
        if (use.share && (!top || *use.share > *top->share))
            top = &use;
    if (!top)
        return;
    if (*top->share >= wellUsed) {
        facts.bound = top->bound;
        facts.held = base::percentText(*top->share) + " of " + top->what;
        return;
    }
    const bool few = facts.occupancy && processors > 0 && blocksOf(facts.row.launch) < processors;
    facts.bound = few ? Bound::Grid : Bound::Latency;
    facts.held = few ? gridText(facts.row, processors) : std::string();
    if (const auto waits = waitsOf(m); !waits.empty() && waits.front().second > 0)
        facts.held += (facts.held.empty() ? "" : "; ") + std::string("warps spend ") +
                      base::percentText(waits.front().second) + " of their time " + stallText(waits.front().first);
    facts.held += (facts.held.empty() ? "" : "; ") + std::string("most used is ") + top->what + ", to " +
                  base::percentText(*top->share) + occupancyText(facts);
}

/// Launches and times alone: bytes that are known to have moved, and how a launch fills the GPU.
void judgeByLaunch(KernelFacts& facts, const Roofs& roofs, int processors)
{
    if (facts.dram_rate && roofs.bytesPerSecond > 0 && *facts.dram_rate >= wellUsed * roofs.bytesPerSecond) {
        facts.bound = Bound::Memory;
        facts.held = "its tensors alone are " + base::percentText(*facts.dram_rate / roofs.bytesPerSecond) +
                     " of what memory moves in that time";
        return;
    }
    if (!facts.occupancy || processors <= 0)
        return;
    if (blocksOf(facts.row.launch) < processors) {
        facts.bound = Bound::Grid;
        facts.held = gridText(facts.row, processors);
    } else if (facts.occupancy->share < lowOccupancy) {
        facts.held = occupancyText(facts).substr(2);
    } else if (facts.occupancy->waves < oneWave) {
        facts.held = "its blocks fill " + base::percentText(facts.occupancy->waves) + " of the GPU";
    }
}

double operationsOf(const KernelMetrics& m)
{
    return m.fp32_ops.value_or(0) + m.tensor_ops.value_or(0);
}

KernelFacts factsOf(const KernelCounters& row, const protocol::DeviceInfo& device, const Roofs& roofs)
{
    KernelFacts out;
    out.row = row;
    out.occupancy = occupancyOf(row.launch, device.capability, device.processors);
    if (const auto& m = row.measured; m && m->duration_ns && *m->duration_ns > 0) {
        const auto rate = [&](const std::optional<double>& bytes) {
            return bytes ? std::optional<double>(*bytes / *m->duration_ns * 1e9) : std::nullopt;
        };
        out.dram_rate = rate(m->dram_bytes);
        out.l2_rate = rate(m->l2_bytes);
        out.l1_rate = rate(m->l1_bytes);
        if (m->dram_bytes && *m->dram_bytes > 0 && operationsOf(*m) > 0)
            out.roof = RoofPoint{operationsOf(*m) / *m->dram_bytes, operationsOf(*m) / *m->duration_ns * 1e9};
    } else if (row.tensor_bytes > 0 && row.time_ns > 0) {
        out.dram_rate = row.tensor_bytes / row.time_ns * 1e9;
        out.rateIsOfTensors = true;
    }
    if (row.measured)
        judgeByCounts(out, *row.measured, device.processors);
    else
        judgeByLaunch(out, roofs, device.processors);
    return out;
}

/// As counted in all kernels; none where one that takes time was not.
std::optional<RoofPoint> countedRoof(const SideFacts& side)
{
    double bytes = 0, operations = 0, time_ns = 0, uncounted_ns = 0;
    for (const KernelFacts& one : side.kernels) {
        const auto& m = one.row.measured;
        if (!m || !m->dram_bytes || !m->duration_ns) {
            uncounted_ns += one.row.time_ns;
            continue;
        }
        bytes += *m->dram_bytes;
        operations += operationsOf(*m);
        time_ns += *m->duration_ns;
    }
    if (bytes <= 0 || operations <= 0 || time_ns <= 0 || uncounted_ns > 0.05 * side.kernels_ns)
        return {};
    if (side.call_ns > 0)
        time_ns = std::min(time_ns, side.call_ns);
    return RoofPoint{operations / bytes, operations / time_ns * 1e9};
}

std::string wholeText(const SideFacts& side, const Roofs& roofs, const costs::Costs* costs)
{
    if (!costs || side.together_ns <= 0 || roofs.bytesPerSecond <= 0)
        return {};
    const double share = costs->minimum_bytes() / roofs.bytesPerSecond * 1e9 / side.together_ns;
    return share > 0.005
             ? "; the least that must move is " + base::percentText(share) + " of what memory moves in that time"
             : std::string();
}

/// "1 kernel", "12,300 kernels".
std::string numberOf(double number, const char* one, const char* several)
{
    const std::int64_t whole = std::max<std::int64_t>(1, std::llround(number)); // a fraction where calls differ
    return base::countText(whole) + " " + (whole == 1 ? one : several);
}

std::string copiesText(const SideFacts& side)
{
    return numberOf(side.copies, "copy or memset", "copies or memsets");
}

std::string launchedText(const SideFacts& side)
{
    double launches = 0;
    for (const KernelFacts& one : side.kernels)
        launches += one.row.launches;
    return numberOf(launches, "kernel", "kernels");
}

/// A call in which the GPU does nothing most of the time.
std::string waitingText(const SideFacts& side, const std::string& times)
{
    const bool hasCopies = side.copies_ns.value_or(0) > 0, hasKernels = side.kernels_ns > 0;
    std::string work = hasKernels ? launchedText(side) : std::string();
    if (hasCopies)
        work += (hasKernels ? " and " : "") + copiesText(side);
    const bool isOne = work.starts_with("1 ") && hasKernels != hasCopies;
    return work + (isOne ? " works " : " work ") + times +
           (side.copies_ns ? " and the GPU waits for the CPU otherwise"
                           : "; otherwise the GPU copies or waits for the CPU");
}

/// The sentence about a call: first whether the GPU is what it waits for, then what its longest kernel waits for.
void judgeCall(SideFacts& side, const Roofs& roofs, const costs::Costs* costs, bool counted)
{
    if (side.busy_ns <= 0)
        return;
    const double busy = side.call_ns > 0 ? side.busy_ns / side.call_ns : 1, copies_ns = side.copies_ns.value_or(0);
    const std::string times = base::timeText(side.busy_ns) + " of " + base::timeText(side.call_ns);
    if (busy < busyHalfTheTime) {
        side.bound = Bound::Launch;
        side.bottleneck = std::string(heading(Bound::Launch)) + ": " + waitingText(side, times);
        return;
    }
    const char* what = copies_ns <= 0 ? "kernels" : side.kernels_ns > 0 ? "kernels and copies" : "copies";
    const std::string gaps = busy < busyAllTheTime ? " (" + times + " are " + what + ")" : std::string();
    if (copies_ns > side.kernels_ns) {
        side.bound = Bound::Copies;
        side.bottleneck = std::string(heading(Bound::Copies)) + gaps + ": " + copiesText(side) + " in " +
                          base::timeText(copies_ns);
        if (side.kernels_ns > 0)
            side.bottleneck += ", " + launchedText(side) + " in " + base::timeText(side.kernels_ns);
        return;
    }
    const KernelFacts& longest = side.kernels.front();
    std::string kernel = shortName(longest.row.name, 40) + " takes " + base::percentText(longest.share) +
                         " of the kernels' time";
    if (side.kernels.size() == 1)
        kernel = shortName(longest.row.name, 40);
    if (!longest.held.empty())
        kernel += ": " + longest.held;
    side.bound = longest.bound;
    if (side.bound == Bound::Unknown)
        side.bottleneck = "GPU work" + gaps + ": " + kernel;
    else
        side.bottleneck = std::string(heading(side.bound)) + gaps + ": " + kernel;
    if (!counted)
        side.bottleneck += wholeText(side, roofs, costs);
}

/// Why the times of what the GPU did add up to more than the call; empty where they do not.
std::string sideBySideText(const SideFacts& side)
{
    const bool areKernels = side.kernels_ns > asLong * side.call_ns; // without any copies
    const double sum_ns = side.kernels_ns + (areKernels ? 0 : side.copies_ns.value_or(0));
    if (side.call_ns <= 0 || sum_ns <= asLong * side.call_ns)
        return {};
    const std::string what = areKernels ? "kernels" : "kernels and copies";
    const bool isSure = sum_ns > surelyLonger * side.call_ns;
    return "The times of " + what + " add up to " + base::timeText(sum_ns) + ", more than the " +
           base::timeText(side.call_ns) + " of the call: " + (isSure ? what : "some") + " ran side by side" +
           (isSure ? "." : ", or took longer while they were recorded.");
}

} // namespace

std::string_view boundWord(Bound bound)
{
    switch (bound) {
    case Bound::Unknown: return "unknown";
    case Bound::Memory: return "memory";
    case Bound::L2: return "l2";
    case Bound::L1: return "l1";
    case Bound::Tensor: return "tensor";
    case Bound::Fp32: return "fp32";
    case Bound::Issue: return "issue";
    case Bound::Latency: return "latency";
    case Bound::Grid: return "grid";
    case Bound::Launch: return "launch";
    case Bound::Copies: return "copies";
    }
    return {};
}

bool isCopies(const KernelCounters& row)
{
    return row.name == copiesName;
}

const KernelCounters* copiesOf(const CounterSide& side)
{
    const auto found = std::find_if(side.kernels.begin(), side.kernels.end(), isCopies);
    return found != side.kernels.end() ? &*found : nullptr;
}

Roofs roofsOf(const std::string& deviceModel)
{
    Roofs out;
    if (const costs::KnownGpu* gpu = costs::knownGpu(deviceModel)) {
        out.bytesPerSecond = gpu->bytesPerSecond;
        out.fp32 = gpu->fp32;
        out.tf32 = gpu->tf32;
        out.gpu = gpu->model;
    }
    return out;
}

SideFacts factsOf(const CounterSide& side, const protocol::DeviceInfo& device, const costs::Costs* costs)
{
    SideFacts out;
    out.call_ns = side.call_ns;
    out.notes = side.notes;
    const Roofs roofs = roofsOf(device.model);
    for (const KernelCounters& row : side.kernels) {
        if (isCopies(row))
            continue;
        out.kernels_ns += row.time_ns;
        out.kernels.push_back(factsOf(row, device, roofs));
    }
    if (const KernelCounters* copies = copiesOf(side)) {
        out.copies_ns = copies->time_ns;
        out.copies = copies->launches;
    }
    const auto withinCall = [&](double ns) { return side.call_ns > 0 ? std::min(ns, side.call_ns) : ns; };
    out.together_ns = withinCall(out.kernels_ns);
    out.busy_ns = withinCall(out.kernels_ns + out.copies_ns.value_or(0));
    for (KernelFacts& one : out.kernels)
        one.share = out.kernels_ns > 0 ? one.row.time_ns / out.kernels_ns : 0;
    out.roof = countedRoof(out);
    out.roofIsCounted = out.roof.has_value();
    if (!out.roof && costs && costs->complete && costs->minimum_bytes() > 0 && out.together_ns > 0 &&
        costs->flops.total() > 0)
        out.roof = RoofPoint{costs->flops.total() / costs->minimum_bytes(),
                             costs->flops.total() / out.together_ns * 1e9};
    judgeCall(out, roofs, costs, !out.kernels.empty() && out.kernels.front().row.measured.has_value());
    if (const std::string text = sideBySideText(out); !text.empty())
        out.notes.push_back(text);
    return out;
}

std::string threeDigitsText(double value)
{
    if (value >= 999.5 && value < 1e15) {
        const double unit = std::pow(10, std::floor(std::log10(value)) - 2);
        return base::countText(std::llround(std::round(value / unit) * unit));
    }
    char out[64];
    if (value > 0 && value < 1e-4)
        std::snprintf(out, sizeof out, "%.*f", std::min(2 - int(std::floor(std::log10(value))), 40), value);
    else
        std::snprintf(out, sizeof out, "%.3g", value);
    return out;
}

std::string shortName(const std::string& name, std::size_t most)
{
    std::string out = name;
    const auto isInName = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    for (const std::string_view word : {"void ", "(anonymous namespace)::", "at::native::", "at::", "std::"})
        for (std::size_t at = out.find(word); at != std::string::npos; at = out.find(word, at)) {
            if (at > 0 && isInName(out[at - 1]))
                ++at;
            else
                out.erase(at, word.size());
        }
    // The arguments begin at the first bracket that is in no template argument.
    int depth = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
        depth += out[i] == '<';
        depth -= out[i] == '>' && depth > 0;
        if (out[i] == '(' && depth == 0 && i > 0) {
            out.resize(i);
            break;
        }
    }
    if (out.size() <= most)
        return out;
    const std::size_t end = (most - 1) / 3; // what differs often stands at the end
    return out.substr(0, most - 1 - end) + "…" + out.substr(out.size() - end);
}

std::string stallText(const std::string& reason)
{
    static constexpr auto texts = std::to_array<std::pair<std::string_view, std::string_view>>({
        {"long_scoreboard", "waiting for memory or the L2 cache"},
        {"short_scoreboard", "waiting for shared memory or special functions"},
        {"wait", "waiting for an arithmetic result"},
        {"barrier", "waiting at a barrier of the block"},
        {"membar", "waiting at a memory barrier"},
        {"math_pipe_throttle", "waiting for a busy arithmetic pipe"},
        {"mio_throttle", "waiting for the queue of shared memory and special functions"},
        {"lg_throttle", "waiting for the queue of memory accesses"},
        {"tex_throttle", "waiting for the texture queue"},
        {"not_selected", "ready while another warp is issued"},
        {"selected", "being issued"},
        {"no_instruction", "waiting for instructions"},
        {"dispatch_stall", "held back by the dispatcher"},
        {"drain", "waiting for its last writes"},
        {"branch_resolving", "waiting for a branch"},
        {"imc_miss", "waiting for constants"},
        {"sleeping", "asleep"},
        {"misc", "waiting for other reasons"},
        {"gmma", "waiting for the tensor cores"},
    });
    for (const auto& [word, text] : texts)
        if (word == reason)
            return std::string(text);
    return reason;
}

std::vector<std::pair<std::string, double>> waitsOf(const KernelMetrics& metrics)
{
    std::vector<std::pair<std::string, double>> out;
    for (const auto& [reason, share] : metrics.stalls)
        if (reason != "selected" && reason != "not_selected")
            out.emplace_back(reason, share);
    std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    return out;
}

} // namespace cudal1::counters
