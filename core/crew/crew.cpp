// SPDX-License-Identifier: GPL-3.0-or-later
// The face of the crew.
#include "core/crew/crew.h"

#include "core/crew/dispatcher.h"

#include <algorithm>
#include <set>
#include <utility>

namespace cudal1::crew {

CrewJob describing()
{
    return {farm::DescribeRequest{}, "the question what its machine has", false, {}, true};
}

std::shared_ptr<const protocol::Evaluation> JobOutcome::evaluation() const
{
    const auto* out = kind == Kind::Answered ? std::get_if<std::shared_ptr<const protocol::Evaluation>>(&answer)
                                             : nullptr;
    return out ? *out : nullptr;
}

Crew::Crew(Rules rules, QObject* parent) : QObject(parent), d(std::make_unique<Dispatcher>(this, rules)) {}

Crew::~Crew()
{
    blockSignals(true);
    for (const auto& seat : d->seats)
        for (auto flight = seat->flights.rbegin(); flight != seat->flights.rend(); ++flight)
            seat->evaluator->cancel(flight->first);
}

void Crew::add(const farm::Launcher& launcher, const std::string& device)
{
    auto seat = std::make_unique<Dispatcher::Seat>();
    seat->number = int(d->seats.size());
    seat->launcher = launcher;
    seat->device = device;
    d->seats.push_back(std::move(seat));
    d->schedule();
}

int Crew::places() const
{
    return int(d->seats.size()) * std::max(1, d->rules.ahead);
}

void Crew::setRules(const Rules& rules)
{
    d->rules = rules;
    d->schedule();
}

protocol::Hello Crew::hello() const
{
    for (const auto& seat : d->seats)
        if (seat->evaluator && seat->evaluator->isReady())
            return seat->evaluator->hello();
    return {};
}

JobId Crew::submit(CrewJob job)
{
    return d->add(std::move(job), false);
}
JobId Crew::submitFirst(CrewJob job)
{
    return d->add(std::move(job), true);
}

void Crew::cancel(JobId job)
{
    d->cancel(job);
}

void Crew::cancel(const std::vector<JobId>& jobs)
{
    std::vector<JobId> youngest = jobs;
    std::sort(youngest.rbegin(), youngest.rend());
    for (const JobId job : youngest)
        d->cancel(job);
}

void Crew::cancelWaiting(const std::vector<JobId>& jobs)
{
    std::set<JobId> worked;
    for (const auto& seat : d->seats)
        if (!seat->flights.empty())
            worked.insert(d->open.at(seat->flights.begin()->second).clients.begin(),
                          d->open.at(seat->flights.begin()->second).clients.end());
    std::vector<JobId> others;
    std::copy_if(jobs.begin(), jobs.end(), std::back_inserter(others),
                 [&](JobId job) { return !worked.contains(job); });
    cancel(others);
}

void Crew::renew()
{
    for (const auto& seat : d->seats) {
        seat->worn = true;
        for (auto flight = seat->flights.rbegin(); flight != seat->flights.rend(); ++flight)
            seat->evaluator->cancel(flight->first); // they come back and wait for the next evaluator
    }
    d->schedule();
}

bool Crew::isIdle() const
{
    return d->open.empty();
}

} // namespace cudal1::crew
