// SPDX-License-Identifier: GPL-3.0-or-later
// Reads what a report says.
#include "core/report/facts.h"

#include "core/charts/chartof.h"
#include "core/optimize/options.h"
#include "core/report/claimfacts.h"
#include "core/report/recordedfacts.h"

#include <algorithm>
#include <utility>

namespace cudal1::report {

using base::Error;
using base::ErrorCode;
using Kind = ReportScope::Kind;

namespace {

std::string environmentText(const protocol::Environment& environment)
{
    std::string text;
    const auto add = [&](const char* label, const std::string& value) {
        if (!value.empty())
            text += (text.empty() ? "" : " · ") + std::string(label) + value;
    };
    add("", environment.evaluator);
    add("torch ", environment.torch);
    add("CUDA ", environment.cuda);
    add("Python ", environment.python);
    add("", environment.os);
    return text;
}

class Reader {
public:
    Reader(const store::Project& project, const ReportScope& scope) : m_project(project) { m_facts.scope = scope; }

    base::Result<ReportFacts> read()
    {
        m_facts.project = m_project.path().filename().string();
        for (const auto step : {&Reader::readRuns, &Reader::readClaims, &Reader::chooseTasks, &Reader::readTasks,
                                &Reader::readAblations, &Reader::readRecorded, &Reader::readCharts})
            if (const auto status = (this->*step)(); !status)
                return status.error();
        if (m_facts.scope.shape == Template::Claims)
            if (const auto status = readClaimsOf(m_project, m_facts); !status)
                return status.error();
        std::vector<store::TaskRow>& rows = m_facts.rows;
        if (partOfATask()) {
            rows.clear();
            for (const ReportedTask& task : m_facts.tasks)
                rows.push_back(task.row);
        }
        m_facts.summary = charts::summarise(rows);
        auto counted = m_project.countedPrecision();
        if (!counted)
            return counted.error();
        m_facts.counted = std::move(*counted);
        tellDevices();
        tellIsolation();
        if (m_facts.scope.kind == Kind::Project)
            m_facts.untried = int(rows.size()) - m_facts.summary.tried;
        return std::move(m_facts);
    }

private:
    /// About some variants of a task, not all.
    bool partOfATask() const
    {
        return m_facts.scope.kind == Kind::Run || m_facts.scope.kind == Kind::Comparison ||
               m_facts.scope.kind == Kind::Ablation;
    }

    /// The tasks of the suite to report on, where one was named.
    std::function<bool(const store::TaskRow&)> preferred() const
    {
        if (m_facts.scope.texts.empty())
            return {};
        return [this](const store::TaskRow& row) { return m_facts.scope.texts.contains(row.hash); };
    }

    base::Status readAblations()
    {
        const ReportScope& scope = m_facts.scope;
        if (scope.kind == Kind::Run || scope.kind == Kind::Comparison)
            return {};
        auto records = m_project.ablations(scope.kind == Kind::Project ? base::TaskId() : scope.task);
        if (!records)
            return records.error();
        for (store::AblationRecord& record : *records) {
            const bool said = std::any_of(m_facts.tasks.begin(), m_facts.tasks.end(),
                                          [&](const ReportedTask& task) { return task.row.id == record.task; });
            if (!said || (scope.kind == Kind::Ablation && record.id != scope.ablation))
                continue;
            auto plan = ablation::planOf(m_project, record);
            if (!plan)
                continue; // its task has another text by now
            auto rows = ablation::rowsOf(m_project, *plan, ablation::settingsOf(record));
            if (!rows)
                return rows.error();
            if (scope.kind != Kind::Ablation &&
                std::none_of(rows->begin(), rows->end(),
                             [](const ablation::CombinationRow& row) { return row.found.has_value(); }))
                continue; // begun, and stopped before anything was judged
            m_facts.ablations.push_back({std::move(record), std::move(*plan), std::move(*rows)});
        }
        return {};
    }

    base::Status readRecorded()
    {
        const base::Status timelines = readTimelines(m_project, m_facts);
        return timelines ? readKernels(m_project, m_facts) : timelines;
    }

    base::Status readCharts()
    {
        if (m_facts.scope.kind != Kind::Project || m_facts.tasks.empty())
            return {};
        auto rows = optimize::taskRows(m_project);
        if (!rows)
            return rows.error();
        charts::Numbers numbers = charts::numbersOf(std::move(*rows), preferred());
        using charts::ChartKind;
        std::vector<ChartKind> kinds{ChartKind::FastP,      ChartKind::Baselines, ChartKind::Effects,
                                     ChartKind::Techniques, ChartKind::Progress,  ChartKind::Devices,
                                     ChartKind::Claims};
        if (m_facts.scope.shape == Template::Summary)
            kinds = {ChartKind::FastP, ChartKind::Baselines, ChartKind::Effects, ChartKind::Claims};
        charts::Choices choices;
        if (m_facts.scope.shape == Template::Claims) // counted as in the tables beside them
            kinds = {ChartKind::ClaimedMeans, ChartKind::Claims}, choices.failures = charts::Failures::LeftOut;
        for (const ChartKind kind : kinds) {
            if (const auto status = charts::read(m_project, kind, choices, numbers); !status)
                return status;
            if (charts::Chart chart = charts::chartOf(kind, numbers); !chart.isEmpty())
                m_facts.charts.push_back(std::move(chart));
        }
        return {};
    }

