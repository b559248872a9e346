// SPDX-License-Identifier: GPL-3.0-or-later
// Plans, and rows from the store.
#include "core/ablation/ablation.h"

#include "core/ablation/bottleneck.h"
#include "core/ablation/findingstext.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace cudal1::ablation {

using base::Error;
using base::ErrorCode;

namespace {

base::Result<AblationPlan> begin(const store::Project& project, base::VariantId id)
{
    AblationPlan plan;
    auto variant = project.variant(id);
    if (!variant)
        return variant.error();
    auto task = project.task(variant->task);
    if (!task)
        return task.error();
    if (task->hash != variant->taskHash)
        return Error{ErrorCode::InvalidArgument, "The task has changed since this variant was made for it",
                     task->id.value, "Judge the variant against the present text first"};
    plan.variant = std::move(*variant);
    plan.task = std::move(*task);
    return plan;
}

/// Of the newest recording of a variant; empty where there is none.
base::Result<std::optional<timeline::TimelineSummary>>
recordingOf(const store::Project& project, const std::vector<store::TimelineRecord>& records, base::VariantId variant)
{
    for (const store::TimelineRecord& record : records) {
        if (record.variant != variant)
            continue;
        const auto answer = project.timeline(record.id);
        if (!answer)
            return answer.error();
        if (answer->candidate)
            return std::optional(timeline::summarise(*answer->candidate));
    }
    return std::optional<timeline::TimelineSummary>();
}

/// What was counted in a variant's kernels on a device model; none where nothing was.
base::Result<std::optional<counters::SideFacts>> countedIn(const store::Project& project, const base::TaskId& task,
                                                           base::VariantId variant, const std::string& deviceModel)
{
    const auto records = project.counters(task, variant);
    if (!records)
        return records.error();
    for (const store::CountersRecord& one : *records)
        if (one.counters.source != protocol::CounterSource::Static && one.counters.candidate &&
            one.counters.device.model == deviceModel)
            return std::optional(counters::factsOf(*one.counters.candidate, one.counters.device, nullptr));
    return std::optional<counters::SideFacts>();
}

} // namespace

std::vector<std::string> AblationPlan::names() const
{
    std::vector<std::string> out;
    for (const Toggle& toggle : toggles)
        out.push_back(toggle.name);
    return out;
}

std::string CombinationRow::word() const
{
    return found ? std::string(protocol::toString(found->verdict)) : "not_judged";
}

base::Result<AblationPlan> planFor(const store::Project& project, base::VariantId variant,
                                   const std::vector<std::string>& toggles, Design design, const std::string& list)
{
    const auto plan = begin(project, variant);
    return plan ? planFor(plan->task, plan->variant, toggles, design, list) : plan;
}

base::Result<AblationPlan> planFor(const store::TaskRecord& task, const store::VariantRecord& variant,
                                   const std::vector<std::string>& toggles, Design design, const std::string& list)
{
    AblationPlan plan;
    plan.task = task;
    plan.variant = variant;
    auto found = toggles.empty() ? policy::findToggles(plan.variant.source)
                                 : policy::findToggles(plan.variant.source, toggles);
    if (!found)
        return found.error();
    plan.toggles = std::move(*found);
    plan.design = design;
    auto chosen = combinations(design, plan.names(), list);
    if (!chosen)
        return chosen.error();
    plan.combinations = std::move(*chosen);
    return plan;
}

base::Result<AblationPlan> planOf(const store::Project& project, const store::AblationRecord& record)
{
    auto plan = begin(project, record.variant);
    if (!plan)
        return plan;
    auto found = policy::findToggles(plan->variant.source, record.toggles);
    if (!found)
        return found.error();
    plan->toggles = std::move(*found);
    if (!fromString(record.design, plan->design))
        plan->design = Design::List; // of a later version: the combinations say it all
    for (const store::AblationRow& row : record.rows)
        plan->combinations.push_back(row.on);
    return plan;
}

AblationSettings settingsOf(const store::AblationRecord& record)
{
    return {record.device, record.deviceModel, record.precision, record.preset};
}

