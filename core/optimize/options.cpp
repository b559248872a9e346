// SPDX-License-Identifier: GPL-3.0-or-later
// Options and notes of runs as JSON.
#include "core/optimize/options.h"

#include "core/optimize/owner.h"

#include <algorithm>
#include <functional>

namespace cudal1::optimize {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

std::string deviceName(const std::string& text)
{
    return text == "cuda" ? "cuda:0" : text;
}

base::Result<protocol::DeviceInfo> deviceOf(const protocol::Machine& machine, const std::string& text)
{
    const std::string wanted = deviceName(text);
    const auto begin = machine.devices.begin(), end = machine.devices.end();
    auto found = end;
    if (wanted.empty()) {
        found = std::find_if(begin, end, [](const auto& one) { return one.name.starts_with("cuda"); });
        if (found == end)
            found = begin;
    } else {
        found = std::find_if(begin, end, [&](const auto& one) { return one.name == wanted; });
    }
    if (found != end)
        return *found;
    std::string has;
    for (const auto& one : machine.devices)
        has += (has.empty() ? "" : ", ") + one.name;
    return Error{ErrorCode::Unavailable, "This machine has no device " + wanted,
                 "it has " + (has.empty() ? "none" : has),
                 "Choose another with --device; `cudal1 doctor` says why a device is missing"};
}

std::string toJson(const SearchOptions& options, const std::string& policy)
{
    json out{{"task_hash", options.task.hash},
             {"device", deviceName(options.device)},
             {"precision", protocol::toString(options.precision)},
             {"preset", protocol::toString(options.preset)},
             {"rounds", options.rounds},
             {"budget_s", options.budget_s},
             {"seed", options.seed},
             {"policy", policy}};
    // What is as usual is left out, so that runs are as earlier versions write them.
    if (!options.evaluator.empty())
        out["evaluator"] = options.evaluator;
    if (!options.method.empty())
        out["method"] = options.method;
    if (options.alone)
        out["alone"] = true;
    return out.dump();
}

base::Result<SearchOptions> optionsFromJson(const std::string& text)
{
    const json j = json::parse(text, nullptr, false);
    SearchOptions options;
    try {
        options.task.hash = j.at("task_hash").get<std::string>();
        options.evaluator = j.value("evaluator", std::string());
        options.device = j.at("device").get<std::string>();
        options.rounds = j.at("rounds").get<int>();
        options.budget_s = j.at("budget_s").get<double>();
        options.seed = j.at("seed").get<std::uint64_t>();
        options.method = j.value("method", std::string());
        options.alone = j.value("alone", false);
        if (protocol::fromString(j.at("precision").get<std::string>(), options.precision) &&
            protocol::fromString(j.at("preset").get<std::string>(), options.preset))
            return options;
    } catch (const json::exception&) {
        // falls through: whatever is wrong with it, it is not a run of this loop
    }
    return Error{ErrorCode::Unreadable, "The settings of this run cannot be read", text.substr(0, 200),
                 "Start a new run"};
}

std::string policyOf(const std::string& parameters)
{
    const json j = json::parse(parameters, nullptr, false);
    return j.is_object() ? j.value("policy", std::string()) : std::string();
}

base::Result<SearchOptions> optionsOfRun(const store::Project& project, base::RunId run)
{
    const auto runs = project.runs();
    if (!runs)
        return runs.error();
    const auto record = std::find_if(runs->begin(), runs->end(),
                                     [run](const store::RunRecord& one) { return one.id == run; });
    if (record == runs->end())
        return Error{ErrorCode::NotFound, "There is no run " + std::to_string(run.value), {}, {}};
    auto options = optionsFromJson(record->parameters);
    if (!options)
        return options.error();
    auto task = project.task(record->task);
    if (!task)
        return task.error();
    if (task->hash != options->task.hash)
        return Error{ErrorCode::InvalidArgument, "The task has changed since this run was started", record->task.value,
                     "Start a new run"};
    options->task = std::move(*task);
    return options;
}

namespace {

std::string notesKey(base::RunId run)
{
    return "run/" + std::to_string(run.value) + "/notes";
}

} // namespace

RunNotes readNotes(const store::Project& project, base::RunId run)
{
    RunNotes notes;
    const auto text = project.cache(notesKey(run));
    if (!text || !*text)
        return notes;
    const json j = json::parse(**text, nullptr, false);
    if (j.is_object()) {
        notes.owner = j.value("owner", std::string());
        notes.nextRound = j.value("next_round", 0);
        notes.spent_s = j.value("spent_s", 0.0);
        notes.heartbeat_s = j.value("heartbeat_s", std::int64_t(0));
        notes.nextTurn = j.value("next_turn", 0);
    }
    return notes;
}

base::Status writeNotes(store::Project& project, base::RunId run, const RunNotes& notes)
{
    return project.putCache(notesKey(run), json{{"owner", notes.owner},
                                                {"next_round", notes.nextRound},
                                                {"spent_s", notes.spent_s},
                                                {"heartbeat_s", heartbeatNow()},
                                                {"next_turn", notes.nextTurn}}
                                               .dump());
}

bool isRunning(const store::Project& project, const store::RunRecord& run)
{
    if (run.state != store::RunState::Running)
        return false;
    const RunNotes notes = readNotes(project, run.id);
    return isAlive(notes.owner, notes.heartbeat_s);
}

bool isUnfinished(const store::Project& project, const store::RunRecord& run)
{
    return run.state == store::RunState::Stopped || (run.state == store::RunState::Running && !isRunning(project, run));
}

namespace {

/// The newest run that fits and that `wanted` takes.
std::optional<store::RunRecord> newestThat(const std::vector<store::RunRecord>& runs, const SearchOptions& options,
                                           const std::string& policy,
                                           const std::function<bool(const store::RunRecord&)>& wanted)
{
    for (const store::RunRecord& run : runs) {
        if (run.kind != runKind || run.task != options.task.id)
            continue;
        const auto theirs = optionsFromJson(run.parameters);
        if (!theirs)
            continue;
        SearchOptions asked = options;
        if (asked.seed == 0)
            asked.seed = theirs->seed;
        if (toJson(asked, policy) == run.parameters && wanted(run))
            return run;
    }
    return {};
}

} // namespace

std::optional<store::RunRecord> newestOf(const std::vector<store::RunRecord>& runs, const SearchOptions& options,
                                         const std::string& policy)
{
    return newestThat(runs, options, policy, [](const store::RunRecord&) { return true; });
}

base::Result<std::optional<store::RunRecord>> unfinishedRun(const store::Project& project, const SearchOptions& options,
                                                            const std::string& policy)
{
    const auto runs = project.runs();
    if (!runs)
        return runs.error();
    // One that lives elsewhere is nobody else's, and hides no older one.
    auto found = newestThat(*runs, options, policy, [&](const store::RunRecord& run) {
        return run.state != store::RunState::Running || isUnfinished(project, run);
    });
    if (found && !isUnfinished(project, *found))
        found.reset();
    return found;
}

} // namespace cudal1::optimize
