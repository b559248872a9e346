// SPDX-License-Identifier: GPL-3.0-or-later
// Options and notes of runs as JSON.
#include "core/optimize/options.h"

#include "core/optimize/owner.h"

#include <algorithm>
#include <functional>
#include <set>
#include <type_traits>
#include <utility>

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
    if (options.longest > 0)
        out["longest"] = options.longest;
    if (options.confirmsAbove > 0)
        out["confirms_above"] = options.confirmsAbove;
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
        options.longest = j.value("longest", 0);
        options.confirmsAbove = j.value("confirms_above", 0.0);
        if (protocol::fromString(j.at("precision").get<std::string>(), options.precision) &&
            protocol::fromString(j.at("preset").get<std::string>(), options.preset))
            return options;
    } catch (const json::exception&) {
        // falls through: whatever is wrong with it, it is not a run of this loop
    }
    return Error{ErrorCode::Unreadable, "The settings of this run cannot be read", text.substr(0, 200),
                 "Start a new run"};
}

namespace {

/// False when `j` has something else under `key`. What it lacks keeps the value that it has.
bool take(const json& j, const char* key, std::string& out)
{
    const auto found = j.find(key);
    if (found == j.end())
        return true;
    if (!found->is_string())
        return false;
    out = found->get<std::string>();
    return true;
}

/// As above, for a number that is not negative.
template<class Number> bool take(const json& j, const char* key, Number& out)
{
    const auto found = j.find(key);
    if (found == j.end())
        return true;
    if constexpr (std::is_integral_v<Number>) {
        if (!found->is_number_integer() || !std::in_range<Number>(found->template get<std::int64_t>()))
            return false;
    } else if (!found->is_number()) {
        return false;
    }
    out = found->template get<Number>();
    return out >= 0;
}

} // namespace

std::string policyOf(const std::string& parameters)
{
    const json j = json::parse(parameters, nullptr, false);
    std::string policy;
    return j.is_object() && take(j, "policy", policy) ? policy : std::string();
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

base::Result<RunNotes> readNotes(const store::Project& project, base::RunId run)
{
    RunNotes notes;
    const auto text = project.cache(notesKey(run));
    if (!text)
        return text.error();
    if (!*text)
        return notes;
    const json j = json::parse(**text, nullptr, false);
    if (j.is_object() && take(j, "owner", notes.owner) && take(j, "next_round", notes.nextRound) &&
        take(j, "spent_s", notes.spent_s) && take(j, "heartbeat_s", notes.heartbeat_s) &&
        take(j, "next_turn", notes.nextTurn))
        return notes;
    return Error{ErrorCode::Unreadable, "The notes of run " + std::to_string(run.value) + " are damaged",
                 "they should say how far it came: " + (*text)->substr(0, 200), "Start a new run"};
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

base::Status leaveRunning(store::Project& project, base::RunId run)
{
    auto notes = readNotes(project, run);
    if (!notes)
        return notes.error();
    notes->owner.clear();
    if (const base::Status disowned = writeNotes(project, run, *notes); !disowned)
        return disowned;
    return project.setRunState(run, store::RunState::Running);
}

bool isRunning(const store::Project& project, const store::RunRecord& run)
{
    if (run.state != store::RunState::Running)
        return false;
    const auto notes = readNotes(project, run.id);
    return notes && isAlive(notes->owner, notes->heartbeat_s);
}

base::Result<std::vector<store::TaskRow>> taskRows(const store::Project& project)
{
    using State = store::TaskRow::State;
    auto rows = project.taskRows();
    const auto runs = project.runs(store::RunState::Running);
    if (!rows || !runs)
        return rows ? runs.error() : rows.error();
    std::set<base::TaskId> running;
    for (const store::RunRecord& run : *runs)
        if (run.kind != runKind || isRunning(project, run))
            running.insert(run.task);
    for (store::TaskRow& row : *rows)
        if (row.state == State::Running && !running.contains(row.id))
            row.state = row.withoutRun;
    return rows;
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