    base::Status chooseAblation()
    {
        ReportScope& scope = m_facts.scope;
        const auto record = m_project.ablation(scope.ablation);
        if (!record)
            return Error{ErrorCode::NotFound, "The project has no ablation " + std::to_string(scope.ablation.value),
                         m_project.path().string(), "`cudal1 report` of the whole project has them all"};
        scope.task = record->task;
        m_ablation = *record;
        scope.variants = {record->variant};
        for (const store::AblationRow& row : record->rows)
            scope.variants.push_back(row.variant);
        return {};
    }

    base::Status readRuns()
    {
        auto runs = m_project.runs();
        if (!runs)
            return runs.error();
        if (m_facts.scope.kind == Kind::Project)
            m_facts.runs = *runs;
        if (m_facts.scope.kind != Kind::Run)
            return {};
        const auto found = std::find_if(runs->begin(), runs->end(),
                                        [&](const store::RunRecord& run) { return run.id == m_facts.scope.run; });
        if (found == runs->end())
            return Error{ErrorCode::NotFound, "The project has no run " + std::to_string(m_facts.scope.run.value),
                         m_project.path().string(), "`cudal1 report` of the whole project lists the runs"};
        m_facts.run = *found;
        const auto rows = m_project.variantRows();
        if (!rows)
            return rows.error();
        m_facts.runByTime = std::none_of(rows->begin(), rows->end(),
                                         [&](const store::VariantRow& row) { return row.run == found->id; });
        return {};
    }

    base::Status readClaims()
    {
        auto claims = m_project.claims();
        if (!claims)
            return claims.error();
        for (store::ClaimRecord& claim : *claims)
            if (claim.variant)
                m_claims[claim.variant].push_back(std::move(claim));
            else
                m_withoutCode[claim.task].push_back(std::move(claim));
        return {};
    }

    base::Status chooseTasks()
    {
        auto rows = optimize::taskRows(m_project);
        if (!rows)
            return rows.error();
        ReportScope& scope = m_facts.scope;
        if (scope.kind == Kind::Comparison)
            if (const auto status = chooseCompared(); !status)
                return status;
        if (scope.kind == Kind::Ablation)
            if (const auto status = chooseAblation(); !status)
                return status;
        if (scope.kind == Kind::Task || scope.kind == Kind::Comparison || scope.kind == Kind::Ablation) {
            std::erase_if(*rows, [&](const store::TaskRow& row) { return row.id != scope.task; });
            if (rows->empty())
                return Error{ErrorCode::NotFound, "The project has no results of task " + scope.task.value,
                             m_project.path().string(), "`cudal1 optimize " + scope.task.value + "` makes some"};
        }
        const bool all = scope.kind != Kind::Project;
        m_facts.version = charts::oneVersion(*rows, preferred());
        for (std::size_t at = 0; at < rows->size(); ++at)
            if (all || m_facts.version.counts[at])
                m_facts.rows.push_back(std::move((*rows)[at]));
        return {};
    }

    base::Status chooseCompared()
    {
        ReportScope& scope = m_facts.scope;
        if (std::set(scope.variants.begin(), scope.variants.end()).size() <
            std::max<std::size_t>(2, scope.variants.size()))
            return Error{ErrorCode::InvalidArgument,
                         "A comparison needs two variants or more, each once",
                         {},
                         "Name them as in `--scope compare 12,15`"};
        std::string hash;
        for (const base::VariantId id : scope.variants) {
            const auto variant = m_project.variant(id);
            if (!variant)
                return variant.error();
            if (hash.empty()) {
                scope.task = variant->task;
                hash = variant->taskHash;
            } else if (variant->task != scope.task || variant->taskHash != hash) {
                return Error{ErrorCode::InvalidArgument,
                             "The variants are of more than one task, or of two texts of it",
                             scope.task.value + " and " + variant->task.value, "Compare variants of one task"};
            }
        }
        return {};
    }

