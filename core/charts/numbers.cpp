// SPDX-License-Identifier: GPL-3.0-or-later
// Reads what charts are made of, and chooses the builder.
#include "core/charts/builders.h"

#include "core/baselines/baselinekinds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace cudal1::charts {

namespace {

constexpr std::array<KindInfo, 10> all{{
    {ChartKind::Distribution, "distribution",
     "how many tasks gained how much: histogram on a logarithmic axis by level, with quartiles"},
    {ChartKind::Percentiles, "percentiles", "mean, geometric mean, maximum and quartiles by level"},
    {ChartKind::FastP, "fastp", "fast_p: share of tasks with a correct variant faster than p"},
    {ChartKind::Baselines, "baselines",
     "each task's best variant against a baseline, or against what others published"},
    {ChartKind::Effects, "effects", "what each technique brings: pairs of variants that differ by it alone"},
    {ChartKind::Techniques, "techniques", "how often each technique was tried, and was correct"},
    {ChartKind::Progress, "progress", "a run over its rounds, or the project over its evaluations"},
    {ChartKind::Devices, "devices", "level by GPU"},
    {ChartKind::Claims, "claims", "what publications claim, by device and level, beside what was found here"},
    {ChartKind::ClaimedMeans, "claimed-means",
     "the mean speed-up that is claimed, by device and program: figure 1 of the paper"},
}};

/// Options with results for most tasks first, then by name.
std::vector<Option> sorted(const std::map<std::string, std::set<base::TaskId>>& tasks)
{
    std::vector<Option> out;
    out.reserve(tasks.size());
    for (const auto& [id, of] : tasks)
        out.push_back({id, QString::fromStdString(id), int(of.size())});
    std::stable_sort(out.begin(), out.end(), [](const Option& a, const Option& b) { return a.tasks > b.tasks; });
    return out;
}

} // namespace

std::span<const KindInfo> kinds()
{
    return all;
}

const KindInfo* findKind(std::string_view id)
{
    const auto found = std::find_if(all.begin(), all.end(), [id](const KindInfo& info) { return info.id == id; });
    return found == all.end() ? nullptr : &*found;
}

void fitSpeedups(Axis& axis, double least, double most)
{
    axis.scale = AxisScale::Logarithmic;
    axis.speedups = true;
    const double room = std::max(std::log(std::max(most, 1.0) / std::min(least, 1.0)) * 0.06, 0.05);
    axis.low = std::min(least, 1.0) * std::exp(-room);
    axis.high = std::max(most, 1.0) * std::exp(room);
}

Numbers numbersOf(std::vector<store::TaskRow> tasks, const std::function<bool(const store::TaskRow&)>& preferred)
{
    Numbers numbers;
    const OneVersion version = oneVersion(tasks, preferred);
    for (std::size_t i = 0; i < tasks.size(); ++i)
        if (version.counts[i])
            numbers.tasks.push_back(std::move(tasks[i]));
    numbers.leftOut = QString::fromStdString(version.sentence());
    return numbers;
}

base::Status read(const store::Project& project, ChartKind kind, const Choices& choices, Numbers& numbers)
{
    std::set<base::TaskId> counted;
    for (const store::TaskRow& row : numbers.tasks)
        counted.insert(row.id);
    const auto other = [&counted](const auto& row) { return !counted.contains(row.task); };
    if (kind == ChartKind::Baselines || kind == ChartKind::Effects || kind == ChartKind::Techniques ||
        kind == ChartKind::Devices) {
        auto groups = project.resultGroups();
        if (!groups)
            return groups.error();
        numbers.groups = std::move(*groups);
        std::erase_if(numbers.groups, other);
    }
    if (kind == ChartKind::Baselines) {
        auto baselines = project.baselineRows();
        if (!baselines)
            return baselines.error();
        numbers.baselines = std::move(*baselines);
        std::erase_if(numbers.baselines, [&](const store::VariantRow& row) {
            return row.stale || !row.evaluation || !row.counts || other(row);
        });
        auto claims = project.claims();
        if (!claims)
            return claims.error();
        numbers.claims = std::move(*claims);
        std::erase_if(numbers.claims, [&](const store::ClaimRecord& claim) {
            return !claim.speedup || *claim.speedup <= 0 || other(claim);
        });
        if (const auto status = readVersus(project, choices, numbers); !status)
            return status;
    }
    if (kind == ChartKind::Claims || kind == ChartKind::ClaimedMeans) {
        auto published = rejudge::publishedClaims(project, choices.deviceModel, choices.failures);
        if (!published)
            return published.error();
        numbers.published = std::move(*published);
    }
    if (kind == ChartKind::Progress) {
        auto runs = project.runs();
        if (!runs)
            return runs.error();
        numbers.runs = std::move(*runs);
        std::erase_if(numbers.runs, [](const store::RunRecord& run) { return run.kind != "optimize"; });
        numbers.run = choices.run ? choices.run : numbers.runs.size() == 1 ? numbers.runs.front().id : base::RunId();
        if (numbers.run) {
            auto results = project.runResults(numbers.run);
            if (!results)
                return results.error();
            numbers.results = std::move(*results);
        } else {
            auto improvements = project.improvements();
            if (!improvements)
                return improvements.error();
            numbers.improvements = std::move(*improvements);
            std::erase_if(numbers.improvements, other);
        }
    }
    return {};
}

