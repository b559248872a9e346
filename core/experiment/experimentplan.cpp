// SPDX-License-Identifier: GPL-3.0-or-later
// The file of an experiment.
#include "core/experiment/experimentplan.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace cudal1::experiment {

using base::Error;
using base::ErrorCode;
using language::AskMethod;
using nlohmann::json;

namespace {

Error wrong(const std::string& message)
{
    return {ErrorCode::InvalidArgument, message, "the experiment's file", "docs/prompts.md has an example"};
}

base::Status checkFields(const json& j, const std::set<std::string>& known, const std::string& where)
{
    for (const auto& [name, value] : j.items()) {
        if (known.contains(name))
            continue;
        std::string all;
        for (const std::string& one : known)
            all += (all.empty() ? "" : ", ") + one;
        return wrong(where + " has no field \"" + name + "\"; it has " + all);
    }
    return {};
}

/// May throw json::exception for a value of another kind.
base::Result<AskMethod> methodOf(const json& j)
{
    AskMethod method;
    if (j.is_object())
        if (const auto status = checkFields(j, {"method", "samples", "turns", "repair", "sampler", "without"},
                                            "A method");
            !status)
            return status.error();
    const auto kind = language::kindFromText(j.is_object() ? j.at("method").get<std::string>() : j.get<std::string>());
    if (!kind)
        return kind.error();
    method.kind = *kind;
    if (j.is_object()) {
        method.samples = j.value("samples", method.samples);
        method.turns = j.value("turns", method.turns);
        method.repair = j.value("repair", method.repair);
        method.sampler = j.value("sampler", method.sampler);
        const auto without = language::partsFromText(j.value("without", std::string()));
        if (!without)
            return without.error();
        method.without = *without;
    }
    if (const auto status = language::check(method); !status)
        return status.error();
    return method;
}

constexpr std::string_view ownModel = "model:"; ///< before the name of a model of the experiment

template<class T> base::Status checkList(const std::vector<T>& list, const char* name)
{
    if (list.empty())
        return wrong("The list of " + std::string(name) + " is empty");
    if (std::set<T>(list.begin(), list.end()).size() != list.size())
        return wrong("The list of " + std::string(name) + " says something twice");
    return {};
}

base::Status readTasks(const json& j, ExperimentPlan& plan)
{
    if (j.contains("tasks")) {
        if (j.contains("level") || j.contains("split"))
            return wrong("Tasks are named either by \"tasks\" or by \"level\" and \"split\"");
        plan.tasks = j.at("tasks").get<std::vector<std::string>>();
        plan.heldOut = j.value("held_out", plan.heldOut);
        std::vector<std::string> all = plan.tasks;
        all.insert(all.end(), plan.heldOut.begin(), plan.heldOut.end());
        return checkList(all, "tasks");
    }
    if (j.contains("held_out"))
        return wrong("\"held_out\" stands beside \"tasks\": of a suite the tasks that are held out are known");
    if (!j.contains("level") && !j.contains("split"))
        return wrong("No tasks are named: \"tasks\", \"level\" or \"split\" is needed");
    plan.level = j.value("level", 0);
    plan.split = j.value("split", std::string());
    if (j.contains("level") && plan.level < 1)
        return wrong("\"level\" is a number from 1");
    return {};
}

/// "name", and either "path", or "from" and "stage" with the settings of the stage.
base::Result<PlannedModel> plannedModelOf(json j, const std::vector<PlannedModel>& before)
{
    PlannedModel out;
    if (!j.is_object())
        return wrong("A model is an object with a name");
    out.name = j.value("name", out.name);
    out.path = j.value("path", out.path);
    out.from = j.value("from", out.from);
    if (const auto good = models::checkName(out.name); !good)
        return good.error();
    if (out.name.size() > 40)
        return wrong("The name of a model has at most 40 characters: " + out.name);
    const auto named = [&](const std::string& name) {
        return std::any_of(before.begin(), before.end(), [&](const PlannedModel& one) { return one.name == name; });
    };
    if (named(out.name))
        return wrong("There are two models of the name " + out.name);
    if (j.contains("stage") == j.contains("path") || j.contains("stage") != j.contains("from"))
        return wrong("The model " + out.name + " has either \"path\", or \"from\" and \"stage\"");
    if (j.contains("path")) {
        if (const auto status = checkFields(j, {"name", "path"}, "A model with a path"); !status)
            return status.error();
        return out;
    }
    if (!named(out.from))
        return wrong("The model " + out.name + " begins with \"" + out.from + "\", which no model before it is called");
    j.erase("name");
    j.erase("from");
    out.stage = j.dump();
    return out;
}

base::Result<Arm> armOf(const json& j, const ExperimentPlan& plan)
{
    if (!j.is_object())
        return wrong("A row is an object with a policy");
    if (const auto status = checkFields(j, {"name", "policy", "method"}, "A row"); !status)
        return status.error();
    Arm out;
    out.name = j.value("name", out.name);
    out.policy = j.at("policy").get<std::string>();
    if (out.policy.starts_with(ownModel) && plan.chainOf(out.model()).empty())
        return wrong("There is no model \"" + out.model() + "\" among those of the experiment");
    if (out.policy == "library") {
        if (j.contains("method"))
            return wrong("The library knows one way, so its row has no method");
        return out;
    }
    const auto method = methodOf(j.value("method", json("vanilla")));
    if (!method)
        return method.error();
    out.method = *method;
    return out;
}

base::Status readPlannedRows(const json& j, ExperimentPlan& plan)
{
    for (const json& one : j.value("models", json::array())) {
        auto model = plannedModelOf(one, plan.models);
        if (!model)
            return model.error();
        plan.models.push_back(std::move(*model));
    }
    if (j.contains("sampling") || j.contains("asking")) {
        json asking = j.value("asking", json::object());
        if (!asking.is_object() || asking.contains("name") || asking.contains("path"))
            return wrong("\"asking\" is an object with device, dtype, threads, context, cache_mib and parallel");
        if (j.contains("sampling"))
            asking["sampling"] = j["sampling"];
        plan.asking = asking.dump();
    }
    plan.prompts = j.value("prompts", plan.prompts);
    plan.folder = j.value("out", plan.folder);
    std::vector<std::string> names, ways;
    for (const json& one : j.value("rows", json::array())) {
        const auto row = armOf(one, plan);
        if (!row)
            return row.error();
        plan.rows.push_back(*row);
        names.push_back(row->name.empty() ? std::to_string(plan.rows.size()) : row->name);
        ways.push_back(row->policy + (row->method ? language::toJson(*row->method) : std::string()));
        if (std::find(plan.policies.begin(), plan.policies.end(), row->policy) == plan.policies.end())
            plan.policies.push_back(row->policy);
    }
    if (!j.contains("rows"))
        return plan.models.empty() ? base::Status() : wrong("\"models\" are used by \"rows\", which are missing");
    if (const auto status = checkList(names, "names of rows"); !status)
        return status;
    return checkList(ways, "rows");
}

base::Status readPolicies(const json& j, ExperimentPlan& plan)
{
    plan.policies = j.at("policies").get<std::vector<std::string>>();
    std::vector<std::string> methods;
    for (const json& one : j.value("methods", json::array({"vanilla"}))) {
        const auto method = methodOf(one);
        if (!method)
            return method.error();
        plan.methods.push_back(*method);
        methods.push_back(language::toJson(*method));
    }
    if (const auto status = checkList(plan.policies, "policies"); !status)
        return status;
    return checkList(methods, "methods");
}

base::Status readLimitsOf(const json& j, models::RunLimits& out)
{
    if (!j.contains("limits"))
        return {};
    json limits = j.at("limits");
    if (!limits.is_object())
        return wrong("\"limits\" is an object with tokens, cost, unit and seconds");
    if (const auto status = checkFields(limits, {"tokens", "cost", "unit", "seconds"}, "\"limits\""); !status)
        return status;
    if (limits.contains("unit")) {
        out.costUnit = limits.at("unit").get<std::string>();
        limits.erase("unit");
    }
    if (const std::string trouble = models::readLimits(limits, out); !trouble.empty())
        return wrong(trouble);
    if ((out.tokens && *out.tokens < 1) || (out.cost && *out.cost <= 0) || (out.seconds && *out.seconds <= 0))
        return wrong("A limit is above 0");
    return {};
}

} // namespace

