// SPDX-License-Identifier: GPL-3.0-or-later
// Claims of rows, and their sums.
#include "core/rejudge/publishedclaims.h"

#include "core/base/ratiotext.h"
#include "core/policy/namedtechniques.h"
#include "core/protocol/marks.h"
#include "core/tasks/published.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

namespace cudal1::rejudge {

using nlohmann::json;

namespace {

/// Fields of CUDA-L1's files, each the candidate's speed-up over another program.
constexpr std::array<std::pair<const char*, const char*>, 4> scores{{
    {"score_torch_compile_default", "torch.compile"},
    {"score_torch_compile_reduce_overhead", "torch.compile reduce-overhead"},
    {"score_cuda_graph", "CUDA graph"},
    {"score_cudnn", "cuDNN autotuning"},
}};
constexpr std::string_view eager = "eager";

/// Longer names before those that they contain.
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> deviceNames{{
    {"rtx3090", "RTX 3090"},
    {"3090", "RTX 3090"},
    {"rtx4090", "RTX 4090"},
    {"4090", "RTX 4090"},
    {"a100", "A100"},
    {"h100", "H100"},
    {"h200", "H200"},
    {"h800", "H800"},
    {"b200", "B200"},
    {"l40s", "L40S"},
    {"l40", "L40"},
    {"h20", "H20"},
}};

/// The rows of one publication.
struct Rows {
    struct Row {
        int level = 0;
        const store::ClaimRecord* claim = nullptr;
        const store::VariantRow* variant = nullptr; ///< null for a row without code
    };
    std::string source;
    std::vector<Row> rows;
};

/// Of a row that says on which device it was measured: KernelBench's results have the hardware among their metadata.
std::string deviceInRow(const std::string& text)
{
    const json details = json::parse(text, nullptr, false);
    if (!details.is_object())
        return {};
    const auto metadata = details.find("metadata");
    for (const json* in : {&details, metadata != details.end() && metadata->is_object() ? &*metadata : &details})
        for (const std::string_view field : tasks::deviceFields)
            if (const auto at = in->find(std::string(field)); at != in->end() && at->is_string()) {
                const std::string name = at->get<std::string>();
                // "cuda:0" and "0" name a place in a machine.
                if (!name.empty() && !name.starts_with("cuda") &&
                    name.find_first_not_of("0123456789") != std::string::npos)
                    return name;
            }
    return {};
}

/// "A100" of "cuda-l1: a100.json"; empty where it tells none.
std::string deviceInName(const std::string& source)
{
    std::string name;
    for (const char one : source)
        if (std::isalnum(static_cast<unsigned char>(one)))
            name += static_cast<char>(std::tolower(static_cast<unsigned char>(one)));
    for (const auto& [part, device] : deviceNames)
        if (name.find(part) != std::string::npos)
            return std::string(device);
    return {};
}

const store::EvaluationSummary* foundOn(const Rows::Row& row, const std::string& deviceModel)
{
    return row.variant && row.variant->evaluation && !row.variant->stale && row.variant->counts &&
                   row.variant->evaluation->deviceModel == deviceModel
             ? &*row.variant->evaluation
             : nullptr;
}

ClaimLine lineOf(const Rows& of, std::optional<int> level, std::string_view over, const std::string& deviceModel,
                 Failures rule)
{
    ClaimLine line;
    line.source = of.source;
    if (!of.rows.empty())
        line.device = claimedDevice(*of.rows.front().claim);
    if (std::any_of(of.rows.begin(), of.rows.end(),
                    [&](const Rows::Row& row) { return claimedDevice(*row.claim) != line.device; }))
        line.device = {};
    line.level = level;
    line.over = over;
    std::vector<std::optional<double>> claimed, here;
    for (const Rows::Row& row : of.rows) {
        if (level && row.level != *level)
            continue;
        ++line.rows;
        std::optional<double> value;
        for (const ClaimedOver& one : claimedOver(*row.claim))
            if (one.over == over)
                value = one.speedup;
        claimed.push_back(value);
        line.success += value.has_value();
        line.above += value && *value > protocol::leastGain;
        const store::EvaluationSummary* found = over == eager ? foundOn(row, deviceModel) : nullptr;
        if (!found)
            continue;
        ++line.judged;
        const bool correct = found->verdict == protocol::Verdict::Correct;
        line.correct += correct;
        here.push_back(correct && found->wall.valid() ? std::optional(found->wall.estimate) : std::nullopt);
    }
    line.claimed = summarise(claimed, rule);
    if (!here.empty())
        line.here = summarise(here, rule);
    return line;
}

std::string mostJudgedOn(const std::vector<Rows>& publications)
{
    std::map<std::string, int> counts;
    for (const Rows& publication : publications)
        for (const Rows::Row& row : publication.rows)
            if (row.variant && row.variant->evaluation)
                ++counts[row.variant->evaluation->deviceModel];
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == counts.end() ? std::string() : most->first;
}

using TechniquesOf = std::map<base::VariantId, std::vector<std::string>>;

/// Read from the sources: they are not stored as the variants' techniques, since what differs between a published
/// program and the reference is more than the techniques that it is seen to use.
base::Status countUses(const store::Project& project, const std::vector<Rows>& publications, TechniquesOf& seen,
                       PublishedClaims& out)
{
    std::map<std::string, int> counts;
    for (const Rows& publication : publications)
        for (const Rows::Row& row : publication.rows) {
            if (!row.variant || seen.contains(row.variant->id))
                continue;
            const auto variant = project.variant(row.variant->id);
            if (!variant)
                return variant.error();
            for (const std::string& technique : seen[row.variant->id] = policy::techniquesIn(variant->source))
                ++counts[technique];
        }
    out.variants = int(seen.size());
    for (const auto& [technique, count] : counts)
        out.uses.push_back({technique, count});
    std::stable_sort(out.uses.begin(), out.uses.end(),
                     [](const TechniqueUse& a, const TechniqueUse& b) { return a.variants > b.variants; });
    return {};
}

void rank(const std::vector<Rows>& publications, const std::vector<store::TaskRow>& tasks,
          const TechniquesOf& techniques, PublishedClaims& out)
{
    std::map<base::TaskId, const Rows::Row*> highest;
    for (const Rows& publication : publications)
        for (const Rows::Row& row : publication.rows)
            if (row.claim->speedup && *row.claim->speedup > 0) {
                const Rows::Row*& known = highest[row.claim->task];
                if (!known || *row.claim->speedup > *known->claim->speedup)
                    known = &row;
            }
    for (const auto& [task, row] : highest) {
        RankedClaim& one = out.ranked.emplace_back();
        one.claim = *row->claim;
        one.level = row->level;
        const auto named = std::find_if(tasks.begin(), tasks.end(),
                                        [&id = task](const store::TaskRow& known) { return known.id == id; });
        if (named != tasks.end())
            one.name = named->name;
        if (const auto used = techniques.find(row->claim->variant); used != techniques.end())
            one.techniques = used->second;
        if (const store::EvaluationSummary* found = foundOn(*row, out.deviceModel))
            one.found = *found;
    }
    std::stable_sort(out.ranked.begin(), out.ranked.end(),
                     [](const RankedClaim& a, const RankedClaim& b) { return *a.claim.speedup > *b.claim.speedup; });
}

} // namespace

std::vector<ClaimedOver> claimedOver(const store::ClaimRecord& claim)
{
    std::vector<ClaimedOver> out;
    if (claim.speedup && *claim.speedup > 0)
        out.push_back({std::string(eager), *claim.speedup});
    const json details = json::parse(claim.details, nullptr, false);
    if (!details.is_object())
        return out;
    for (const auto& [field, name] : scores)
        if (const auto at = details.find(field); at != details.end() && at->is_number() && at->get<double>() > 0)
            out.push_back({name, at->get<double>()});
    return out;
}

ClaimedDevice claimedDevice(const store::ClaimRecord& claim)
{
    if (const std::string said = deviceInRow(claim.details); !said.empty())
        return {said, false};
    const std::string named = deviceInName(claim.source);
    return {named, !named.empty()};
}

std::string ClaimedDevice::text() const
{
    return byFileName ? name + " (by the file's name)" : name;
}

json ClaimedDevice::from() const
{
    return name.empty() ? json(nullptr) : json(byFileName ? "file_name" : "row");
}

std::string claimText(const store::ClaimRecord& claim)
{
    const ClaimedDevice device = claimedDevice(claim);
    const std::string where = device.name.empty() ? std::string() : " on " + device.text();
    std::string out;
    for (const ClaimedOver& one : claimedOver(claim))
        out += (out.empty() ? "" : ", ") + base::ratioText(one.speedup) + " over " + one.over;
    if (out.empty())
        return (claim.correct && !*claim.correct ? "incorrect" : "no speed-up") + where;
    return out + where;
}

json claimJson(const store::ClaimRecord& claim)
{
    const ClaimedDevice device = claimedDevice(claim);
    json speedups = json::object();
    for (const ClaimedOver& one : claimedOver(claim))
        speedups[one.over] = one.speedup;
    return {{"source", claim.source},
            {"key", claim.key},
            {"device", device.name.empty() ? json(nullptr) : json(device.name)},
            {"device_from", device.from()},
            {"variant", claim.variant ? json(claim.variant.value) : json(nullptr)},
            {"correct", claim.correct ? json(*claim.correct) : json(nullptr)},
            {"speedup", std::move(speedups)}};
}

std::vector<store::ClaimRecord> claimsOf(const std::vector<store::ClaimRecord>& claims, base::VariantId variant)
{
    std::vector<store::ClaimRecord> out;
    std::copy_if(claims.begin(), claims.end(), std::back_inserter(out),
                 [variant](const store::ClaimRecord& claim) { return variant && claim.variant == variant; });
    return out;
}

base::Result<PublishedClaims> publishedClaims(const store::Project& project, const std::string& deviceModel,
                                              Failures rule)
{
    const auto tasks = project.taskRows();
    if (!tasks)
        return tasks.error();
    const auto variants = project.variantRows();
    if (!variants)
        return variants.error();
    const auto claims = project.claims();
    if (!claims)
        return claims.error();
    std::map<base::TaskId, int> levels;
    for (const store::TaskRow& task : *tasks)
        levels[task.id] = task.level;
    std::map<base::VariantId, const store::VariantRow*> byId;
    for (const store::VariantRow& variant : *variants)
        byId[variant.id] = &variant;

    std::vector<Rows> publications;
    for (const store::ClaimRecord& claim : *claims) {
        auto of = std::find_if(publications.begin(), publications.end(),
                               [&](const Rows& one) { return one.source == claim.source; });
        if (of == publications.end())
            of = publications.insert(of, Rows{claim.source, {}});
        const auto variant = byId.find(claim.variant);
        of->rows.push_back({levels[claim.task], &claim, variant == byId.end() ? nullptr : variant->second});
    }

    PublishedClaims out;
    out.rule = rule;
    out.deviceModel = deviceModel.empty() ? mostJudgedOn(publications) : deviceModel;
    TechniquesOf techniques;
    if (const auto status = countUses(project, publications, techniques, out); !status)
        return status.error();
    rank(publications, *tasks, techniques, out);
    for (const Rows& publication : publications) {
        out.levels.push_back(lineOf(publication, {}, eager, out.deviceModel, rule));
        std::set<int> known;
        for (const Rows::Row& row : publication.rows)
            known.insert(row.level);
        if (known.size() > 1)
            for (const int level : known)
                out.levels.push_back(lineOf(publication, level, eager, out.deviceModel, rule));
        out.others.push_back(lineOf(publication, {}, eager, {}, rule));
        for (const auto& [field, name] : scores)
            if (ClaimLine line = lineOf(publication, {}, name, {}, rule); line.success > 0)
                out.others.push_back(std::move(line));
    }
    return out;
}

} // namespace cudal1::rejudge