Chart chartOf(ChartKind kind, const Numbers& numbers, const Choices& choices)
{
    switch (kind) {
    case ChartKind::Distribution: return distribution(numbers, choices.failures);
    case ChartKind::Percentiles: return percentiles(numbers, choices.failures);
    case ChartKind::FastP: return fastP(numbers);
    case ChartKind::Baselines: return scatter(numbers, choices);
    case ChartKind::Effects: return effects(numbers, choices);
    case ChartKind::Techniques: return techniques(numbers);
    case ChartKind::Progress: return progress(numbers);
    case ChartKind::Devices: return deviceMatrix(numbers, choices.failures);
    case ChartKind::Claims: return claimed(numbers);
    case ChartKind::ClaimedMeans: return claimedMeans(numbers);
    }
    return {};
}

base::Result<Chart> chartOf(const store::Project& project, ChartKind kind, const Choices& choices,
                            const std::set<std::string>& texts)
{
    auto rows = project.taskRows();
    if (!rows)
        return rows.error();
    Numbers numbers = numbersOf(
        std::move(*rows), texts.empty() ? std::function<bool(const store::TaskRow&)>()
                                        : [&texts](const store::TaskRow& row) { return texts.contains(row.hash); });
    if (const auto status = read(project, kind, choices, numbers); !status)
        return status.error();
    return chartOf(kind, numbers, choices);
}

std::vector<Option> devices(const Numbers& numbers)
{
    std::map<std::string, std::set<base::TaskId>> tasks;
    for (const store::ResultGroup& group : numbers.groups)
        tasks[group.deviceModel].insert(group.task);
    for (const store::VariantRow& row : numbers.baselines)
        tasks[row.evaluation->deviceModel].insert(row.task);
    return sorted(tasks);
}

std::string deviceOf(const Numbers& numbers, const Choices& choices)
{
    if (!choices.deviceModel.empty())
        return choices.deviceModel;
    const std::vector<Option> known = devices(numbers);
    return known.empty() ? std::string() : known.front().id;
}

std::vector<Option> runs(const Numbers& numbers)
{
    std::vector<Option> out;
    if (numbers.runs.size() > 1)
        out.push_back({"0", QStringLiteral("the whole project"), int(numbers.tasks.size())});
    for (const store::RunRecord& run : numbers.runs)
        out.push_back({std::to_string(run.id.value),
                       QStringLiteral("%1, run %2 of %3")
                           .arg(QString::fromStdString(run.task.value))
                           .arg(run.id.value)
                           .arg(dateText(run.created_ms)),
                       1});
    return out;
}

std::string contenderOf(const std::string& origin)
{
    return origin.starts_with("ablation of ") ? "ablations" : origin;
}

std::vector<Option> contenders(const Numbers& numbers)
{
    std::vector<Option> out;
    int best = 0;
    for (const store::TaskRow& row : numbers.tasks)
        best += row.best.valid();
    if (best > 0)
        out.push_back({"best", QStringLiteral("best variant"), best});
    std::map<std::string, std::set<base::TaskId>> baselines, claimed, found;
    for (const store::VariantRow& row : numbers.baselines)
        if (row.evaluation->wall.valid())
            baselines[row.baseline].insert(row.task);
    for (const store::ClaimRecord& claim : numbers.claims)
        claimed[claim.source].insert(claim.task);
    for (const store::ResultGroup& group : numbers.groups)
        if (group.wall.valid())
            found[contenderOf(group.origin)].insert(group.task);
    for (const baselines::BaselineKind& kind : baselines::kinds())
        if (const auto of = baselines.find(std::string(kind.id)); of != baselines.end())
            out.push_back({"baseline:" + of->first, QString::fromUtf8(kind.name), int(of->second.size())});
    for (const auto& [source, tasks] : claimed)
        out.push_back({"claimed:" + source, QStringLiteral("claimed by %1").arg(QString::fromStdString(source)),
                       int(tasks.size())});
    for (const auto& [origin, tasks] : found)
        out.push_back({"found:" + origin, QStringLiteral("judged here: %1").arg(QString::fromStdString(origin)),
                       int(tasks.size())});
    return out;
}

} // namespace cudal1::charts
