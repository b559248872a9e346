// SPDX-License-Identifier: GPL-3.0-or-later
// The face of the service: what is taken, taken back and told.
#include "core/serve/judgeservice.h"

#include "core/farm/evaluator.h"
#include "core/serve/judgework.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cudal1::serve {

using base::Error;
using base::ErrorCode;

JudgeService::JudgeService(store::Project& project, crew::Crew& crew, ServiceLimits limits, QObject* parent)
    : QObject(parent), d(std::make_unique<JudgeWork>(this, project, crew, limits))
{
}

JudgeService::~JudgeService()
{
    blockSignals(true);
    stop();
}

void JudgeService::setServed(ServiceDefaults served)
{
    d->served = std::move(served);
}

const ServiceDefaults& JudgeService::served() const
{
    return d->served;
}

base::Result<int> JudgeService::takeUp()
{
    auto left = d->queue.takeUp();
    if (!left)
        return left.error();
    for (ServedQueue::Left& one : *left) {
        crew::JobId job = 0;
        JudgeWork::Work& work = d->workFor(one.ask, one.entry.seed, job);
        d->count(one.ask.client, 1);
        d->accepted[one.entry.id] = job;
        work.clients.push_back({0, one.ask.client, {}, std::move(one.entry)});
    }
    return int(left->size());
}

base::Result<TicketId> JudgeService::submit(const Ask& ask, TicketListener listener)
{
    const auto tickets = submit(std::vector{ask}, [&](std::size_t) { return listener; });
    return tickets ? base::Result<TicketId>(tickets->front()) : tickets.error();
}

base::Result<std::vector<TicketId>> JudgeService::submit(const std::vector<Ask>& asks,
                                                         const std::function<TicketListener(std::size_t)>& listener)
{
    if (const auto status = d->room(asks); !status) {
        emit refused(status.error());
        return status.error();
    }
    std::vector<TicketId> out;
    for (std::size_t at = 0; at < asks.size(); ++at) {
        const Ask& ask = asks[at];
        const TicketId ticket = ++d->lastTicket;
        out.push_back(ticket);
        d->count(ask.client, 1);
        if (const auto known = ask.cached ? d->fromStore(ask) : std::nullopt) {
            d->jobOf[ticket] = 0;
            QMetaObject::invokeMethod(
                d.get(),
                [this, ticket, name = ask.client, told = listener(at), known = *known] {
                    const bool wanted = d->jobOf.contains(ticket);
                    d->forget({ticket, name, {}, {}});
                    if (!wanted) // cancelled meanwhile
                        return;
                    emit answeredFromStore();
                    told.done(known);
                },
                Qt::QueuedConnection);
            continue;
        }
        crew::JobId job = 0;
        JudgeWork::Work& work = d->workFor(ask, ask.seed ? ask.seed : farm::freshSeed(), job);
        d->jobOf[ticket] = job;
        work.clients.push_back({ticket, ask.client, listener(at), {}});
    }
    return out;
}

void JudgeService::cancel(TicketId ticket)
{
    const auto place = d->jobOf.find(ticket);
    if (place == d->jobOf.end())
        return;
    const crew::JobId job = place->second;
    const auto it = d->works.find(job);
    if (it == d->works.end()) { // answered from the store in a moment
        d->jobOf.erase(place);
        return;
    }
    auto& clients = it->second.clients;
    const auto client = std::find_if(clients.begin(), clients.end(),
                                     [&](const auto& one) { return one.ticket == ticket; });
    d->forget(*client);
    clients.erase(client);
    if (!clients.empty())
        return;
    if (const auto known = d->byKey.find(it->second.key); known != d->byKey.end() && known->second == job)
        d->byKey.erase(known);
    d->works.erase(it);
    d->crew.cancel(job);
}

base::Result<std::vector<std::string>> JudgeService::accept(const std::vector<Ask>& asks)
{
    if (const auto status = d->room(asks); !status) {
        emit refused(status.error());
        return status.error();
    }
    std::vector<std::string> out;
    for (const Ask& ask : asks) {
        // Equal work that is under way decides the seed, by which the evaluation is found again after a kill.
        const auto known = d->byKey.find(keyOf(ask));
        const std::uint64_t seed = known != d->byKey.end() ? d->works.at(known->second).seed
                                 : ask.seed                ? ask.seed
                                                           : farm::freshSeed();
        auto entry = d->queue.accept(ask, seed);
        if (!entry) {
            for (const std::string& id : out)
                (void)withdraw(id);
            return entry.error();
        }
        crew::JobId job = 0;
        JudgeWork::Work& work = d->workFor(ask, seed, job);
        d->count(ask.client, 1);
        d->accepted[entry->id] = job;
        out.push_back(entry->id);
        work.clients.push_back({0, ask.client, {}, std::move(*entry)});
    }
    return out;
}