    bool isMeant(const store::VariantRow& row) const
    {
        const ReportScope& scope = m_facts.scope;
        if (scope.kind == Kind::Comparison || scope.kind == Kind::Ablation)
            return std::find(scope.variants.begin(), scope.variants.end(), row.id) != scope.variants.end();
        if (scope.kind != Kind::Run)
            return true;
        if (!m_facts.runByTime)
            return row.run == scope.run;
        return row.evaluation && row.evaluation->created_ms >= m_facts.run->created_ms &&
               row.evaluation->created_ms <= m_facts.run->updated_ms;
    }

    /// Of an ablation only what was measured on its device and under its settings counts, as in its table.
    store::VariantRow ofAblation(store::VariantRow row) const
    {
        if (m_facts.scope.kind == Kind::Ablation && row.evaluation) {
            const auto found = m_project.findEvaluation(row.id, m_ablation.deviceModel, m_ablation.precision,
                                                        m_ablation.preset);
            row.evaluation = found ? *found : std::nullopt;
        }
        return row;
    }

    base::Status readTasks()
    {
        std::vector<store::TaskRow> tried;
        for (std::size_t at = 0; at < m_facts.rows.size(); ++at) {
            if (m_facts.scope.progress && !m_facts.scope.progress(double(at) / double(m_facts.rows.size())))
                return Error{ErrorCode::Cancelled, "The report was cancelled", {}, {}};
            ReportedTask task;
            task.row = m_facts.rows[at];
            if (const auto claims = m_withoutCode.find(task.row.id); claims != m_withoutCode.end() && !partOfATask())
                m_facts.withoutCode.insert(m_facts.withoutCode.end(), claims->second.begin(), claims->second.end());
            if (const auto status = readTask(task); !status)
                return status.error();
            const bool said = !task.variants.empty() || !task.baselines.empty();
            if (said || m_facts.scope.kind == Kind::Task)
                m_facts.tasks.push_back(std::move(task));
        }
        return {};
    }

    base::Status readTask(ReportedTask& task)
    {
        if (task.row.variants > 0 || m_facts.scope.kind != Kind::Project) {
            auto rows = m_project.variantRows(task.row.id);
            if (!rows)
                return rows.error();
            for (store::VariantRow& row : *rows) {
                if (m_facts.scope.kind == Kind::Run)
                    row.evaluation = evaluationOfRun(m_project, row.id, *m_facts.run, m_facts.runByTime);
                if (isMeant(row))
                    task.variants.push_back({ofAblation(std::move(row)), {}, {}, {}});
            }
        }
        if (m_facts.scope.kind == Kind::Comparison) {
            if (const auto status = takeBaselines(task); !status)
                return status;
            const auto& wanted = m_facts.scope.variants;
            const auto place = [&](const ReportedVariant& one) {
                return std::find(wanted.begin(), wanted.end(), one.row.id);
            };
            std::stable_sort(task.variants.begin(), task.variants.end(),
                             [&](const auto& a, const auto& b) { return place(a) < place(b); });
        } else if (m_facts.scope.kind != Kind::Ablation &&
                   (m_facts.scope.kind != Kind::Run || measuredBaselinesOf(task))) {
            if (const auto status = readBaselines(task); !status)
                return status;
        }
        if (partOfATask())
            task.judgeByVariants();
        if (task.variants.empty() && task.baselines.empty() && m_facts.scope.kind != Kind::Task)
            return {};
        auto record = m_project.task(task.row.id);
        if (!record)
            return record.error();
        task.source = std::move(record->source);
        task.chooseShown();
        for (std::size_t at = 0; at < task.variants.size(); ++at)
            if (const auto status = readVariant(task.variants[at], at == task.shown); !status)
                return status;
        return {};
    }

    bool measuredBaselinesOf(const ReportedTask& task) const
    {
        return m_facts.run->kind == "baselines" && (task.row.id == m_facts.run->task || m_facts.run->task.empty());
    }

    /// A baseline may be compared as well; it is in no list of variants.
    base::Status takeBaselines(ReportedTask& task)
    {
        auto rows = m_project.baselineRows(task.row.id);
        if (!rows)
            return rows.error();
        for (store::VariantRow& row : *rows)
            if (isMeant(row))
                task.variants.push_back({std::move(row), {}, {}, {}});
        return {};
    }

    base::Status readBaselines(ReportedTask& task)
    {
        auto latest = baselines::latestInFull(m_project, task.row.id);
        if (!latest)
            return latest.error();
        for (baselines::Latest& one : *latest) {
            one.evaluation.pairs.clear();
            note(one.evaluation, one.measured.evaluation->created_ms);
            const baselines::BaselineRow& row = one;
            task.baselines.push_back({row, {std::move(one.measured), std::move(one.evaluation), {}, {}}});
        }
        return {};
    }

