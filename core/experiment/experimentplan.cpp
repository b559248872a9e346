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
        return checkList(plan.tasks, "tasks");
    }
    if (!j.contains("level") && !j.contains("split"))
        return wrong("No tasks are named: \"tasks\", \"level\" or \"split\" is needed");
    plan.level = j.value("level", 0);
    plan.split = j.value("split", std::string());
    if (j.contains("level") && plan.level < 1)
        return wrong("\"level\" is a number from 1");
    return {};
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
    if (!method->without.empty())
        out += ", without " + language::textOf(method->without);
    return out;
}

base::Result<ExperimentPlan> ExperimentPlan::read(const std::string& text)
{
    const json j = json::parse(text, nullptr, false);
    if (!j.is_object())
        return Error{ErrorCode::Unreadable, "An experiment is a JSON object", text.substr(0, 80),
                     "docs/prompts.md has an example"};
    if (const auto status = checkFields(
            j, {"policies", "methods", "tasks", "level", "split", "seeds", "rounds", "budget", "limits"},
            "An experiment");
        !status)
        return status.error();
    ExperimentPlan plan;
    try {
        plan.policies = j.at("policies").get<std::vector<std::string>>();
        std::vector<std::string> methods;
        for (const json& one : j.value("methods", json::array({"vanilla"}))) {
            const auto method = methodOf(one);
            if (!method)
                return method.error();
            plan.methods.push_back(*method);
            methods.push_back(language::toJson(*method));
        }
        plan.seeds = j.value("seeds", std::vector<std::uint64_t>{1});
        plan.rounds = j.value("rounds", 1);
        plan.budget_s = j.value("budget", 0.0);
        for (const auto& status : {checkList(plan.policies, "policies"), checkList(methods, "methods"),
                                   checkList(plan.seeds, "seeds"), readTasks(j, plan), readLimitsOf(j, plan.limits)})
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

} // namespace cudal1::experiment
