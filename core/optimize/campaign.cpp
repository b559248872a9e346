// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks onto places, one search after the other at each.
#include "core/optimize/campaign.h"

#include "core/optimize/options.h"

#include <QElapsedTimer>
#include <QTimer>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>

namespace cudal1::optimize {

using base::Error;
using base::ErrorCode;
using store::RunState;

namespace {

constexpr int progressInterval_ms = 50;
/// A task at which so many places were lost is not given to another.
constexpr int mostLosses = 2;

} // namespace

class Campaign::Private : public QObject {
public:
    struct Seat {
        Place place;
        bool lost = false;
        std::unique_ptr<policy::Policy> policy;
        std::unique_ptr<Search> session; ///< null while it has nothing to do
        store::TaskRecord task;
        Progress seen;
    };

    Private(Campaign* owner, store::Project& p, PolicyFactory make);

    void fill();
    void begin(Seat& seat, store::TaskRecord task);
    void sessionEnded(Seat& seat, RunState state, const std::string& message);
    void conclude(TaskResult result);
    void end(RunState state);
    void sendProgress();

    Campaign* q;
    store::Project& project;
    PolicyFactory makePolicy;
    Options options;
    bool fresh = false, running = false, stopping = false;
    std::vector<std::unique_ptr<Seat>> seats;
    std::deque<store::TaskRecord> waiting;
    std::map<std::string, int> losses; ///< places that were lost at a task
    std::vector<TaskResult> results;
    Error lastError;
    int planned = 0, before = 0;
    QElapsedTimer clock;
    QTimer progressTimer;
};

Campaign::Private::Private(Campaign* owner, store::Project& p, PolicyFactory make)
    : q(owner), project(p), makePolicy(std::move(make))
{
    progressTimer.setSingleShot(true);
    progressTimer.setInterval(progressInterval_ms);
    connect(&progressTimer, &QTimer::timeout, this, [this] { sendProgress(); });
}

void Campaign::Private::fill()
{
    if (!running)
        return;
    for (const auto& seat : seats) {
        if (stopping || waiting.empty())
            break;
        if (seat->lost || seat->session)
            continue;
        store::TaskRecord task = std::move(waiting.front());
        waiting.pop_front();
        begin(*seat, std::move(task));
    }
    sendProgress();
    if (std::any_of(seats.begin(), seats.end(), [](const auto& seat) { return seat->session != nullptr; }))
        return;
    if (stopping)
        return end(RunState::Stopped);
    if (waiting.empty())
        return end(RunState::Finished);
    if (std::all_of(seats.begin(), seats.end(), [](const auto& seat) { return seat->lost; }))
        return end(RunState::Failed);
    QMetaObject::invokeMethod(
        this, [this] { fill(); }, Qt::QueuedConnection); // what was begun had come to its end before
}

void Campaign::Private::begin(Seat& seat, store::TaskRecord task)
{
    Options own = options;
    own.task = task;
    own.device = seat.place.device;
    seat.policy = makePolicy();
    std::optional<base::RunId> resumed;
    if (!fresh) {
        const auto newest = newestRun(project, own, seat.policy->name());
        if (!newest)
            return conclude({task.id, RunState::Failed, false, newest.error().text(), {}, {}});
        if (*newest && (*newest)->state == RunState::Finished) {
            ++before;
            return conclude({task.id, RunState::Finished, true, {}, {}, {}});
        }
        if (*newest && isUnfinished(project, **newest))
            resumed = (*newest)->id;
    }
    seat.task = std::move(task);
    seat.seen = {};
    seat.session = std::make_unique<Search>(project, *seat.place.crew, *seat.policy);
    Seat* const at = &seat;
    connect(seat.session.get(), &Search::log, this, [this, at](const QString& line) {
        emit q->log(QString::fromStdString(at->task.id.value) + QStringLiteral(": ") + line);
    });
    connect(seat.session.get(), &Search::progress, this, [this, at](const Progress& seen) {
        at->seen = seen;
        if (!progressTimer.isActive())
            progressTimer.start();
    });
    // Not from within the session's own signal, since it is taken apart then.
    connect(
        seat.session.get(), &Search::finished, this,
        [this, at](RunState state, const QString& message) { sessionEnded(*at, state, message.toStdString()); },
        Qt::QueuedConnection);
    if (resumed)
        seat.session->resume(*resumed);
    else
        seat.session->start(own);
}

void Campaign::Private::sessionEnded(Seat& seat, RunState state, const std::string& message)
{
    if (!seat.session)
        return;
    const Error why = seat.session->error();
    seat.session.reset();
    const bool placeLost = state == RunState::Failed &&
                           (why.code == ErrorCode::Unavailable || why.code == ErrorCode::ProcessFailed ||
                            why.code == ErrorCode::TimedOut);
    if (placeLost && !stopping) {
        seat.lost = true;
        lastError = why;
        emit q->log(QString::fromStdString(seat.task.id.value + ": " + seat.place.name + " is lost: " + why.text()));
        if (++losses[seat.task.id.value] < mostLosses) {
            waiting.push_front(std::move(seat.task));
            return fill();
        }
    }
    if (state == RunState::Stopped && stopping)
        return fill(); // it has no result
    conclude({seat.task.id, state, false, state == RunState::Failed ? why.text() : message, seat.seen.best,
              seat.seen.bestWall});
    fill();
}

void Campaign::Private::conclude(TaskResult result)
{
    results.push_back(std::move(result));
    emit q->taskEnded(results.back());
}

void Campaign::Private::end(RunState state)
{
    running = false;
    progressTimer.stop();
    seats.clear();
    emit q->finished(state);
}

void Campaign::Private::sendProgress()
{
    CampaignProgress out;
    out.done = int(results.size());
    out.planned = planned;
    double part = 0;
    for (const auto& seat : seats) {
        if (!seat->session)
            continue;
        part += std::clamp(seat->seen.fraction, 0.0, 1.0);
        out.text += (out.text.empty() ? "" : "; ") + seat->task.id.value + " on " + seat->place.name +
                    (seat->seen.text.empty() ? "" : ": " + seat->seen.text);
    }
    if (planned > 0)
        out.fraction = std::min(1.0, (out.done + part) / planned);
    // What was done before this campaign took no time of it.
    if (const double own = out.done - before + part; own > 0 && out.done > before)
        out.secondsLeft = double(clock.elapsed()) / 1000 / own * std::max(0.0, planned - out.done - part);
    emit q->progress(out);
}

// ---- the public face -----------------------------------------------------------------------------------------------

Campaign::Campaign(store::Project& project, PolicyFactory makePolicy, QObject* parent)
    : QObject(parent), d(std::make_unique<Private>(this, project, std::move(makePolicy)))
{
}

Campaign::~Campaign() = default;

void Campaign::start(const Options& options, std::vector<store::TaskRecord> tasks, const std::vector<Place>& places,
                     bool fresh)
{
    if (d->running)
        return;
    d->options = options;
    d->fresh = fresh;
    d->running = true;
    d->stopping = false;
    d->waiting.assign(std::make_move_iterator(tasks.begin()), std::make_move_iterator(tasks.end()));
    d->planned = int(d->waiting.size());
    d->before = 0;
    d->losses.clear();
    d->results.clear();
    d->lastError = {};
    d->seats.clear();
    for (const Place& place : places) {
        d->seats.push_back(std::make_unique<Private::Seat>());
        d->seats.back()->place = place;
    }
    d->clock.start();
    // From the event loop, so that a caller sees every signal after start() returned.
    QMetaObject::invokeMethod(
        d.get(), [this] { d->fill(); }, Qt::QueuedConnection);
}

void Campaign::stop()
{
    if (!d->running || d->stopping)
        return;
    d->stopping = true;
    for (const auto& seat : d->seats)
        if (seat->session)
            seat->session->stop();
    QMetaObject::invokeMethod(
        d.get(), [this] { d->fill(); }, Qt::QueuedConnection);
}

bool Campaign::isRunning() const
{
    return d->running;
}
const std::vector<TaskResult>& Campaign::results() const
{
    return d->results;
}
const base::Error& Campaign::error() const
{
    return d->lastError;
}

} // namespace cudal1::optimize
