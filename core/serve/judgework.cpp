// SPDX-License-Identifier: GPL-3.0-or-later
// Requests on their way to the crew, and what was found on its way into the project and to whoever waits for it.
#include "core/serve/judgework.h"

#include "core/base/sha256.h"
#include "core/optimize/searchround.h"
#include "core/store/variantfacts.h"

#include <QTimer>

#include <algorithm>

namespace cudal1::serve {

using base::Error;
using base::ErrorCode;

namespace {

constexpr int retryLost_ms = 15'000; ///< what was accepted waits so long for evaluators that were lost

} // namespace

std::string keyOf(const Ask& ask)
{
    std::string text = ask.task.id.value;
    for (const std::string& part : {ask.task.hash, ask.device, std::string(protocol::toString(ask.precision)),
                                    std::string(protocol::toString(ask.preset)), std::to_string(ask.seed), ask.source})
        text += '\0' + part;
    return base::sha256Hex(text);
}

Error serverEnding()
{
    return {ErrorCode::Cancelled, "The server is ending", {}, "Ask again when it is back"};
}

const protocol::DeviceInfo& JudgeWork::device(const std::string& name) const
{
    const auto it = std::find_if(served.devices.begin(), served.devices.end(),
                                 [&](const auto& one) { return one.name == name; });
    return it == served.devices.end() ? served.devices.front() : *it;
}

base::Status JudgeWork::room(const std::vector<Ask>& asks) const
{
    if (stopped)
        return serverEnding();
    std::map<std::string, int> more;
    for (const Ask& ask : asks)
        ++more[ask.client];
    if (open + int(asks.size()) > limits.open)
        return Error{ErrorCode::LimitReached,
                     "The queue is full: " + std::to_string(open) + " of " + std::to_string(limits.open) +
                         " requests are open",
                     {},
                     "Ask again later"};
    for (const auto& [client, number] : more) {
        const auto it = perClient.find(client);
        const int now = it == perClient.end() ? 0 : it->second;
        if (now + number > limits.perClient)
            return Error{ErrorCode::LimitReached,
                         "Your share of the queue is full: " + std::to_string(now) + " of " +
                             std::to_string(limits.perClient) + " requests are open",
                         client, "Ask again when some are answered"};
    }
    return {};
}

void JudgeWork::count(const std::string& client, int by)
{
    open += by;
    if ((perClient[client] += by) == 0)
        perClient.erase(client);
}

void JudgeWork::forget(const Client& client)
{
    count(client.name, -1);
    if (client.ticket)
        jobOf.erase(client.ticket);
    if (client.entry)
        accepted.erase(client.entry->id);
}

std::optional<JudgeAnswer> JudgeWork::fromStore(const Ask& ask) const
{
    const auto variant = project.findVariant(ask.task.id, ask.task.hash, ask.source);
    if (!variant || !*variant)
        return {};
    const auto known = project.evaluations(**variant);
    if (!known)
        return {};
    for (const store::EvaluationSummary& one : *known) {
        if (one.deviceModel != device(ask.device).model || one.precision != ask.precision || one.preset != ask.preset)
            continue;
        auto whole = project.evaluation(one.id);
        if (!whole || (ask.seed != 0 && whole->seed != ask.seed))
            continue;
        JudgeAnswer out;
        out.evaluation = std::make_shared<const protocol::Evaluation>(std::move(*whole));
        out.variant = **variant;
        out.id = one.id;
        out.cached = true;
        return out;
    }
    return {};
}

crew::JobId JudgeWork::send(Work work)
{
    store::VariantRecord candidate;
    candidate.source = work.ask.source;
    protocol::EvaluateRequest request = optimize::evaluateRequest(work.ask.task, candidate, work.ask.device,
                                                                  work.ask.precision, work.ask.preset, work.seed);
    request.candidateName = "candidate.py";
    if (work.ask.preset == protocol::Preset::Paper)
        request.paper.bestSoFar = store::bestSoFar(project, work.ask.task.id, device(work.ask.device).model,
                                                   work.ask.precision);
    const crew::JobId job = crew.submit(
        {std::move(request), work.ask.task.id.value + ", for " + work.ask.client, false, {}, false});
    byKey[work.key] = job;
    for (const Client& client : work.clients) {
        if (client.ticket)
            jobOf[client.ticket] = job;
        if (client.entry)
            accepted[client.entry->id] = job;
    }
    works.emplace(job, std::move(work));
    return job;
}

/// The work that answers `ask`: one that is there already, or a new one with this seed.
JudgeWork::Work& JudgeWork::workFor(const Ask& ask, std::uint64_t seed, crew::JobId& job)
{
    const std::string key = keyOf(ask);
    const auto known = byKey.find(key);
    if (known != byKey.end()) {
        job = known->second;
        emit q->shared();
    } else {
        job = send({ask, key, seed, {}, false});
    }
    return works.at(job);
}

/// Into the project; an error that only concerns storing stands in the answer beside the evaluation.
JudgeAnswer JudgeWork::store(const Work& work, const protocol::Evaluation& evaluation)
{
    JudgeAnswer out;
    out.evaluation = std::make_shared<const protocol::Evaluation>(evaluation);
    base::Result<base::EvaluationId> id{base::EvaluationId()};
    const auto first = std::find_if(work.clients.begin(), work.clients.end(),
                                    [](const Client& client) { return client.entry.has_value(); });
    if (first != work.clients.end()) {
        out.variant = first->entry->item.variant;
        id = queue.finish(*first->entry, evaluation);
        if (id)
            for (const Client& client : work.clients)
                if (client.entry && &client != &*first)
                    if (const auto status = queue.follow(*client.entry, *id); !status)
                        emit q->log(QString::fromStdString(status.error().text()));
    } else {
        store::VariantRecord variant;
        variant.task = work.ask.task.id;
        variant.taskHash = work.ask.task.hash;
        variant.source = work.ask.source;
        variant.origin = "served: " + work.ask.client;
        variant.parent = work.ask.parent;
        const auto put = project.putTask(work.ask.task);
        const auto added = put ? project.addVariant(variant) : base::Result<base::VariantId>(put.error());
        if (added)
            out.variant = *added;
        id = added ? project.addEvaluation(*added, evaluation) : base::Result<base::EvaluationId>(added.error());
    }
    if (id) {
        out.id = *id;
        return out;
    }
    out.error = id.error();
    emit q->log(QString::fromStdString("A result could not be stored: " + id.error().text()));
    return out;
}

void JudgeWork::answer(const Work& work, const JudgeAnswer& answer)
{
    for (const Client& client : work.clients)
        forget(client);
    for (const Client& client : work.clients)
        if (client.listener.done)
            client.listener.done(answer);
}

/// Accepted requests wait for evaluators to come back; others are told at once.
void JudgeWork::park(Work work)
{
    std::erase_if(work.clients, [](const Client& client) { return !client.entry; });
    for (const Client& client : work.clients)
        accepted[client.entry->id] = 0;
    if (work.clients.empty() || stopped)
        return;
    parked.push_back(std::move(work));
    if (parked.size() == 1)
        QTimer::singleShot(retryLost_ms, this, [this] { unpark(); });
}

void JudgeWork::unpark()
{
    for (Work& one : std::exchange(parked, {}))
        if (!stopped && !one.clients.empty())
            send(std::move(one));
}

void JudgeWork::take(crew::JobId job, const crew::JobOutcome& outcome)
{
    using Kind = crew::JobOutcome::Kind;
    const auto it = works.find(job);
    if (it == works.end())
        return; // everybody has cancelled it
    Work work = std::move(it->second);
    works.erase(it);
    if (const auto known = byKey.find(work.key); known != byKey.end() && known->second == job)
        byKey.erase(known);
    std::shared_ptr<const protocol::Evaluation> evaluation = outcome.evaluation();
    if (outcome.kind == Kind::Fatal) {
        optimize::SearchOptions asked;
        asked.task.id = work.ask.task.id;
        asked.precision = work.ask.precision;
        asked.preset = work.ask.preset;
        asked.seed = work.seed;
        evaluation = std::make_shared<const protocol::Evaluation>(
            optimize::evaluatorFailedTwice(asked, device(work.ask.device), outcome.seconds, outcome.error));
    }
    if (evaluation) {
        typical_s += 0.2 * (outcome.seconds - typical_s);
        const JudgeAnswer judgedNow = store(work, *evaluation);
        emit q->judged(judgedNow, outcome.seconds);
        unpark(); // the evaluators are back
        return answer(work, judgedNow);
    }
    JudgeAnswer failed;
    failed.error = outcome.error;
    if (outcome.kind == Kind::Refused) {
        for (const Client& client : work.clients)
            if (client.entry)
                if (const auto status = queue.fail(*client.entry, outcome.error); !status)
                    emit q->log(QString::fromStdString(status.error().text()));
        return answer(work, failed);
    }
    Work waiting = work;
    for (const Client& client : work.clients)
        if (!client.entry)
            forget(client);
    for (Client& client : waiting.clients)
        client.listener = {}; // they have their answer
    for (const Client& client : work.clients)
        if (client.listener.done)
            client.listener.done(failed);
    park(std::move(waiting));
}

} // namespace cudal1::serve