base::Result<JudgeService::State> JudgeService::state(const std::string& id) const
{
    State out;
    if (const auto it = d->accepted.find(id); it != d->accepted.end()) {
        const auto work = d->works.find(it->second);
        out.word = work != d->works.end() && work->second.begun ? "judging" : "waiting";
        out.position = work == d->works.end() ? 0 : int(std::distance(d->works.begin(), work));
        return out;
    }
    auto found = d->queue.find(id);
    if (!found)
        return found.error();
    out.word = std::move(found->state);
    out.answer = std::move(found->answer);
    return out;
}

TicketId JudgeService::watch(const std::string& id, TicketListener listener)
{
    const auto it = d->accepted.find(id);
    const auto work = it == d->accepted.end() ? d->works.end() : d->works.find(it->second);
    if (work == d->works.end())
        return 0;
    const TicketId ticket = ++d->lastTicket;
    d->count({}, 1);
    d->jobOf[ticket] = work->first;
    work->second.clients.push_back({ticket, {}, std::move(listener), {}});
    return ticket;
}

base::Status JudgeService::withdraw(const std::string& id)
{
    const auto it = d->accepted.find(id);
    if (it == d->accepted.end()) {
        const auto known = d->queue.find(id);
        return known ? Error{ErrorCode::InvalidArgument, "The request is over: " + known->state, id, {}}
                     : known.error();
    }
    const crew::JobId job = it->second;
    const auto isIt = [&](const JudgeWork::Client& one) { return one.entry && one.entry->id == id; };
    const auto drop = [&](JudgeWork::Work& work) {
        const auto client = std::find_if(work.clients.begin(), work.clients.end(), isIt);
        if (client == work.clients.end())
            return base::Status();
        const base::Status status = d->queue.withdraw(*client->entry);
        if (!status)
            return status;
        d->forget(*client);
        work.clients.erase(client);
        return base::Status();
    };
    for (JudgeWork::Work& work : d->parked)
        if (const auto status = drop(work); !status)
            return status;
    const auto work = d->works.find(job);
    if (work == d->works.end())
        return {};
    if (const auto status = drop(work->second); !status)
        return status;
    // Whoever watched it would wait for ever.
    JudgeAnswer over;
    over.error = {ErrorCode::Cancelled, "The request was withdrawn", id, {}};
    if (std::all_of(work->second.clients.begin(), work->second.clients.end(),
                    [](const auto& one) { return one.name.empty(); })) {
        JudgeWork::Work gone = std::move(work->second);
        if (const auto known = d->byKey.find(gone.key); known != d->byKey.end() && known->second == job)
            d->byKey.erase(known);
        d->works.erase(work);
        d->crew.cancel(job);
        d->answer(std::move(gone), over);
    }
    return {};
}

int JudgeService::position(TicketId ticket) const
{
    const auto it = d->jobOf.find(ticket);
    const auto work = it == d->jobOf.end() ? d->works.end() : d->works.find(it->second);
    return work == d->works.end() ? -1 : int(std::distance(d->works.begin(), work));
}

int JudgeService::open() const
{
    return d->open;
}

int JudgeService::retryAfter_s() const
{
    // A tenth of what is open is done by then, which is room enough to come back for.
    const double wait = d->typical_s * std::max(1.0, double(d->works.size()) / 10);
    return int(std::clamp(std::ceil(wait), 1.0, 600.0));
}

void JudgeService::stop()
{
    if (std::exchange(d->stopped, true))
        return;
    JudgeAnswer over;
    over.error = serverEnding();
    std::vector<crew::JobId> jobs;
    std::vector<JudgeWork::Work> works;
    for (auto& [job, work] : d->works) {
        jobs.push_back(job);
        works.push_back(std::move(work));
    }
    d->works.clear();
    d->byKey.clear();
    d->crew.cancel(jobs);
    for (JudgeWork::Work& work : works)
        d->answer(std::move(work), over);
    d->queue.close();
}

} // namespace cudal1::serve
