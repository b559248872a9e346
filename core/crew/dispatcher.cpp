// SPDX-License-Identifier: GPL-3.0-or-later
// Who gets the next job, and what an evaluator's answer, failure or death means for its jobs.
#include "core/crew/dispatcher.h"

#include <algorithm>
#include <utility>

namespace cudal1::crew {

using base::Error;
using base::ErrorCode;
using farm::Evaluator;

namespace {

JobOutcome cancelled()
{
    return {JobOutcome::Kind::Cancelled, {}, {ErrorCode::Cancelled, "Cancelled", {}, {}}, 0};
}

/// The request as a seat sends it that has a device of its own. "meta" is no device: what is asked there is answered
/// anywhere.
farm::Request onDevice(farm::Request request, const std::string& device)
{
    if (!device.empty())
        std::visit(
            [&](auto& one) {
                if constexpr (requires { one.device; })
                    if (one.device != "meta")
                        one.device = device;
            },
            request);
    return request;
}

/// How many more jobs a seat may have than another and still get those of a task that it works on.
constexpr int mostBeyondOthers = 8;

bool areOfOneTask(const farm::Request& a, const farm::Request& b)
{
    const auto* const one = std::get_if<protocol::EvaluateRequest>(&a);
    const auto* const other = std::get_if<protocol::EvaluateRequest>(&b);
    return one && other && one->task.source == other->task.source && one->precision == other->precision &&
           one->seed == other->seed;
}

} // namespace

void Dispatcher::listen(Seat& seat)
{
    Seat* const at = &seat;
    connect(seat.evaluator.get(), &Evaluator::progress, this,
            [this, at](quint64 request, const protocol::Progress& seen) {
                if (const auto flight = at->flights.find(request); flight != at->flights.end())
                    for (const JobId client : std::vector(open.at(flight->second).clients))
                        emit q->progress(client, seen);
            });
    connect(seat.evaluator.get(), &Evaluator::answered, this,
            [this, at](quint64 request, const farm::Answer& answer) { takeAnswer(*at, request, answer); });
    connect(seat.evaluator.get(), &Evaluator::failed, this,
            [this, at](quint64 request, const Error& error) { takeFailure(*at, request, error); });
    connect(seat.evaluator.get(), &Evaluator::ready, this, [this, at] {
        at->greeted = true;
        const protocol::Hello& hello = at->evaluator->hello();
        emit q->seatChanged(
            at->number, SeatState::Ready,
            QString::fromStdString(hello.program + (hello.torch.empty() ? "" : ", torch " + hello.torch)));
    });
    connect(seat.evaluator.get(), &Evaluator::waiting, this, [this, at](double seconds) {
        QString text = farm::waitingText(at->evaluator->launcher(), seconds);
        text[0] = text[0].toUpper();
        emit q->log(text);
        emit q->seatChanged(at->number, SeatState::Starting, text);
    });
    connect(seat.evaluator.get(), &Evaluator::stopped, this, [this, at](const Error& error) {
        takeEnd(*at);
        const bool orderly = error.code == ErrorCode::Cancelled;
        emit q->seatChanged(at->number, SeatState::Stopped,
                            orderly ? QStringLiteral("The evaluator has ended")
                                    : QString::fromStdString(error.message));
    });
}

/// From the event loop: evaluators are not exchanged within their own signals, and a caller's signals do not nest.
void Dispatcher::schedule()
{
    if (std::exchange(scheduled, true))
        return;
    QMetaObject::invokeMethod(
        this,
        [this] {
            scheduled = false;
            fill();
        },
        Qt::QueuedConnection);
}

bool Dispatcher::mayGo(const Seat& seat, const Open& one) const
{
    if (seat.gone || !seat.lost.empty())
        return false;
    if (seat.flights.empty())
        return true;
    if (seat.worn || one.suspect || one.job.alone || one.job.environment != seat.environment ||
        int(seat.flights.size()) >= std::max(1, rules.ahead))
        return false;
    return std::none_of(seat.flights.begin(), seat.flights.end(), [this](const auto& flight) {
        const Open& other = open.at(flight.second);
        return other.suspect || other.job.alone;
    });
}

/// Which seat gets the job: the one with the least. A seat that works on the task of the job is as good as one with a
/// few jobs less, since it has the task loaded; an idle one is better than all.
int Dispatcher::burdenOf(const Seat& seat, const Open& one) const
{
    if (seat.flights.empty())
        return -mostBeyondOthers;
    const bool worksOnIt = std::any_of(seat.flights.begin(), seat.flights.end(), [&](const auto& flight) {
        return areOfOneTask(open.at(flight.second).job.request, one.job.request);
    });
    return int(seat.flights.size()) - (worksOnIt ? mostBeyondOthers : 0);
}

void Dispatcher::fill()
{
    for (bool sent = true; sent && !waiting.empty();) {
        sent = false;
        std::vector<std::pair<int, Seat*>> order;
        for (const auto& seat : seats)
            order.emplace_back(burdenOf(*seat, open.at(waiting.front())), seat.get());
        std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        for (const auto& [burden, seat] : order) {
            if (!mayGo(*seat, open.at(waiting.front())))
                continue;
            const JobId id = waiting.front();
            waiting.pop_front();
            send(*seat, id);
            sent = true;
            break;
        }
    }
}

void Dispatcher::exchange(Seat& seat, const QStringList& environment)
{
    seat.evaluator.reset(); // before the next one starts, so that the two do not share the machine
    seat.environment = environment;
    seat.worn = false;
    // Reaches evaluators on this machine; a launcher such as ssh does not pass it on.
    seat.evaluator = std::make_unique<Evaluator>(seat.launcher.withEnvironment(environment));
    listen(seat);
    emit q->seatChanged(seat.number, SeatState::Starting, QStringLiteral("Starting the evaluator"));
}

void Dispatcher::send(Seat& seat, JobId id)
{
    Open& one = open.at(id);
    if (!seat.evaluator || seat.worn || seat.environment != one.job.environment)
        exchange(seat, one.job.environment);
    one.sent.start();
    seat.flights.emplace(seat.evaluator->ask(onDevice(one.job.request, seat.device)), id);
}

std::optional<JobId> Dispatcher::landed(Seat& seat, farm::RequestId request)
{
    const auto flight = seat.flights.find(request);
    if (flight == seat.flights.end())
        return {};
    const JobId id = flight->second;
    seat.flights.erase(flight);
    schedule();
    return id;
}

JobOutcome Dispatcher::cancelledOutcome(JobId id) const
{
    const Open& one = open.at(id);
    return one.lost ? JobOutcome{JobOutcome::Kind::Lost, {}, *one.lost, 0} : cancelled();
}

/// A job that is back from an evaluator without an answer waits for the next one, before all others.
void Dispatcher::requeue(JobId id)
{
    if (open.at(id).cancelled)
        concludeLater(id, cancelledOutcome(id));
    else
        waiting.push_front(id);
}

void Dispatcher::takeAnswer(Seat& seat, farm::RequestId request, const farm::Answer& answer)
{
    const auto id = landed(seat, request);
    if (!id)
        return;
    const JobOutcome outcome{JobOutcome::Kind::Answered, answer, {}, 0};
    if (const auto evaluation = outcome.evaluation(); evaluation && evaluation->verdict == protocol::Verdict::Cancelled)
        return requeue(*id);
    seat.fatalInARow = 0;
    conclude(*id, outcome);
}

void Dispatcher::takeFailure(Seat& seat, farm::RequestId request, const Error& error)
{
    const auto id = landed(seat, request);
    if (!id)
        return;
    if (error.code == ErrorCode::Cancelled)
        return requeue(*id);
    if (!seat.evaluator->isReady()) {
        seat.lost.emplace_back(*id, error); // `stopped` follows when the others have failed too
        return;
    }
    // Of what judges nothing an error says something about the request: that its device cannot be listed, or that it
    // takes too long.
    const bool judges = std::holds_alternative<protocol::EvaluateRequest>(open.at(*id).job.request);
    switch (error.code) {
    case ErrorCode::ProcessFailed:
    case ErrorCode::Internal: return blame(seat, *id, error);
    case ErrorCode::TimedOut:
        if (judges)
            return blame(seat, *id, error);
        break;
    case ErrorCode::Unavailable:
        if (judges) {
            requeue(*id);
            return lose(seat, error); // the device is gone; asking it for the next would be answered alike
        }
        break;
    default: break;
    }
    conclude(*id, {JobOutcome::Kind::Refused, {}, error, 0});
}

void Dispatcher::takeEnd(Seat& seat)
{
    const bool greeted = std::exchange(seat.greeted, false);
    const std::vector<std::pair<JobId, Error>> gone = std::exchange(seat.lost, {});
    if (gone.empty())
        return;
    schedule();
    const Error error = gone.front().second;
    if (!greeted || error.code == ErrorCode::Unavailable) { // no job's fault
        for (auto it = gone.rbegin(); it != gone.rend(); ++it)
            requeue(it->first);
        return lose(seat, error);
    }
    if (gone.size() == 1)
        return blame(seat, gone.front().first, error);
    emit q->log(QString::fromStdString("The evaluator failed with " + std::to_string(gone.size()) +
                                       " requests on their way; they are sent one at a time: " + error.message));
    for (auto it = gone.rbegin(); it != gone.rend(); ++it) {
        open.at(it->first).suspect = true;
        requeue(it->first);
    }
}

/// The evaluator failed with this job alone.
void Dispatcher::blame(Seat& seat, JobId id, const Error& error)
{
    Open& one = open.at(id);
    if (one.cancelled)
        return conclude(id, cancelledOutcome(id));
    if (++one.deaths < rules.tries) {
        emit q->log(
            QString::fromStdString("The evaluator failed at " + one.job.name + "; once more: " + error.message));
        one.suspect = true;
        waiting.push_front(id);
        return;
    }
    const bool judges = std::holds_alternative<protocol::EvaluateRequest>(one.job.request);
    if (judges && ++seat.fatalInARow >= rules.mostFatalInARow) {
        const std::string times = std::to_string(seat.fatalInARow);
        waiting.push_front(id);
        return lose(seat,
                    {ErrorCode::ProcessFailed, "The evaluator failed for " + times + " candidates in a row",
                     error.text(), "`cudal1 doctor` shows whether the device still works; then start the same again"});
    }
    conclude(id, {JobOutcome::Kind::Fatal, {}, error, 0});
}

void Dispatcher::lose(Seat& seat, const Error& error)
{
    if (std::exchange(seat.gone, true))
        return;
    seat.worn = true; // whoever tries it again starts another evaluator
    seat.fatalInARow = 0;
    if (std::all_of(seats.begin(), seats.end(), [](const auto& one) { return one->gone; }))
        return breakDown(error);
    const std::string name = seat.device.empty() ? "An evaluator" : seat.device;
    emit q->log(QString::fromStdString(name + " is lost, and the others go on: " + error.text()));
    for (auto flight = seat.flights.rbegin(); flight != seat.flights.rend(); ++flight)
        seat.evaluator->cancel(flight->first); // they come back and wait for another seat
}

void Dispatcher::breakDown(const Error& error)
{
    emit q->broken(error);
    for (const JobId id : std::exchange(waiting, {})) {
        open.at(id).lost = error;
        open.at(id).cancelled = true;
        concludeLater(id, cancelledOutcome(id));
    }
    for (auto& [id, one] : open) // what is still on its way ends there; nothing new is sent for it
        if (!one.cancelled) {
            one.lost = error;
            cancelWork(id);
        }
}

void Dispatcher::cancel(JobId client)
{
    const auto shared = workOf.find(client);
    const JobId id = shared == workOf.end() ? client : shared->second;
    const auto one = open.find(id);
    if (one == open.end() ||
        std::find(one->second.clients.begin(), one->second.clients.end(), client) == one->second.clients.end())
        return;
    if (one->second.clients.size() == 1)
        return cancelWork(id);
    std::erase(one->second.clients, client);
    workOf.erase(client);
    QMetaObject::invokeMethod(
        this, [this, client] { emit q->done(client, cancelled()); }, Qt::QueuedConnection);
}

void Dispatcher::cancelWork(JobId id)
{
    if (std::exchange(open.at(id).cancelled, true))
        return;
    if (std::erase(waiting, id) > 0)
        return concludeLater(id, cancelledOutcome(id));
    for (const auto& seat : seats)
        for (const auto& [request, flight] : seat->flights)
            if (flight == id)
                return seat->evaluator->cancel(request);
}

std::optional<JobId> Dispatcher::equalTo(const CrewJob& job, const QByteArray& text) const
{
    for (const auto& [id, one] : open)
        if (one.job.shared && !one.cancelled && one.job.alone == job.alone && one.job.environment == job.environment &&
            one.text == text)
            return id;
    return {};
}

JobId Dispatcher::add(CrewJob job, bool first)
{
    const JobId id = ++lastId;
    const QByteArray text = job.shared ? farm::requestLine(0, job.request) : QByteArray();
    if (const auto known = job.shared ? equalTo(job, text) : std::nullopt) {
        open.at(*known).clients.push_back(id);
        workOf.emplace(id, *known);
        return id;
    }
    if (std::all_of(seats.begin(), seats.end(), [](const auto& seat) { return seat->gone; }))
        for (const auto& seat : seats)
            seat->gone = false;
    Open& one = open[id];
    one.job = std::move(job);
    one.text = text;
    one.clients.push_back(id);
    if (first)
        waiting.push_front(id);
    else
        waiting.push_back(id);
    schedule();
    return id;
}

void Dispatcher::conclude(JobId id, JobOutcome outcome)
{
    const auto found = open.find(id);
    if (found == open.end())
        return;
    const Open one = std::move(found->second);
    open.erase(found);
    const bool answered = outcome.kind == JobOutcome::Kind::Answered || outcome.kind == JobOutcome::Kind::Refused ||
                          outcome.kind == JobOutcome::Kind::Fatal;
    if (answered && one.sent.isValid())
        outcome.seconds = double(one.sent.elapsed()) / 1000;
    for (const JobId client : one.clients)
        workOf.erase(client);
    for (const JobId client : one.clients)
        emit q->done(client, outcome);
}

/// Like every other outcome, after the call that brought it about.
void Dispatcher::concludeLater(JobId id, const JobOutcome& outcome)
{
    QMetaObject::invokeMethod(
        this, [this, id, outcome] { conclude(id, outcome); }, Qt::QueuedConnection);
}

} // namespace cudal1::crew
