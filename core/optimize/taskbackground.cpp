// SPDX-License-Identifier: GPL-3.0-or-later
// Facts around a task from graph, store and recordings.
#include "core/optimize/taskbackground.h"

#include "core/base/percenttext.h"
#include "core/base/timetext.h"
#include "core/costs/roofline.h"
#include "core/counters/storedcounters.h"
#include "core/optimize/techniqueeffects.h"
#include "core/timeline/model.h"
#include "core/timeline/timelinesummary.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <map>
#include <string_view>

namespace cudal1::optimize {

namespace {

constexpr std::size_t mostRows = 8;
constexpr int mostEvaluations = 5; ///< each is unpacked with its samples
constexpr std::size_t mostTasks = 1000;

void addRows(std::string& out, const char* title, const std::vector<timeline::EventTotal>& rows, std::size_t calls)
{
    if (rows.empty())
        return;
    out += std::string("\n- ") + title + ":";
    for (std::size_t at = 0; at < std::min(rows.size(), mostRows); ++at) {
        const timeline::EventTotal& row = rows[at];
        out += "\n  - " + timeline::shortName(row.name) + (row.detail.empty() ? "" : ", " + row.detail) + ": " +
               base::timeText(double(row.total_ns) / double(std::max<std::size_t>(calls, 1))) + " a call, " +
               base::percentText(row.share);
    }
    if (rows.size() > mostRows)
        out += "\n  - … and " + std::to_string(rows.size() - mostRows) + " more";
}

std::string linesOf(const protocol::Timeline& recorded)
{
    const timeline::TimelineSummary summary = timeline::summarise(recorded);
    if (summary.calls == 0)
        return {};
    const auto share = [&](double part_ns) {
        return base::timeText(part_ns) +
               (summary.call_ns > 0 ? " (" + base::percentText(part_ns / summary.call_ns) + ")" : std::string());
    };
    std::string out = "- A call takes " + base::timeText(summary.call_ns) + "; " +
                      (summary.device ? "the device is busy for " : "operators run for ") + share(summary.busy_ns) +
                      " of it, and the longest gap takes " + share(summary.longestGap_ns) + ".";
    if (const std::string gaps = timeline::gapTotalsText(*timeline::modelOf(recorded)); !gaps.empty())
        out += "\n- Gaps: " + gaps + ".";
    addRows(out, "On the device", summary.deviceRows, summary.calls);
    addRows(out, "Operators, without what they call", summary.operatorRows, summary.calls);
    return out;
}

} // namespace

policy::LeastWork leastWork(const store::Project& project, const protocol::OperatorGraph& graph,
                            const protocol::DeviceInfo& device)
{
    const costs::Costs costs = costs::costsOf(costs::programOf(graph));
    policy::LeastWork out;
    out.flop = costs.flops.total();
    out.read_bytes = costs.read_bytes;
    out.written_bytes = costs.written_bytes;
    out.parameter_bytes = costs.parameter_bytes;
    out.complete = costs.complete;
    const auto newest = project.newestEvaluations(device.model, mostEvaluations);
    for (const store::EvaluationSummary& summary : newest ? *newest : std::vector<store::EvaluationSummary>()) {
        const auto evaluation = project.evaluation(summary.id);
        if (!evaluation || evaluation->floor.bytesPerSecond <= 0)
            continue;
        out.bytesPerSecond = evaluation->floor.bytesPerSecond;
        break;
    }
    const costs::Roofline floor = costs::floorOf(costs, device.model, out.bytesPerSecond);
    out.floor_ns = floor.bytes_ns;
    out.bytesPerSecond = floor.bytesPerSecond;
    return out;
}

std::string timelineLines(const store::Project& project, const base::TaskId& task, base::VariantId variant,
                          const std::string& deviceModel)
{
    const auto records = project.timelines(task); // newest first
    if (!records)
        return {};
    const auto found = std::find_if(records->begin(), records->end(), [&](const store::TimelineRecord& one) {
        return one.variant == variant && one.deviceModel == deviceModel;
    });
    if (found == records->end())
        return {};
    const auto answer = project.timeline(found->id);
    return answer && answer->candidate ? linesOf(*answer->candidate) : std::string();
}

std::string kernelLines(const store::Project& project, const base::TaskId& task, base::VariantId variant,
                        const std::string& deviceModel, const costs::Costs& costs)
{
    constexpr std::size_t mostKernels = 3;
    const auto stored = counters::storedCounters(project, task, variant);
    if (!stored || !*stored || !(*stored)->counters.candidate || (*stored)->counters.device.model != deviceModel)
        return {};
    const counters::SideFacts facts = counters::factsOf(counters::sideOf(**stored, variant), (*stored)->counters.device,
                                                        &costs);
    if (facts.bottleneck.empty())
        return {};
    std::string out = "- " + facts.bottleneck + ".";
    for (std::size_t at = 0; at < std::min(facts.kernels.size(), mostKernels); ++at) {
        const counters::KernelFacts& one = facts.kernels[at];
        if (one.held.empty() && !one.occupancy)
            continue;
        out += "\n  - " + counters::shortName(one.row.name) + ", " + base::percentText(one.share) +
               " of the kernels' time";
        if (one.occupancy)
            out += "; occupancy at most " + base::percentText(one.occupancy->share) + " (limited by " +
                   counters::limiterText(*one.occupancy, one.row.launch) + ")";
        if (!one.held.empty())
            out += "; " + one.held;
    }
    return out;
}

std::set<std::string> operationsNamed(const std::string& source)
{
    static const std::set<std::string> others{"Module", "Parameter", "Tensor",      "rand",   "randn",  "randint",
                                              "ones",   "zeros",     "empty",       "tensor", "arange", "float32",
                                              "int64",  "no_grad",   "manual_seed", "nn",     "init",   "functional"};
    static constexpr std::array<std::string_view, 3> prefixes{"nn.", "F.", "torch."};
    const auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    std::set<std::string> out;
    for (const std::string_view prefix : prefixes) {
        for (std::size_t at = source.find(prefix); at != std::string::npos; at = source.find(prefix, at + 1)) {
            if (at > 0 && isWord(source[at - 1]))
                continue;
            std::size_t end = at + prefix.size();
            while (end < source.size() && isWord(source[end]))
                ++end;
            const std::string name = source.substr(at + prefix.size(), end - at - prefix.size());
            if (!name.empty() && !others.contains(name))
                out.insert(name);
        }
    }
    return out;
}

bool areAlike(const std::set<std::string>& a, const std::set<std::string>& b)
{
    const auto both = std::count_if(a.begin(), a.end(), [&](const std::string& one) { return b.contains(one); });
    const auto either = std::ptrdiff_t(a.size() + b.size()) - both;
    return both > 0 && 3 * both >= either;
}

std::vector<policy::KnownEffect> effectsOnLikeTasks(const store::Project& project, const store::TaskRecord& task,
                                                    const std::string& deviceModel)
{
    auto groups = project.resultGroups();
    if (!groups)
        return {};
    const std::set<std::string> own = operationsNamed(task.source);
    std::map<base::TaskId, bool> alike;
    std::erase_if(*groups, [&](const store::ResultGroup& group) {
        if (group.deviceModel != deviceModel || group.techniques.empty() || group.task == task.id)
            return true;
        const auto [known, isNew] = alike.try_emplace(group.task, false);
        if (isNew && alike.size() <= mostTasks)
            if (const auto other = project.task(group.task))
                known->second = areAlike(own, operationsNamed(other->source));
        return !known->second;
    });
    std::vector<policy::KnownEffect> out;
    for (const TechniqueEffect& effect : techniqueEffects(*groups, deviceModel))
        out.push_back({effect.technique, int(effect.tasks.size()), effect.ratio});
    return out;
}

void TaskBackground::fill(policy::Prompt& prompt, const store::Project& project, const store::TaskRecord& task,
                          base::VariantId best)
{
    if (!m_least) {
        m_least = leastWork(project, prompt.graph, prompt.device);
        m_effects = effectsOnLikeTasks(project, task, prompt.device.model);
    }
    if (best != m_best) {
        m_best = best;
        m_timeline = best ? timelineLines(project, task.id, best, prompt.device.model) : std::string();
        const std::string kernels = best ? kernelLines(project, task.id, best, prompt.device.model,
                                                       costs::costsOf(costs::programOf(prompt.graph)))
                                         : std::string();
        m_timeline += (m_timeline.empty() || kernels.empty() ? "" : "\n") + kernels;
    }
    prompt.least = m_least;
    prompt.effects = m_effects;
    prompt.timeline = m_timeline;
}

} // namespace cudal1::optimize