base::Result<std::vector<CombinationRow>> rowsOf(const store::Project& project, const AblationPlan& plan,
                                                 const AblationSettings& settings)
{
    const auto recordings = project.timelines(plan.task.id);
    if (!recordings)
        return recordings.error();
    std::vector<CombinationRow> rows;
    for (const std::uint32_t on : plan.combinations) {
        CombinationRow& row = rows.emplace_back();
        row.on = on;
        const auto variant = project.findVariant(plan.task.id, plan.variant.taskHash, plan.source(on));
        if (!variant)
            return variant.error();
        if (!*variant)
            continue;
        row.variant = **variant;
        const auto found = project.findWholeEvaluation(row.variant, settings.deviceModel, settings.precision,
                                                       settings.preset);
        if (!found)
            return found.error();
        if (!*found)
            continue;
        const auto recorded = recordingOf(project, *recordings, row.variant);
        if (!recorded)
            return recorded.error();
        const auto counted = countedIn(project, plan.task.id, row.variant, settings.deviceModel);
        if (!counted)
            return counted.error();
        const protocol::Evaluation& evaluation = (*found)->evaluation;
        row.found = CombinationResult{
            protocol::outcomeOf(evaluation), (*found)->id,
            bottleneckText(evaluation, *recorded ? &**recorded : nullptr, *counted ? &**counted : nullptr)};
    }
    return rows;
}

base::Result<std::optional<AblationSettings>> judgedElsewhere(const store::Project& project,
                                                              const std::vector<CombinationRow>& rows,
                                                              const AblationSettings& settings)
{
    struct Judged {
        AblationSettings settings;
        std::set<base::VariantId> variants;
        std::int64_t last_ms = 0;
    };
    std::map<std::tuple<std::string, protocol::Precision, protocol::Preset>, Judged> all;
    for (const CombinationRow& row : rows) {
        if (!row.variant)
            continue;
        const auto evaluations = project.evaluations(row.variant);
        if (!evaluations)
            return evaluations.error();
        for (const store::EvaluationSummary& one : *evaluations) {
            if (one.deviceModel == settings.deviceModel && one.precision == settings.precision &&
                one.preset == settings.preset)
                continue;
            Judged& judged = all[{one.deviceModel, one.precision, one.preset}];
            judged.settings = {one.device, one.deviceModel, one.precision, one.preset};
            judged.variants.insert(row.variant);
            judged.last_ms = std::max(judged.last_ms, one.created_ms);
        }
    }
    const auto rank = [&settings](const Judged& one) {
        return std::tuple(one.variants.size(), one.settings.precision == settings.precision, one.last_ms);
    };
    const auto best = std::max_element(
        all.begin(), all.end(), [&rank](const auto& a, const auto& b) { return rank(a.second) < rank(b.second); });
    return best == all.end() ? std::nullopt : std::optional(best->second.settings);
}

base::Result<store::AblationRecord> prepare(store::Project& project, const AblationPlan& plan,
                                            const AblationSettings& settings)
{
    store::AblationRecord record;
    record.variant = plan.variant.id;
    record.toggles = plan.names();
    record.design = toString(plan.design);
    record.device = settings.device;
    record.deviceModel = settings.deviceModel;
    record.precision = settings.precision;
    record.preset = settings.preset;
    for (const std::uint32_t on : plan.combinations) {
        store::VariantRecord variant;
        variant.task = plan.task.id;
        variant.taskHash = plan.variant.taskHash;
        variant.source = plan.source(on);
        variant.origin = "ablation of variant " + std::to_string(plan.variant.id.value) + ": " +
                         combinationText(plan.names(), on);
        for (std::size_t i = 0; i < plan.toggles.size(); ++i)
            if (on >> i & 1U)
                variant.techniques.push_back(policy::techniqueOf(plan.toggles[i].name));
        variant.parent = plan.variant.id;
        const auto id = project.addVariant(variant);
        if (!id)
            return id.error();
        record.rows.push_back({on, *id});
    }
    const auto id = project.addAblation(record);
    if (!id)
        return id.error();
    return project.ablation(*id);
}

std::string selectionOf(const store::AblationRecord& record, bool again)
{
    return nlohmann::json{{"ablation", record.id.value}, {"again", again}}.dump();
}

std::vector<base::VariantId> toJudge(const std::vector<CombinationRow>& rows, bool again)
{
    std::vector<base::VariantId> out;
    for (const CombinationRow& row : rows)
        if (again || !row.found)
            out.push_back(row.variant);
    return out;
}

} // namespace cudal1::ablation
