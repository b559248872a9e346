// SPDX-License-Identifier: GPL-3.0-or-later
// Jobs on their way from the queue to an evaluator and back.
#include "core/crew/crew.h"

#include <QElapsedTimer>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace cudal1::crew {

using base::Error;
using base::ErrorCode;
using farm::Evaluator;

class Crew::Private : public QObject {
public:
    struct Open {
        Job job;
        int deaths = 0;
        bool suspect = false; ///< it was with an evaluator that died, and is judged alone next
        bool cancelled = false;
        QElapsedTimer sent;
    };
    /// A place where one evaluator at a time is at work.
    struct Seat {
        Evaluator* evaluator = nullptr;
        std::unique_ptr<Evaluator> own;
        farm::Launcher launcher; ///< to start one; empty where the evaluator is not ours
        std::string device;
        QStringList environment;
        bool worn = false;
        std::map<farm::RequestId, JobId> flights; ///< in the order sent
        std::vector<std::pair<JobId, Error>> lost; ///< by the evaluator's death, until `stopped` says that these are all
    };

    Private(Crew* owner, const Rules& given) : q(owner), rules(given) {}

    void listen(Seat& seat);
    void schedule();
    void fill();
    bool mayGo(const Seat& seat, const Open& open) const;
    void exchange(Seat& seat, const QStringList& environment);
    void send(Seat& seat, JobId id);
    void takeEvaluation(Seat& seat, farm::RequestId request, const std::shared_ptr<const protocol::Evaluation>& evaluation);
    void takeFailure(Seat& seat, farm::RequestId request, const Error& error);
    void takeEnd(Seat& seat);
    void takeBack(JobId id);
    void blame(JobId id, const Error& error);
    void breakDown(const Error& error);
    void cancel(JobId id);
    JobId add(Job job, bool first);
    void conclude(JobId id, Outcome outcome);
    void concludeLater(JobId id, const Outcome& outcome);
    std::optional<JobId> landed(Seat& seat, farm::RequestId request);

    Crew* q;
    Rules rules;
    std::vector<std::unique_ptr<Seat>> seats; ///< their addresses are kept by connections
    std::map<JobId, Open> open;
    std::deque<JobId> waiting;
    JobId lastId = 0;
    int fatalInARow = 0;
    bool scheduled = false;
};

void Crew::Private::listen(Seat& seat)
{
    Seat* const at = &seat;
    connect(seat.evaluator, &Evaluator::progress, this, [this, at](quint64 request, const protocol::Progress& seen) {
        if (const auto flight = at->flights.find(request); flight != at->flights.end())
            emit q->progress(flight->second, seen);
    });
    connect(seat.evaluator, &Evaluator::evaluationReady, this, [this, at](quint64 request, const std::shared_ptr<const protocol::Evaluation>& evaluation) {
        takeEvaluation(*at, request, evaluation);
    });
    connect(seat.evaluator, &Evaluator::failed, this, [this, at](quint64 request, const Error& error) { takeFailure(*at, request, error); });
    connect(seat.evaluator, &Evaluator::stopped, this, [this, at] { takeEnd(*at); });
    connect(seat.evaluator, &Evaluator::waiting, this, [this, at](double seconds) { emit q->log(farm::waitingText(at->evaluator->launcher(), seconds)); });
}

/// From the event loop: evaluators are not exchanged within their own signals, and a caller's signals do not nest.
void Crew::Private::schedule()
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

bool Crew::Private::mayGo(const Seat& seat, const Open& one) const
{
    if (!seat.lost.empty() || (seat.launcher.isEmpty() && !one.job.environment.isEmpty()))
        return false;
    if (seat.flights.empty())
        return true;
    if (seat.worn || one.suspect || one.job.alone || one.job.environment != seat.environment || int(seat.flights.size()) >= std::max(1, rules.ahead))
        return false;
    return std::none_of(seat.flights.begin(), seat.flights.end(), [this](const auto& flight) {
        const Open& other = open.at(flight.second);
        return other.suspect || other.job.alone;
    });
}

