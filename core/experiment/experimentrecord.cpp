// SPDX-License-Identifier: GPL-3.0-or-later
// Experiments as rows among the runs, and the runs that belong to them.
#include "core/experiment/experimentrecord.h"

#include "core/base/sha256.h"
#include "core/language/policychoice.h"
#include "core/tasks/split.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <unordered_map>

namespace cudal1::experiment {

using base::Error;
using base::ErrorCode;
using nlohmann::json;
using store::RunState;

namespace {

bool heldOutByRule(const ExperimentTask& task)
{
    return tasks::splitOf(task.level, task.id) == tasks::Split::HeldOut;
}

json toJson(const std::vector<PlannedModel>& models)
{
    json out = json::array();
    for (const PlannedModel& one : models)
        out.push_back({{"name", one.name}, {"path", one.path}, {"from", one.from}, {"stage", one.stage}});
    return out;
}

/// Rows and models; nothing for a plan of policies and methods.
json rowsJson(const ExperimentPlan& plan)
{
    json out = json::object();
    if (plan.rows.empty())
        return out;
    for (const Arm& row : plan.rows)
        out["rows"].push_back({{"name", row.name},
                               {"policy", row.policy},
                               {"method", row.method ? language::toJson(*row.method) : std::string()}});
    out["models"] = toJson(plan.models);
    out["asking"] = plan.asking;
    out["prompts"] = plan.prompts;
    out["out"] = plan.folder;
    return out;
}

/// May throw json::exception. False for a method that is none.
bool readRecordedRows(const json& j, ExperimentPlan& plan)
{
    for (const json& one : j.value("rows", json::array())) {
        Arm& row = plan.rows.emplace_back();
        row.name = one.at("name").get<std::string>();
        row.policy = one.at("policy").get<std::string>();
        const std::string text = one.at("method").get<std::string>();
        if (text.empty())
            continue;
        const auto method = language::methodFromJson(text);
        if (!method)
            return false;
        row.method = *method;
    }
    for (const json& one : j.value("models", json::array()))
        plan.models.push_back({one.at("name").get<std::string>(), one.at("path").get<std::string>(),
                               one.at("from").get<std::string>(), one.at("stage").get<std::string>()});
    plan.asking = j.value("asking", plan.asking);
    plan.prompts = j.value("prompts", plan.prompts);
    plan.folder = j.value("out", plan.folder);
    return true;
}

/// What makes it this very experiment.
json identityOf(const ExperimentRecord& record)
{
    json methods = json::array(), tasks = json::array();
    for (const language::AskMethod& method : record.plan.methods)
        methods.push_back(json::parse(language::toJson(method)));
    for (const ExperimentTask& task : record.tasks) {
        tasks.push_back({{"task", task.id.value}, {"hash", task.hash}, {"level", task.level}});
        if (task.heldOut != heldOutByRule(task))
            tasks.back()["held_out"] = task.heldOut;
    }
    json out{{"policies", record.plan.policies},
             {"stored_names", record.storedNames},
             {"methods", std::move(methods)},
             {"tasks", std::move(tasks)},
             {"seeds", record.plan.seeds},
             {"rounds", record.plan.rounds},
             {"budget_s", record.plan.budget_s},
             {"device", record.device},
             {"device_model", record.deviceModel},
             {"precision", protocol::toString(record.precision)},
             {"preset", protocol::toString(record.preset)}};
    if (!record.evaluator.empty())
        out["evaluator"] = record.evaluator;
    if (record.plan.confirmsAbove > 0)
        out["confirms_above"] = record.plan.confirmsAbove;
    out.update(rowsJson(record.plan));
    return out;
}

std::string asideKey(base::RunId id)
{
    return "experiment/" + std::to_string(id.value);
}

/// Name and limits, which may be others the next time.
std::string asideOf(const ExperimentRecord& record)
{
    json limits = models::limitsJson(record.plan.limits);
    limits["unit"] = record.plan.limits.costUnit;
    return json{{"name", record.name}, {"limits", std::move(limits)}}.dump();
}

void readAside(const store::Project& project, ExperimentRecord& record)
{
    record.name = "Experiment " + std::to_string(record.id.value);
    const auto text = project.cache(asideKey(record.id));
    if (!text || !*text)
        return;
    json j = json::parse(**text, nullptr, false);
    if (!j.is_object())
        return;
    record.name = j.value("name", record.name);
    json limits = j.value("limits", json::object());
    record.plan.limits.costUnit = limits.value("unit", record.plan.limits.costUnit);
    limits.erase("unit");
    if (!models::readLimits(limits, record.plan.limits).empty())
        record.plan.limits = {};
}

std::optional<ExperimentRecord> readRecord(const store::Project& project, const store::RunRecord& run)
{
    const json j = json::parse(run.parameters, nullptr, false);
    ExperimentRecord out;
    out.id = run.id;
    try {
        out.plan.policies = j.at("policies").get<std::vector<std::string>>();
        out.storedNames = j.at("stored_names").get<std::vector<std::string>>();
        for (const json& one : j.at("methods")) {
            const auto method = language::methodFromJson(one.dump());
            if (!method)
                return {};
            out.plan.methods.push_back(*method);
        }
        if (!readRecordedRows(j, out.plan))
            return {};
        for (const json& one : j.at("tasks")) {
            out.tasks.push_back(
                {{one.at("task").get<std::string>()}, one.at("hash").get<std::string>(), one.at("level").get<int>()});
            out.tasks.back().heldOut = one.value("held_out", heldOutByRule(out.tasks.back()));
        }
        out.plan.seeds = j.at("seeds").get<std::vector<std::uint64_t>>();
        out.plan.rounds = j.at("rounds").get<int>();
        out.plan.budget_s = j.at("budget_s").get<double>();
        out.plan.confirmsAbove = j.value("confirms_above", 0.0);
        out.device = j.at("device").get<std::string>();
        out.deviceModel = j.at("device_model").get<std::string>();
        out.evaluator = j.value("evaluator", std::string());
        if (out.storedNames.size() != out.plan.policies.size() ||
            !protocol::fromString(j.at("precision").get<std::string>(), out.precision) ||
            !protocol::fromString(j.at("preset").get<std::string>(), out.preset))
            return {};
    } catch (const json::exception&) {
        return {};
    }
    for (const ExperimentTask& task : out.tasks)
        out.plan.tasks.push_back(task.id.value);
    out.state = run.state;
    out.running = optimize::isRunning(project, run);
    out.message = run.message;
    out.created_ms = run.created_ms;
    readAside(project, out);
    return out;
}

base::Result<std::string> storedNameOf(const language::PolicyChoice& choice)
{
    const std::string& name = choice.names().front();
    if (name.starts_with("replay:")) { // it has the name of the model that was recorded
        const auto made = choice.make();
        return made ? base::Result<std::string>((*made)->name()) : made.error();
    }
    return language::storedName(name);
}

} // namespace

std::vector<CellResult> ExperimentRecord::cells() const
{
    std::vector<CellResult> out;
    const std::size_t arms = plan.arms().size();
    for (std::size_t arm = 0; arm < arms; ++arm)
        for (const ExperimentTask& task : tasks)
            for (const std::uint64_t seed : plan.seeds) {
                CellResult& cell = out.emplace_back();
                cell.arm = arm;
                cell.task = task.id;
                cell.level = task.level;
                cell.seed = seed;
                cell.heldOut = task.heldOut;
            }
    return out;
}

optimize::SearchOptions ExperimentRecord::optionsOf(const CellResult& cell) const
{
    optimize::SearchOptions options;
    const auto task = std::find_if(tasks.begin(), tasks.end(), [&](const auto& one) { return one.id == cell.task; });
    options.task.id = cell.task;
    options.task.hash = task == tasks.end() ? std::string() : task->hash;
    options.evaluator = evaluator;
    options.device = device;
    options.precision = precision;
    options.preset = preset;
    options.rounds = plan.rounds;
    options.budget_s = plan.budget_s;
    options.confirmsAbove = plan.confirmsAbove;
    options.seed = cell.seed;
    if (const auto method = plan.arms()[cell.arm].method)
        options.method = language::toJson(*method);
    options.alone = true;
    return options;
}

const std::string& ExperimentRecord::policyOf(const CellResult& cell) const
{
    const std::string policy = plan.arms()[cell.arm].policy;
    const auto at = std::find(plan.policies.begin(), plan.policies.end(), policy) - plan.policies.begin();
    return storedNames[std::size_t(at)];
}

std::string ownModelName(const ExperimentRecord& record, const std::string& model)
{
    const ExperimentPlan& plan = record.plan;
    const std::vector<PlannedModel> chain = plan.chainOf(model);
    json what{{"models", toJson(chain)}, {"asking", plan.asking}, {"prompts", plan.prompts}};
    for (const ExperimentTask& task : record.tasks)
        if (chain.size() > 1 && !task.heldOut)
            what["tasks"].push_back(task.id.value + " " + task.hash);
    return model + "." + base::sha256Hex(what.dump()).substr(0, 8);
}

base::Result<ExperimentRecord> recordOf(ExperimentPlan plan, std::string name,
                                        const std::vector<store::TaskRecord>& tasks,
                                        const std::vector<base::TaskId>& heldOut)
{
    ExperimentRecord out;
    for (const store::TaskRecord& task : tasks) {
        ExperimentTask& one = out.tasks.emplace_back(ExperimentTask{task.id, task.hash, task.level});
        one.heldOut = heldOutByRule(one) || std::find(heldOut.begin(), heldOut.end(), task.id) != heldOut.end();
    }
    for (const std::string& policy : plan.policies) {
        if (const std::string model = Arm{policy, {}}.model(); !model.empty()) {
            out.storedNames.push_back(model); // its whole name is filled in below
            continue;
        }
        const auto choice = language::PolicyChoice::of(policy, plan.methods.empty() ? language::AskMethod()
                                                                                    : plan.methods.front());
        if (!choice)
            return choice.error();
        if (choice->names().size() > 1)
            return Error{ErrorCode::InvalidArgument,
                         "A policy of an experiment is one alone, not " + policy,
                         {},
                         "Name each in the list of policies"};
        auto stored = storedNameOf(*choice);
        if (!stored)
            return stored.error();
        out.storedNames.push_back(std::move(*stored));
    }
    out.plan = std::move(plan);
    for (std::size_t i = 0; i < out.plan.policies.size(); ++i)
        if (const std::string model = Arm{out.plan.policies[i], {}}.model(); !model.empty())
            out.storedNames[i] = "local: " + ownModelName(out, model);
    out.name = std::move(name);
    return out;
}

base::Result<base::RunId> knownAs(const store::Project& project, const ExperimentRecord& record)
{
    const std::string identity = identityOf(record).dump();
    const auto runs = project.runs();
    if (!runs)
        return runs.error();
    const auto known = std::find_if(runs->begin(), runs->end(), [&](const store::RunRecord& run) {
        return run.kind == runKind && run.parameters == identity;
    });
    return known == runs->end() ? base::RunId() : known->id;
}

base::Status keep(store::Project& project, ExperimentRecord& record)
{
    const auto known = knownAs(project, record);
    if (!known)
        return known.error();
    record.id = *known;
    if (!record.id) {
        store::RunRecord run;
        run.kind = runKind;
        run.parameters = identityOf(record).dump();
        run.state = RunState::Stopped; // until somebody makes its runs
        const auto added = project.startRun(run);
        if (!added)
            return added.error();
        record.id = *added;
    }
    return project.putCache(asideKey(record.id), asideOf(record));
}

base::Result<std::vector<ExperimentRecord>> experimentsOf(const store::Project& project)
{
    const auto runs = project.runs();
    if (!runs)
        return runs.error();
    std::vector<ExperimentRecord> out;
    for (const store::RunRecord& run : *runs)
        if (run.kind == runKind)
            if (auto record = readRecord(project, run))
                out.push_back(std::move(*record));
    return out;
}

base::Result<ExperimentRecord> experimentOf(const store::Project& project, base::RunId id)
{
    auto all = experimentsOf(project);
    if (!all)
        return all.error();
    for (ExperimentRecord& one : *all)
        if (one.id == id)
            return std::move(one);
    return Error{
        ErrorCode::NotFound, "The project has no experiment " + std::to_string(id.value), {}, "Open its file again"};
}

base::Result<std::vector<CellResult>> resultsOf(const store::Project& project, const ExperimentRecord& record)
{
    const auto runs = project.runs();
    if (!runs)
        return runs.error();
    // A run of an experiment has a seed, so its parameters are this very text.
    std::unordered_map<std::string, const store::RunRecord*> newest;
    const auto keyOf = [](const base::TaskId& task, const std::string& parameters) {
        return task.value + '\n' + parameters;
    };
    for (const store::RunRecord& run : *runs) // newest first
        if (run.kind == optimize::runKind)
            newest.try_emplace(keyOf(run.task, run.parameters), &run);
    std::vector<CellResult> out = record.cells();
    for (CellResult& cell : out) {
        const auto found = newest.find(
            keyOf(cell.task, optimize::toJson(record.optionsOf(cell), record.policyOf(cell))));
        if (found == newest.end())
            continue;
        const store::RunRecord* const run = found->second;
        cell.run = run->id;
        cell.done = run->state == RunState::Finished;
        cell.trouble = run->state == RunState::Failed ? run->message : std::string();
        if (const auto status = readResult(project, record.deviceModel, record.precision, cell); !status)
            return status.error();
    }
    return out;
}

} // namespace cudal1::experiment