std::string Arm::model() const
{
    return policy.starts_with(ownModel) ? policy.substr(ownModel.size()) : std::string();
}

std::string Arm::methodName() const
{
    if (!method)
        return {};
    AskMethod usual;
    usual.kind = method->kind;
    std::string out(language::wordOf(method->kind));
    if (method->samplerName() != usual.samplerName())
        out += ", " + method->samplerName();
    if (method->samples != usual.samples)
        out += ", " + std::to_string(method->samples) + (method->samples == 1 ? " sample" : " samples");
    if (method->kind == AskMethod::Kind::MultiTurn && method->turns != usual.turns)
        out += ", " + std::to_string(method->turns) + (method->turns == 1 ? " turn" : " turns");
    if (method->kind != AskMethod::Kind::MultiTurn && !method->repair)
        out += ", no repair";
    if (method->without.empty())
        return out;
    std::string parts = language::textOf(method->without);
    for (auto at = parts.find(','); at != std::string::npos; at = parts.find(',', at + 1))
        parts.insert(at + 1, " ");
    return out + ", without " + parts;
}

base::Result<ExperimentPlan> ExperimentPlan::read(const std::string& text)
{
    const json j = json::parse(text, nullptr, false);
    if (!j.is_object())
        return Error{ErrorCode::Unreadable, "An experiment is a JSON object", text.substr(0, 80),
                     "docs/prompts.md has an example"};
    if (const auto status = checkFields(j,
                                        {"policies", "methods", "rows", "models", "sampling", "asking", "prompts",
                                         "out", "tasks", "held_out", "level", "split", "seeds", "rounds", "budget",
                                         "limits"},
                                        "An experiment");
        !status)
        return status.error();
    ExperimentPlan plan;
    try {
        if (j.contains("rows") && (j.contains("policies") || j.contains("methods")))
            return wrong("An experiment has either \"rows\", or \"policies\" and \"methods\"");
        if (const auto status = readPlannedRows(j, plan); !status)
            return status.error();
        if (!j.contains("rows"))
            if (const auto status = readPolicies(j, plan); !status)
                return status.error();
        plan.seeds = j.value("seeds", std::vector<std::uint64_t>{1});
        plan.rounds = j.value("rounds", 1);
        plan.budget_s = j.value("budget", 0.0);
        for (const auto& status : {checkList(plan.seeds, "seeds"), readTasks(j, plan), readLimitsOf(j, plan.limits)})
            if (!status)
                return status.error();
    } catch (const json::exception& problem) {
        return wrong(std::string("A field is missing or of another kind: ") + problem.what());
    }
    if (std::any_of(plan.seeds.begin(), plan.seeds.end(), [](std::uint64_t seed) { return seed == 0 || seed >> 53; }))
        return wrong("A seed is a whole number from 1 to 2^53 - 1");
    if (plan.rounds < 1 || plan.budget_s < 0)
        return wrong("\"rounds\" is a whole number from 1, and \"budget\" a number of seconds");
    return plan;
}

std::vector<Arm> ExperimentPlan::arms() const
{
    if (!rows.empty())
        return rows;
    std::vector<Arm> out;
    for (const std::string& policy : policies) {
        if (policy == "library") {
            out.push_back({policy, {}});
            continue;
        }
        for (const AskMethod& method : methods)
            out.push_back({policy, method});
    }
    return out;
}

std::vector<PlannedModel> ExperimentPlan::chainOf(const std::string& model) const
{
    std::vector<PlannedModel> out;
    std::string wanted = model;
    for (auto one = models.rbegin(); one != models.rend(); ++one) // a model stands behind the one it begins with
        if (one->name == wanted) {
            out.insert(out.begin(), *one);
            wanted = one->from;
        }
    return out;
}

} // namespace cudal1::experiment