void Crew::Private::fill()
{
    // The seat with the fewest jobs first, so that all have work before one has a queue.
    for (bool sent = true; sent && !waiting.empty();) {
        sent = false;
        std::vector<Seat*> order;
        for (const auto& seat : seats)
            order.push_back(seat.get());
        std::stable_sort(order.begin(), order.end(), [](const Seat* a, const Seat* b) { return a->flights.size() < b->flights.size(); });
        for (Seat* const seat : order) {
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

void Crew::Private::exchange(Seat& seat, const QStringList& environment)
{
    seat.own.reset(); // before the next one starts, so that the two do not share the machine
    seat.environment = environment;
    seat.worn = false;
    // Reaches evaluators on this machine; a launcher such as ssh does not pass it on.
    seat.own = std::make_unique<Evaluator>(seat.launcher.withEnvironment(environment));
    seat.evaluator = seat.own.get();
    listen(seat);
}

void Crew::Private::send(Seat& seat, JobId id)
{
    Open& one = open.at(id);
    if (!seat.launcher.isEmpty() && (!seat.evaluator || seat.worn || seat.environment != one.job.environment))
        exchange(seat, one.job.environment);
    protocol::EvaluateRequest request = one.job.request;
    if (!seat.device.empty())
        request.device = seat.device;
    one.sent.start();
    seat.flights.emplace(seat.evaluator->evaluate(request), id);
}

std::optional<JobId> Crew::Private::landed(Seat& seat, farm::RequestId request)
{
    const auto flight = seat.flights.find(request);
    if (flight == seat.flights.end())
        return {};
    const JobId id = flight->second;
    seat.flights.erase(flight);
    schedule();
    return id;
}

/// Cancelled, by us or for another's sake.
void Crew::Private::takeBack(JobId id)
{
    if (open.at(id).cancelled)
        return conclude(id, {Outcome::Kind::Cancelled, {}, {ErrorCode::Cancelled, "Cancelled", {}, {}}, 0});
    waiting.push_front(id);
}

void Crew::Private::takeEvaluation(Seat& seat, farm::RequestId request, const std::shared_ptr<const protocol::Evaluation>& evaluation)
{
    const auto id = landed(seat, request);
    if (!id)
        return;
    if (evaluation->verdict == protocol::Verdict::Cancelled)
        return takeBack(*id);
    fatalInARow = 0;
    conclude(*id, {Outcome::Kind::Judged, evaluation, {}, 0});
}

void Crew::Private::takeFailure(Seat& seat, farm::RequestId request, const Error& error)
{
    const auto id = landed(seat, request);
    if (!id)
        return;
    if (error.code == ErrorCode::Cancelled)
        return takeBack(*id);
    if (!seat.evaluator->isReady()) {
        seat.lost.emplace_back(*id, error); // `stopped` follows when the others have failed too
        return;
    }
    switch (error.code) {
    case ErrorCode::ProcessFailed:
    case ErrorCode::TimedOut:
    case ErrorCode::Internal:
        return blame(*id, error);
    case ErrorCode::Unavailable:
        waiting.push_front(*id);
        return breakDown(error); // the device is gone; asking for the next would be answered alike
    default:
        conclude(*id, {Outcome::Kind::Refused, {}, error, 0});
    }
}

void Crew::Private::takeEnd(Seat& seat)
{
    const std::vector<std::pair<JobId, Error>> gone = std::exchange(seat.lost, {});
    if (gone.empty())
        return;
    schedule();
    const Error error = gone.front().second;
    if (error.code == ErrorCode::Unavailable) {
        for (auto it = gone.rbegin(); it != gone.rend(); ++it)
            waiting.push_front(it->first);
        return breakDown(error);
    }
    if (gone.size() == 1)
        return blame(gone.front().first, error);
    emit q->log(QString::fromStdString("The evaluator failed with " + std::to_string(gone.size())
                                       + " candidates on their way; they are judged one at a time: " + error.message));
    for (auto it = gone.rbegin(); it != gone.rend(); ++it) {
        open.at(it->first).suspect = true;
        if (open.at(it->first).cancelled)
            concludeLater(it->first, {Outcome::Kind::Cancelled, {}, {ErrorCode::Cancelled, "Cancelled", {}, {}}, 0});
        else
            waiting.push_front(it->first);
    }
}

/// The evaluator failed with this job alone.
void Crew::Private::blame(JobId id, const Error& error)
{
    Open& one = open.at(id);
    if (one.cancelled)
        return conclude(id, {Outcome::Kind::Cancelled, {}, error, 0});
    if (++one.deaths < rules.tries) {
        emit q->log(QString::fromStdString("The evaluator failed while judging " + one.job.name + "; once more: " + error.message));
        one.suspect = true;
        waiting.push_front(id);
        return;
    }
    if (++fatalInARow >= rules.mostFatalInARow) {
        waiting.push_front(id);
        return breakDown({ErrorCode::ProcessFailed, "The evaluator failed for " + std::to_string(fatalInARow) + " candidates in a row", error.text(),
                          "`cudal1 doctor` shows whether the device still works; run the same command again to go on"});
    }
    conclude(id, {Outcome::Kind::Fatal, {}, error, 0});
}

void Crew::Private::breakDown(const Error& error)
{
    fatalInARow = 0;
    emit q->broken(error);
    const std::deque<JobId> left = std::exchange(waiting, {});
    for (const JobId id : left)
        concludeLater(id, {Outcome::Kind::Lost, {}, error, 0});
    for (const auto& [id, one] : open) // what is still on its way ends there; nothing new is sent for it
        if (std::find(left.begin(), left.end(), id) == left.end())
            cancel(id);
}

void Crew::Private::cancel(JobId id)
{
    const auto one = open.find(id);
    if (one == open.end() || std::exchange(one->second.cancelled, true))
        return;
    if (std::erase(waiting, id) > 0)
        return concludeLater(id, {Outcome::Kind::Cancelled, {}, {ErrorCode::Cancelled, "Cancelled", {}, {}}, 0});
    for (const auto& seat : seats)
        for (const auto& [request, flight] : seat->flights)
            if (flight == id)
                return seat->evaluator->cancel(request);
}

JobId Crew::Private::add(Job job, bool first)
{
    const JobId id = ++lastId;
    const bool fits = job.environment.isEmpty() || std::any_of(seats.begin(), seats.end(), [](const auto& seat) { return !seat->launcher.isEmpty(); });
    open[id].job = std::move(job);
    if (!fits)
        concludeLater(id, {Outcome::Kind::Refused, {}, {ErrorCode::InvalidArgument, "No evaluator here can be started with another environment", {}, {}}, 0});
    else if (first)
        waiting.push_front(id);
    else
        waiting.push_back(id);
    schedule();
    return id;
}

void Crew::Private::conclude(JobId id, Outcome outcome)
{
    const auto one = open.find(id);
    if (one == open.end())
        return;
    const bool answered = outcome.kind == Outcome::Kind::Judged || outcome.kind == Outcome::Kind::Refused || outcome.kind == Outcome::Kind::Fatal;
    if (answered && one->second.sent.isValid())
        outcome.seconds = double(one->second.sent.elapsed()) / 1000;
    open.erase(one);
    emit q->done(id, outcome);
}

/// Like every other outcome, after the call that brought it about.
void Crew::Private::concludeLater(JobId id, const Outcome& outcome)
{
    QMetaObject::invokeMethod(this, [this, id, outcome] { conclude(id, outcome); }, Qt::QueuedConnection);
}

// ---- the public face -----------------------------------------------------------------------------------------------

Crew::Crew(Rules rules, QObject* parent) : QObject(parent), d(std::make_unique<Private>(this, rules)) {}

Crew::~Crew()
{
    blockSignals(true);
    for (const auto& seat : d->seats)
        for (auto flight = seat->flights.rbegin(); flight != seat->flights.rend(); ++flight)
            seat->evaluator->cancel(flight->first);
}

void Crew::add(farm::Evaluator& evaluator, const std::string& device)
{
    auto seat = std::make_unique<Private::Seat>();
    seat->evaluator = &evaluator;
    seat->device = device;
    d->listen(*seat);
    d->seats.push_back(std::move(seat));
    d->schedule();
}

void Crew::add(const farm::Launcher& launcher, const std::string& device)
{
    auto seat = std::make_unique<Private::Seat>();
    seat->launcher = launcher;
    seat->device = device;
    d->seats.push_back(std::move(seat));
    d->schedule();
}

int Crew::places() const { return int(d->seats.size()) * std::max(1, d->rules.ahead); }

void Crew::setRules(const Rules& rules)
{
    d->rules = rules;
    d->schedule();
}

JobId Crew::submit(Job job) { return d->add(std::move(job), false); }
JobId Crew::submitFirst(Job job) { return d->add(std::move(job), true); }

void Crew::cancel(JobId job) { d->cancel(job); }

void Crew::cancelAll()
{
    // Youngest first, so that an evaluator does not begin one that is cancelled next.
    std::vector<JobId> ids;
    for (const auto& [id, one] : d->open)
        ids.push_back(id);
    for (auto id = ids.rbegin(); id != ids.rend(); ++id)
        d->cancel(*id);
}

void Crew::cancelAllButOldest()
{
    std::set<JobId> oldest;
    for (const auto& seat : d->seats)
        if (!seat->flights.empty())
            oldest.insert(seat->flights.begin()->second);
    std::vector<JobId> ids;
    for (const auto& [id, one] : d->open)
        if (!oldest.contains(id))
            ids.push_back(id);
    for (auto id = ids.rbegin(); id != ids.rend(); ++id)
        d->cancel(*id);
}

void Crew::renew()
{
    for (const auto& seat : d->seats) {
        if (seat->launcher.isEmpty())
            continue;
        seat->worn = true;
        for (auto flight = seat->flights.rbegin(); flight != seat->flights.rend(); ++flight)
            seat->evaluator->cancel(flight->first); // they come back and wait for the next evaluator
    }
    d->schedule();
}

bool Crew::isIdle() const { return d->open.empty(); }

} // namespace cudal1::crew