    base::Status readVariant(ReportedVariant& variant, bool isShown)
    {
        if (const auto claims = m_claims.find(variant.row.id); claims != m_claims.end())
            variant.claims = claims->second;
        if (isShown || m_facts.single()) {
            auto record = m_project.variant(variant.row.id);
            if (!record)
                return record.error();
            variant.record = std::move(*record);
        }
        if (!variant.row.evaluation)
            return {};
        auto evaluation = m_project.evaluation(variant.row.evaluation->id);
        if (!evaluation)
            return evaluation.error();
        evaluation->pairs.clear(); // the largest part, and not shown
        note(*evaluation, variant.row.evaluation->created_ms);
        variant.evaluation = std::move(*evaluation);
        return {};
    }

    void note(const protocol::Evaluation& evaluation, std::int64_t when)
    {
        m_facts.firstMeasured_ms = m_facts.firstMeasured_ms ? std::min(m_facts.firstMeasured_ms, when) : when;
        m_facts.lastMeasured_ms = std::max(m_facts.lastMeasured_ms, when);
        m_facts.precisions.emplace(protocol::toString(evaluation.precision.mode));
        m_facts.presets.emplace(protocol::toString(evaluation.preset));
        const protocol::DeviceInfo& device = evaluation.device;
        m_devices[{device.model.empty() ? device.name : device.model, device.driver}].insert(device.name);
        if (const std::string text = environmentText(evaluation.environment); !text.empty())
            m_facts.environments.insert(text);
        for (const std::string& one : evaluation.environment.isolation)
            noteIsolation(one);
        m_facts.isolationMissing.insert(evaluation.environment.isolationMissing.begin(),
                                        evaluation.environment.isolationMissing.end());
    }

    /// Each model with its driver once: "NVIDIA H200 (cuda:0, cuda:1), driver 580".
    void tellDevices()
    {
        for (const auto& [kind, names] : m_devices) {
            const auto& [model, driver] = kind;
            std::string all;
            for (const std::string& name : names)
                all += (all.empty() ? "" : ", ") + name;
            m_facts.devices.insert((model == all ? model : model + " (" + all + ")") +
                                   (driver.empty() ? "" : ", driver " + driver));
        }
    }

    /// Limits of memory follow what was free at the time: one entry says from where to where.
    void noteIsolation(const std::string& text)
    {
        std::string pattern;
        std::vector<std::int64_t> numbers;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t begin = at;
            while (at < text.size() && text[at] >= '0' && text[at] <= '9' && at - begin < 18)
                ++at;
            if (at > begin)
                numbers.push_back(std::stoll(text.substr(begin, at - begin)));
            pattern += at > begin ? '#' : text[at++];
        }
        const auto [known, first] = m_isolation.try_emplace(pattern);
        auto& ranges = known->second;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            if (first)
                ranges.push_back({numbers[i], numbers[i]});
            ranges[i] = {std::min(ranges[i].first, numbers[i]), std::max(ranges[i].second, numbers[i])};
        }
    }

    void tellIsolation()
    {
        for (const auto& [pattern, ranges] : m_isolation) {
            std::string text;
            std::size_t range = 0;
            for (const char c : pattern) {
                if (c != '#' || range == ranges.size()) {
                    text += c;
                    continue;
                }
                const auto& [least, most] = ranges[range++];
                text += std::to_string(least) + (most > least ? " to " + std::to_string(most) : "");
            }
            m_facts.isolation.insert(text);
        }
    }

    const store::Project& m_project;
    std::map<std::pair<std::string, std::string>, std::set<std::string>> m_devices; ///< names by model and driver
    std::map<std::string, std::vector<std::pair<std::int64_t, std::int64_t>>> m_isolation;
    ReportFacts m_facts;
    std::map<base::VariantId, std::vector<store::ClaimRecord>> m_claims;
    std::map<base::TaskId, std::vector<store::ClaimRecord>> m_withoutCode;
    store::AblationRecord m_ablation; ///< that the report is about
};

} // namespace

std::string_view toString(Template value)
{
    switch (value) {
    case Template::Full: return "full";
    case Template::Summary: return "summary";
    case Template::Paper: return "paper";
    case Template::Claims: return "claims";
    }
    return {};
}

bool fromString(std::string_view word, Template& out)
{
    for (const Template one : {Template::Full, Template::Summary, Template::Paper, Template::Claims})
        if (word == toString(one)) {
            out = one;
            return true;
        }
    return false;
}

bool ReportFacts::isOverview() const
{
    return scope.shape == Template::Summary && !single() && !onlyBaselines();
}

bool ReportFacts::onlyBaselines() const
{
    return !single() && !tasks.empty() &&
           std::all_of(tasks.begin(), tasks.end(), [](const ReportedTask& task) { return task.variants.empty(); });
}

base::Result<ReportFacts> gather(const store::Project& project, const ReportScope& scope)
{
    return Reader(project, scope).read();
}

} // namespace cudal1::report
