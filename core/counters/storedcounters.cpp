// SPDX-License-Identifier: GPL-3.0-or-later
// Counters of a project, and facts as JSON.
#include "core/counters/storedcounters.h"

#include <algorithm>

namespace cudal1::counters {

using nlohmann::json;
using protocol::Counters;
using protocol::CounterSource;
using protocol::TimelineEvent;

namespace {

/// All copies and memsets of a call in one row, also where there are none: that, too, is then known.
protocol::KernelCounters copiesIn(const protocol::Timeline& timeline)
{
    protocol::KernelCounters row;
    row.name = copiesName;
    row.launches = 0;
    const double calls = double(timeline.windows.size());
    for (const TimelineEvent& event : timeline.events) {
        const bool isCopy = event.category == TimelineEvent::Category::Copy ||
                            event.category == TimelineEvent::Category::Memset;
        if (!isCopy || event.place == TimelineEvent::Place::Outside)
            continue;
        row.launches += 1 / calls;
        row.time_ns += double(event.duration_ns) / calls;
    }
    return row;
}

/// The kernels come first, so that the first row is the longest kernel.
protocol::CounterSide recordedSide(const protocol::Timeline& timeline)
{
    protocol::CounterSide side = protocol::launchedKernels(timeline);
    if (!timeline.windows.empty())
        side.kernels.push_back(copiesIn(timeline));
    return side;
}

/// Launches and times of a timeline in place of counters.
Counters countersOf(const protocol::TimelineAnswer& answer)
{
    Counters out;
    out.task = answer.task;
    out.candidateName = answer.candidateName;
    out.device = answer.device;
    out.precision = answer.precision;
    out.seed = answer.seed;
    out.recorded_ms = answer.recorded_ms;
    out.reason = "no counters were taken yet, and this is its newest timeline";
    out.reference = recordedSide(answer.reference);
    if (answer.candidate)
        out.candidate = recordedSide(*answer.candidate);
    return out;
}

bool hasKernels(const Counters& counters)
{
    const auto has = [](const protocol::CounterSide& side) {
        return !std::all_of(side.kernels.begin(), side.kernels.end(), isCopies);
    };
    return has(counters.reference) || (counters.candidate && has(*counters.candidate));
}

/// With the times of the newest evaluation under the same conditions.
base::Result<std::optional<StoredCounters>> judged(const store::Project& project, base::VariantId variant,
                                                   StoredCounters found)
{
    const auto evaluations = variant ? project.evaluations(variant)
                                     : base::Result<std::vector<store::EvaluationSummary>>(
                                           std::vector<store::EvaluationSummary>());
    if (!evaluations)
        return evaluations.error();
    for (const store::EvaluationSummary& one : *evaluations)
        if (one.verdict == protocol::Verdict::Correct && one.deviceModel == found.counters.device.model &&
            one.precision == found.counters.precision && one.candidate_ns > 0) {
            found.referenceJudged_ns = one.reference_ns;
            found.candidateJudged_ns = one.candidate_ns;
            break;
        }
    return std::optional(std::move(found));
}

json valueOf(const std::optional<double>& value)
{
    return value ? json(*value) : json(nullptr);
}

json roofJson(const std::optional<RoofPoint>& roof)
{
    return roof ? json{{"ops_per_byte", roof->intensity}, {"ops_per_s", roof->rate}} : json(nullptr);
}

json kernelJson(const KernelFacts& facts)
{
    json out{{"name", facts.row.name},
             {"launches", facts.row.launches},
             {"time_ns", facts.row.time_ns},
             {"share", facts.share},
             {"launch", facts.row.launch},
             {"bound", boundWord(facts.bound)},
             {"held_up_by", facts.held},
             {"dram_bytes_per_s", valueOf(facts.dram_rate)},
             {"dram_rate_is_of_tensors", facts.rateIsOfTensors},
             {"l2_bytes_per_s", valueOf(facts.l2_rate)},
             {"l1_bytes_per_s", valueOf(facts.l1_rate)},
             {"roofline", roofJson(facts.roof)},
             {"counted", nullptr},
             {"occupancy", nullptr}};
    if (facts.row.measured)
        out["counted"] = *facts.row.measured;
    if (facts.occupancy)
        out["occupancy"] = {{"most", facts.occupancy->share},
                            {"blocks", facts.occupancy->blocks},
                            {"warps", facts.occupancy->warps},
                            {"limiter", limiterWord(facts.occupancy->limiter)},
                            {"waves", facts.occupancy->waves}};
    return out;
}

} // namespace

base::Result<std::optional<StoredCounters>> storedCounters(const store::Project& project, const base::TaskId& task,
                                                           base::VariantId variant)
{
    const auto record = project.task(task);
    if (!record && record.error().code == base::ErrorCode::NotFound)
        return std::optional<StoredCounters>(); // a task that the project has never had
    if (!record)
        return record.error();
    const auto counted = project.counters(task, variant);
    if (!counted)
        return counted.error();
    std::optional<StoredCounters> timed;
    for (const store::CountersRecord& one : *counted) {
        if (one.taskHash != record->hash || !hasKernels(one.counters))
            continue;
        if (one.counters.source != CounterSource::Static)
            return judged(project, variant, {one.counters, one.created_ms, {}});
        if (!timed)
            timed = StoredCounters{one.counters, one.created_ms, {}, 0, 0};
    }
    const auto timelines = project.timelines(task);
    if (!timelines)
        return timelines.error();
    for (const store::TimelineRecord& one : *timelines) { // newest first
        if (one.taskHash != record->hash || (variant && one.variant != variant) ||
            (timed && one.created_ms <= timed->created_ms))
            continue;
        const auto answer = project.timeline(one.id);
        if (!answer)
            return answer.error();
        if (Counters counters = countersOf(*answer); hasKernels(counters))
            return judged(project, variant, {std::move(counters), one.created_ms, one.id});
    }
    return timed ? judged(project, variant, std::move(*timed)) : std::optional<StoredCounters>();
}

protocol::CounterSide sideOf(const StoredCounters& stored, base::VariantId variant)
{
    const bool isCandidate = variant && stored.counters.candidate;
    protocol::CounterSide side = isCandidate ? *stored.counters.candidate : stored.counters.reference;
    if (const double judged_ns = isCandidate ? stored.candidateJudged_ns : stored.referenceJudged_ns; judged_ns > 0)
        side.call_ns = judged_ns;
    return side;
}

std::string sourceText(const Counters& counters)
{
    if (counters.source == CounterSource::Static)
        return "Worked out of launches and times alone" + (counters.reason.empty() ? "" : ": " + counters.reason) + ".";
    return "Counted by " + counters.tool + " in one call" + (counters.reason.empty() ? "" : "; " + counters.reason) +
           ".";
}

json factsJson(const SideFacts& facts)
{
    json kernels = json::array();
    for (const KernelFacts& one : facts.kernels)
        kernels.push_back(kernelJson(one));
    return {{"call_ns", facts.call_ns},
            {"kernels_ns", facts.kernels_ns},
            {"kernels_together_ns", facts.together_ns},
            {"copies_ns", valueOf(facts.copies_ns)},
            {"busy_ns", facts.busy_ns},
            {"kernels", std::move(kernels)},
            {"roofline", roofJson(facts.roof)},
            {"roofline_is_counted", facts.roofIsCounted},
            {"bound", boundWord(facts.bound)},
            {"bottleneck", facts.bottleneck},
            {"notes", facts.notes}};
}

json changesJson(const std::vector<KernelChange>& changes)
{
    json out = json::array();
    for (const KernelChange& one : changes)
        out.push_back({{"name", one.name},
                       {"a_launches", one.aLaunches},
                       {"b_launches", one.bLaunches},
                       {"a_ns", one.a_ns},
                       {"b_ns", one.b_ns},
                       {"gained_ns", one.gained_ns()},
                       {"share_of_gain", one.share}});
    return out;
}

} // namespace cudal1::counters
