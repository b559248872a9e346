// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of contenders, ratios between them, and where ours loses.
#include "core/report/suitecomparison.h"

#include "core/baselines/baselinekinds.h"

#include <QString>

#include <algorithm>
#include <map>
#include <set>

namespace cudal1::report {

using base::Error;
using base::ErrorCode;
using RowKind = SuiteRow::Kind;

namespace {

std::string lowered(const std::string& text)
{
    return QString::fromStdString(text).toLower().toStdString();
}

/// "NVIDIA H200 (kernelbench 20 tasks, tf32 4 tasks); AMD EPYC (…)".
std::string heldText(const std::vector<store::MeasuredOn>& measured)
{
    std::vector<std::pair<std::string, std::string>> devices;
    for (const store::MeasuredOn& one : measured) {
        auto at = std::find_if(devices.begin(), devices.end(),
                               [&](const auto& device) { return device.first == one.deviceModel; });
        if (at == devices.end())
            at = devices.insert(devices.end(), {one.deviceModel, {}});
        at->second += (at->second.empty() ? "" : ", ") + std::string(protocol::toString(one.precision)) + " " +
                      std::to_string(one.tasks) + (one.tasks == 1 ? " task" : " tasks");
    }
    std::string out;
    for (const auto& [model, what] : devices)
        out += (out.empty() ? "" : "; ") + model + " (" + what + ")";
    return out;
}

/// The device that is meant, of those that were measured on.
base::Result<std::string> deviceOf(const std::vector<store::MeasuredOn>& measured, const SuiteQuestion& question,
                                   const std::string& path)
{
    if (measured.empty())
        return Error{ErrorCode::NotFound, "Nothing was judged in this project yet, so there is nothing to compare",
                     path, "`cudal1 optimize --all` makes variants, `cudal1 baselines` measures baselines"};
    std::set<std::string> exact, partly;
    for (const store::MeasuredOn& one : measured) {
        if (one.deviceModel == question.deviceModel)
            exact.insert(one.deviceModel);
        if (lowered(one.deviceModel).find(lowered(question.deviceModel)) != std::string::npos)
            partly.insert(one.deviceModel);
    }
    const std::set<std::string>& meant = exact.empty() ? partly : exact;
    const std::string held = "It has " + heldText(measured);
    if (meant.empty())
        return Error{ErrorCode::NotFound, "The project has nothing of a device \"" + question.deviceModel + "\"", path,
                     held};
    if (meant.size() > 1 && !question.deviceModel.empty())
        return Error{ErrorCode::InvalidArgument, "Several devices have \"" + question.deviceModel + "\" in their name",
                     path, held};
    const auto best = std::find_if(measured.begin(), measured.end(), [&](const store::MeasuredOn& one) {
        return meant.contains(one.deviceModel) && one.precision == question.precision;
    });
    if (best == measured.end())
        return Error{ErrorCode::NotFound,
                     "The project has nothing" +
                         (question.deviceModel.empty() ? std::string() : " of " + *meant.begin()) + " at precision " +
                         std::string(protocol::toString(question.precision)),
                     path, held};
    return best->deviceModel;
}

/// Puts the rows of one comparison together.
class Rows {
public:
    explicit Rows(const std::vector<store::TaskRow>& tasks) : m_tasks(tasks)
    {
        std::set<int> levels;
        for (std::size_t at = 0; at < tasks.size(); ++at) {
            m_places[tasks[at].id] = at;
            levels.insert(tasks[at].level);
        }
        m_levels = {LevelLine::allLevels};
        m_levels.insert(m_levels.end(), levels.begin(), levels.end());
    }

