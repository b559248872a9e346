// SPDX-License-Identifier: GPL-3.0-or-later
// Accepted requests as runs, queue items and cached texts of the project.
#include "core/serve/servedqueue.h"

#include "core/farm/answer.h"
#include "core/farm/evaluator.h"
#include "core/optimize/options.h"
#include "core/optimize/owner.h"
#include "core/optimize/searchround.h"
#include "core/protocol/wireerror.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace cudal1::serve {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

namespace {

std::string keyOf(base::RunId run, int number)
{
    return "served/" + std::to_string(run.value) + "/" + std::to_string(number);
}

/// Run and number of "12-3-0123456789abcdef"; nothing for another text.
std::optional<std::pair<base::RunId, int>> placeOf(const std::string& id)
{
    long long run = 0;
    int number = 0, used = 0;
    if (id.size() > 64 || std::sscanf(id.c_str(), "%lld-%d-%n", &run, &number, &used) != 2 || used == 0 || run <= 0 ||
        number <= 0)
        return {};
    return std::pair(base::RunId{run}, number);
}

std::string secret()
{
    char text[17];
    std::snprintf(text, sizeof text, "%016llx",
                  static_cast<unsigned long long>(farm::freshSeed() ^ (farm::freshSeed() << 20)));
    return text;
}

base::Result<json> read(const store::Project& project, base::RunId run, int number)
{
    const auto text = project.cache(keyOf(run, number));
    if (!text)
        return text.error();
    json record = *text ? json::parse(**text, nullptr, false) : json();
    if (!record.is_object())
        return Error{ErrorCode::NotFound, "Nothing is known of this request", {}, {}};
    return record;
}

Error errorOf(const json& j)
{
    return protocol::errorFrom(j);
}

/// A process that is killed between storing an evaluation and writing down which request it is of leaves one that is
/// in no queue and still "waiting". Its evaluation is the one with its seed.
base::EvaluationId judgedUnnoted(const store::Project& project, base::RunId run, int number, const json& record)
{
    const auto items = project.queue(run);
    if (!items || std::any_of(items->begin(), items->end(), [&](const auto& item) { return item.round == number; }))
        return {};
    const auto known = project.evaluations({record.value("variant", std::int64_t(0))});
    if (!known)
        return {};
    for (const store::EvaluationSummary& one : *known)
        if (const auto whole = project.evaluation(one.id);
            whole && whole->seed == record.value("seed", std::uint64_t(0)))
            return one.id;
    return {};
}

json recordOf(const std::string& id, const Ask& ask, base::VariantId variant, std::uint64_t seed)
{
    return {{"id", id},
            {"client", ask.client},
            {"task", ask.task.id.value},
            {"variant", variant.value},
            {"device", ask.device},
            {"precision", protocol::toString(ask.precision)},
            {"preset", protocol::toString(ask.preset)},
            {"seed", seed},
            {"state", "waiting"}};
}

} // namespace

ServedQueue::ServedQueue(store::Project& project) : m_project(project), m_heartbeat([this] { return writeOwnNotes(); })
{
}

ServedQueue::~ServedQueue()
{
    close();
}

base::Status ServedQueue::writeOwnNotes()
{
    base::Status first;
    for (const base::RunId run : m_runs)
        if (const auto status = optimize::writeNotes(m_project, run, {optimize::ownProcess(), 0, 0, 0});
            !status && first)
            first = status;
    return first;
}

base::Status ServedQueue::open()
{
    if (m_run)
        return {};
    store::RunRecord record;
    record.kind = runKind;
    record.parameters = "{}";
    const auto run = m_project.startRun(record);
    if (!run)
        return run.error();
    if (const auto status = optimize::writeNotes(m_project, *run, {optimize::ownProcess(), 0, 0, 0}); !status)
        return status;
    m_run = *run;
    m_runs.insert(*run);
    m_heartbeat.start();
    return {};
}

base::Result<ServedQueue::Entry> ServedQueue::accept(const Ask& ask, std::uint64_t seed)
{
    if (const auto status = open(); !status)
        return status.error();
    if (const auto status = m_project.putTask(ask.task); !status)
        return status.error();
    store::VariantRecord variant;
    variant.task = ask.task.id;
    variant.taskHash = ask.task.hash;
    variant.source = ask.source;
    variant.origin = "served: " + ask.client;
    variant.parent = ask.parent;
    variant.run = m_run;
    const auto added = m_project.addVariant(variant);
    if (!added)
        return added.error();
    const int number = ++m_number;
    Entry entry{std::to_string(m_run.value) + "-" + std::to_string(number) + "-" + secret(), {}, seed};
    // The request first: an item without one could not be judged.
    if (const auto status = m_project.putCache(keyOf(m_run, number), recordOf(entry.id, ask, *added, seed).dump());
        !status)
        return status.error();
    auto item = optimize::enqueueAgain(m_project, m_run, *added, number);
    if (!item)
        return item.error();
    entry.item = *item;
    return entry;
}

base::Status ServedQueue::note(const Entry& entry, const json& change)
{
    auto record = read(m_project, entry.item.run, entry.item.round);
    if (!record)
        return record.error();
    record->update(change);
    return m_project.putCache(keyOf(entry.item.run, entry.item.round), record->dump());
}