    SuiteRow empty(RowKind kind, const std::string& name) const
    {
        return {kind, name, std::vector<Standing>(m_tasks.size()), {}};
    }
    /// The place of a task that counts.
    std::optional<std::size_t> placeOf(const base::TaskId& task) const
    {
        const auto found = m_places.find(task);
        return found == m_places.end() ? std::nullopt : std::optional(found->second);
    }
    /// Fills in what follows from the standings.
    void complete(SuiteRow& row) const
    {
        std::vector<Score> scores;
        for (std::size_t at = 0; at < m_tasks.size(); ++at) {
            const Standing& standing = row.standings[at];
            row.notMeasured += !standing.isMeasured();
            row.inQuestion += standing.inQuestion;
            row.kept += standing.kept;
            scores.push_back(
                {m_tasks[at].level, standing.correct ? std::optional(standing.counted.estimate) : std::nullopt});
        }
        for (const int level : m_levels)
            row.lines.push_back(levelLine(scores, level, FailureRule::One));
    }
    /// What `ours` is over others, task by task.
    SuiteRow ratio(const SuiteRow& ours, const SuiteRow& others, const std::string& name) const
    {
        SuiteRow row{RowKind::Ratio, name, {}, {}};
        std::vector<Score> scores;
        for (std::size_t at = 0; at < m_tasks.size(); ++at)
            scores.push_back({m_tasks[at].level, ratioOf(ours.standings[at], others.standings[at]).estimate});
        for (const int level : m_levels) {
            LevelLine line = levelLine(scores, level, FailureRule::One);
            line.successes = 0;
            for (std::size_t at = 0; at < m_tasks.size(); ++at)
                line.successes += (level == LevelLine::allLevels || m_tasks[at].level == level) &&
                                  ours.standings[at].correct && others.standings[at].correct;
            row.lines.push_back(line);
        }
        return row;
    }

private:
    const std::vector<store::TaskRow>& m_tasks;
    std::map<base::TaskId, std::size_t> m_places;
    std::vector<int> m_levels;
};

SuiteRow bestOf(const Rows& rows, const std::string& name, const std::vector<const SuiteRow*>& others)
{
    SuiteRow out = rows.empty(RowKind::BestOf, name);
    for (const SuiteRow* other : others)
        for (std::size_t at = 0; at < out.standings.size(); ++at)
            out.standings[at] = better(out.standings[at], other->standings[at]);
    rows.complete(out);
    return out;
}

/// Ours, and a row for each baseline that was measured.
std::vector<SuiteRow> ownRows(const Rows& rows, const std::vector<store::VariantRow>& measured,
                              const std::set<std::string>& sources)
{
    SuiteRow ours = rows.empty(RowKind::Ours, "ours");
    std::map<std::string, SuiteRow> kinds;
    for (const store::VariantRow& row : measured) {
        const auto place = rows.placeOf(row.task);
        if (!place || (row.baseline.empty() && sources.contains(row.origin)))
            continue;
        if (row.baseline.empty()) {
            ours.standings[*place] = better(ours.standings[*place], standingOf(row));
            continue;
        }
        auto kind = kinds.find(row.baseline);
        if (kind == kinds.end())
            kind = kinds.emplace(row.baseline, rows.empty(RowKind::Baseline, row.baseline)).first;
        kind->second.standings[*place] = standingOf(row); // in the order of adding: the newest program of a kind counts
    }
    for (Standing& standing : ours.standings)
        standing = keptWhereSlower(standing);
    std::vector<SuiteRow> out{std::move(ours)};
    for (const baselines::BaselineKind& kind : baselines::kinds())
        if (const auto found = kinds.find(std::string(kind.id)); found != kinds.end())
            out.push_back(std::move(found->second));
    for (SuiteRow& row : out)
        rows.complete(row);
    return out;
}

/// A row for each publication of which something was judged so.
std::vector<SuiteRow> importRows(const Rows& rows, const std::vector<store::VariantRow>& measured,
                                 const std::vector<store::ClaimRecord>& claims)
{
    std::map<base::VariantId, const store::VariantRow*> byId;
    for (const store::VariantRow& row : measured)
        byId[row.id] = &row;
    std::vector<SuiteRow> out;
    for (const store::ClaimRecord& claim : claims) {
        const auto found = byId.find(claim.variant);
        const auto place = rows.placeOf(claim.task);
        if (found == byId.end() || !place)
            continue;
        auto row = std::find_if(out.begin(), out.end(), [&](const SuiteRow& one) { return one.name == claim.source; });
        if (row == out.end())
            row = out.insert(out.end(), rows.empty(RowKind::Import, claim.source));
        row->standings[*place] = better(row->standings[*place], standingOf(*found->second));
    }
    for (SuiteRow& row : out)
        rows.complete(row);
    return out;
}

std::vector<SuiteRow> contenders(const Rows& rows, const std::vector<store::VariantRow>& measured,
                                 const std::vector<store::ClaimRecord>& claims)
{
    std::set<std::string> sources;
    for (const store::ClaimRecord& claim : claims)
        sources.insert(claim.source);
    std::vector<SuiteRow> out = ownRows(rows, measured, sources);
    std::vector<const SuiteRow*> all, withoutTf32, compiled;
    for (const SuiteRow& row : out) {
        if (row.kind != RowKind::Baseline)
            continue;
        all.push_back(&row);
        if (row.name != "tf32")
            withoutTf32.push_back(&row);
        if (row.name.starts_with("compile"))
            compiled.push_back(&row);
    }
    std::vector<SuiteRow> best;
    if (!all.empty())
        best.push_back(bestOf(rows, "best baseline", all));
    if (withoutTf32.size() < all.size() && !withoutTf32.empty())
        best.push_back(bestOf(rows, "best without tf32", withoutTf32));
    if (!compiled.empty())
        best.push_back(bestOf(rows, "best torch.compile", compiled));
    std::move(best.begin(), best.end(), std::back_inserter(out));
    std::vector<SuiteRow> imports = importRows(rows, measured, claims);
    std::move(imports.begin(), imports.end(), std::back_inserter(out));
    return out;
}

void addRatios(const Rows& rows, std::vector<SuiteRow>& out)
{
    const std::size_t count = out.size();
    for (std::size_t at = 1; at < count; ++at)
        out.push_back(rows.ratio(out.front(), out[at], "ours / " + out[at].name));
    const auto compiled = std::find_if(out.begin(), out.end(),
                                       [](const SuiteRow& row) { return row.name == "best torch.compile"; });
    if (compiled == out.end())
        return;
    SuiteRow larger = *compiled;
    for (Standing& standing : larger.standings) {
        if (standing.counted.estimate > 1)
            continue;
        standing = {}; // the reference itself, which is eager
        standing.correct = true;
    }
    out.push_back(rows.ratio(out.front(), larger, "ours / max(best torch.compile, eager)"));
}

void addLosses(SuiteComparison& out)
{
    for (std::size_t task = 0; task < out.tasks.size(); ++task) {
        const std::size_t first = out.losses.size();
        bool ahead = false;
        for (std::size_t at = 1; at < out.rows.size(); ++at) {
            const SuiteRow& row = out.rows[at];
            if ((row.kind != RowKind::Baseline && row.kind != RowKind::Import) || !row.standings[task].correct)
                continue;
            const base::Interval ratio = ratioOf(row.standings[task], out.ours().standings[task]);
            if (base::compare(ratio) == base::Comparison::Faster)
                out.losses.push_back({task, at, ratio});
            ahead = ahead || ratio.estimate > store::TaskRow::leastGain;
        }
        std::stable_sort(out.losses.begin() + std::ptrdiff_t(first), out.losses.end(),
                         [](const SuiteLoss& a, const SuiteLoss& b) { return a.ratio.estimate > b.ratio.estimate; });
        out.unclear += ahead && out.losses.size() == first;
    }
}

int judgedFiles(const std::vector<store::VariantRow>& measured, const std::set<base::TaskId>& files)
{
    std::set<base::TaskId> judged;
    for (const store::VariantRow& row : measured)
        if (files.contains(row.task))
            judged.insert(row.task);
    return int(judged.size());
}

} // namespace

base::Result<SuiteComparison> compareSuite(const store::Project& project, const SuiteQuestion& question)
{
    auto known = project.measured();
    if (!known)
        return known.error();
    const auto device = deviceOf(*known, question, project.path().string());
    if (!device)
        return device.error();
    const auto tasks = project.taskRows();
    if (!tasks)
        return tasks.error();
    const auto measured = project.rowsMeasured(*device, question.precision);
    if (!measured)
        return measured.error();
    const auto claims = project.claims();
    if (!claims)
        return claims.error();

    SuiteComparison out;
    out.deviceModel = *device;
    out.precision = question.precision;
    out.version = charts::oneVersion(*tasks, question.preferred);
    std::set<base::TaskId> files;
    for (std::size_t at = 0; at < tasks->size(); ++at) {
        if ((*tasks)[at].level == 0)
            files.insert((*tasks)[at].id);
        else if (out.version.counts[at])
            out.tasks.push_back((*tasks)[at]);
    }
    if (out.tasks.empty())
        return Error{ErrorCode::NotFound, "The project has no task of a suite: single files belong to no table",
                     project.path().string(), "`cudal1 variants FILE.py` lists what was judged of one"};
    const Rows rows(out.tasks);
    out.rows = contenders(rows, *measured, *claims);
    out.files = judgedFiles(*measured, files);
    addRatios(rows, out.rows);
    addLosses(out);
    std::erase_if(*known, [&](const store::MeasuredOn& one) {
        return one.deviceModel == *device && one.precision == question.precision;
    });
    out.elsewhere = std::move(*known);
    return out;
}

} // namespace cudal1::report