base::Result<base::EvaluationId> ServedQueue::finish(const Entry& entry, const protocol::Evaluation& evaluation)
{
    const auto id = m_project.finish(entry.item, evaluation);
    if (!id)
        return id;
    if (const auto status = note(entry, {{"state", "done"}, {"evaluation", id->value}}); !status)
        return status.error();
    return id;
}

base::Status ServedQueue::follow(const Entry& entry, base::EvaluationId evaluation)
{
    if (const auto status = note(entry, {{"state", "done"}, {"evaluation", evaluation.value}}); !status)
        return status;
    return m_project.drop(entry.item);
}

base::Status ServedQueue::fail(const Entry& entry, const Error& error)
{
    if (const auto status = note(entry, {{"state", "failed"}, {"error", protocol::wireError(error)}}); !status)
        return status;
    return m_project.drop(entry.item);
}

base::Status ServedQueue::withdraw(const Entry& entry)
{
    if (const auto status = note(entry, {{"state", "withdrawn"}}); !status)
        return status;
    return m_project.drop(entry.item);
}

base::Result<ServedQueue::Found> ServedQueue::find(const std::string& id) const
{
    const Error unknown{ErrorCode::NotFound, "No request was accepted under this id", id.substr(0, 64),
                        "An id is what an asynchronous request is answered with"};
    const auto place = placeOf(id);
    if (!place)
        return unknown;
    const auto record = read(m_project, place->first, place->second);
    if (!record)
        return record.error().code == ErrorCode::NotFound ? unknown : record.error();
    if (record->value("id", std::string()) != id)
        return unknown;
    Found out;
    out.state = record->value("state", std::string());
    out.client = record->value("client", std::string());
    if (out.state == "failed")
        out.answer.error = errorOf(record->value("error", json::object()));
    out.answer.variant = {record->value("variant", std::int64_t(0))};
    if (out.state == "done")
        out.answer.id = {record->value("evaluation", std::int64_t(0))};
    else if (out.state == "waiting")
        out.answer.id = judgedUnnoted(m_project, place->first, place->second, *record);
    if (!out.answer.id)
        return out;
    auto evaluation = m_project.evaluation(out.answer.id);
    if (!evaluation)
        return evaluation.error();
    out.state = "done";
    out.answer.evaluation = std::make_shared<const protocol::Evaluation>(std::move(*evaluation));
    return out;
}

/// False for an item that needs no more work.
base::Result<bool> ServedQueue::takeUp(const store::QueueItem& item, std::vector<Left>& out)
{
    const auto record = read(m_project, item.run, item.round);
    if (!record && record.error().code != ErrorCode::NotFound)
        return record.error();
    const auto variant = m_project.variant(item.variant);
    const auto task = variant ? m_project.task(variant->task) : base::Result<store::TaskRecord>(variant.error());
    Left left;
    Ask& ask = left.ask;
    if (record) {
        left.entry = {record->value("id", std::string()), item, record->value("seed", std::uint64_t(0))};
        ask.device = record->value("device", std::string("cpu"));
        ask.client = record->value("client", std::string());
        ask.seed = left.entry.seed;
    }
    const bool readable = record && protocol::fromString(record->value("precision", std::string()), ask.precision) &&
                          protocol::fromString(record->value("preset", std::string()), ask.preset);
    if (!readable || record->value("state", std::string()) != "waiting") {
        const auto status = m_project.drop(item);
        return status ? base::Result<bool>(false) : status.error();
    }
    if (!task || task->hash != variant->taskHash) {
        const auto status = fail(
            left.entry, task ? Error{ErrorCode::InvalidArgument, "The task has changed meanwhile", {}, "Send it again"}
                             : task.error());
        return status ? base::Result<bool>(false) : status.error();
    }
    ask.task = *task;
    ask.source = variant->source;
    out.push_back(std::move(left));
    return true;
}

base::Result<std::vector<ServedQueue::Left>> ServedQueue::takeUp()
{
    const auto runs = m_project.runs();
    if (!runs)
        return runs.error();
    std::vector<Left> out;
    for (auto run = runs->rbegin(); run != runs->rend(); ++run) { // the oldest first
        if (run->kind != runKind || !optimize::isUnfinished(m_project, *run))
            continue;
        if (const auto status = m_project.setRunState(run->id, store::RunState::Running); !status)
            return status.error();
        if (const auto status = optimize::writeNotes(m_project, run->id, {optimize::ownProcess(), 0, 0, 0}); !status)
            return status.error();
        m_runs.insert(run->id);
        m_heartbeat.start();
        const auto items = m_project.queue(run->id);
        if (!items)
            return items.error();
        for (const store::QueueItem& item : *items)
            if (const auto taken = takeUp(item, out); !taken)
                return taken.error();
    }
    return out;
}

void ServedQueue::close()
{
    m_heartbeat.stop();
    for (const base::RunId run : std::exchange(m_runs, {})) {
        const auto left = m_project.queue(run);
        const bool empty = left && left->empty();
        (void)optimize::writeNotes(m_project, run, {}); // nobody owns it now
        (void)m_project.setRunState(run, empty ? store::RunState::Finished : store::RunState::Stopped,
                                    empty ? std::string() : "The server has ended");
    }
    m_run = {};
}

} // namespace cudal1::serve
