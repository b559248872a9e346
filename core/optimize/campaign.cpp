// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks onto places, one search after the other at each.
#include "core/optimize/campaign.h"

#include "core/crew/pace.h"
#include "core/crew/throttle.h"
#include "core/optimize/options.h"
#include "core/optimize/timeahead.h"

#include <QCryptographicHash>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>

namespace cudal1::optimize {

using base::Error;
using base::ErrorCode;
using store::RunState;

namespace {

/// A task at which so many places were lost is not given to another.
constexpr int mostLosses = 2;

using RunsOfTasks = std::map<std::string, std::vector<store::RunRecord>>; ///< of each task, newest first

RunsOfTasks runsOf(const store::Project& project)
{
    RunsOfTasks out;
    const auto all = project.runs();
    for (const store::RunRecord& run : all ? *all : std::vector<store::RunRecord>())
        out[run.task.value].push_back(run);
    return out;
}

SearchOptions optionsAt(const SearchPlace& place, const store::TaskRecord& task, const SearchOptions& options)
{
    SearchOptions own = options;
    own.task = task;
    own.evaluator = place.evaluator;
    own.device = place.device;
    return own;
}

/// The newest search for a task that was begun at one of the places.
struct Newest {
    std::optional<store::RunRecord> run;
    std::size_t place = 0;
};
Newest newestAt(const std::vector<SearchPlace>& places, const RunsOfTasks& runs, const store::TaskRecord& task,
                const SearchOptions& options, const std::string& policy)
{
    Newest out;
    const auto known = runs.find(task.id.value);
    for (std::size_t i = 0; known != runs.end() && i < places.size(); ++i) {
        auto run = newestOf(known->second, optionsAt(places[i], task, options), policy);
        if (run && (!out.run || out.run->id.value <= run->id.value))
            out = {std::move(run), i};
    }
    return out;
}

} // namespace

CampaignAhead campaignAhead(const store::Project& project, const SearchOptions& options, const std::string& policy,
                            const std::vector<store::TaskRecord>& tasks, const std::vector<SearchPlace>& places,
                            bool fresh)
{
    CampaignAhead out;
    const RunsOfTasks runs = fresh ? RunsOfTasks() : runsOf(project);
    EarlierSearches earlier(project);
    std::vector<double> free_s(places.size()); // when each place has nothing more to do
    for (const store::TaskRecord& task : tasks) {
        const Newest newest = newestAt(places, runs, task, options, policy);
        if (newest.run && newest.run->state == RunState::Finished) {
            ++out.over;
            continue;
        }
        const auto next = std::min_element(free_s.begin(), free_s.end());
        if (next == free_s.end())
            break;
        const SearchOptions own = optionsAt(places[std::size_t(next - free_s.begin())], task, options);
        const double search_s = earlier.ahead(own, policy).all_s(own.rounds);
        *next += own.budget_s > 0 ? std::min(search_s, own.budget_s) : search_s;
        out.seconds = std::max(out.seconds, *next);
    }
    return out;
}

std::string campaignKey(const SearchOptions& options, const std::string& policies,
                        const std::vector<store::TaskRecord>& tasks)
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    hash.addData(QByteArray::fromStdString(toJson(options, policies)));
    for (const store::TaskRecord& task : tasks)
        for (const std::string* part : {&task.id.value, &task.hash})
            hash.addData(QByteArray::fromStdString(*part).append('\n'));
    return "campaign/" + hash.result().toHex().toStdString();
}

class Campaign::Private : public QObject {
public:
    struct Seat {
        SearchPlace place;
        bool lost = false;
        std::unique_ptr<policy::Policy> policy;
        std::unique_ptr<Search> session; ///< null while it has nothing to do
        store::TaskRecord task;
        std::deque<store::TaskRecord> own; ///< tasks whose search was begun here earlier
        SearchProgress seen;
    };
    struct Earlier {
        bool over = false;     ///< a search came to its end
        Seat* place = nullptr; ///< where one was begun that is not over
        base::RunId run;
    };

    Private(Campaign* owner, store::Project& p, PolicyFactory make);

    void fill();
    void begin(Seat& seat, store::TaskRecord task);
    Earlier earlierOf(const store::TaskRecord& task);
    void sessionEnded(Seat& seat, RunState state, const std::string& message);
    void conclude(TaskResult result);
    void end(RunState state);
    void sendProgress();
    double secondsLeft() const;

    Campaign* q;
    store::Project& project;
    PolicyFactory makePolicy;
    std::string policyName;
    SearchOptions options;
    bool fresh = false, running = false, stopping = false;
    std::vector<std::unique_ptr<Seat>> seats;
    std::deque<store::TaskRecord> waiting;
    RunsOfTasks runs;                  ///< before the campaign
    std::map<std::string, int> losses; ///< places that were lost at a task
    std::vector<TaskResult> results;
    Error lastError;
    int planned = 0;
    crew::Pace pace; ///< counts tasks
    crew::Throttle progress;
};

Campaign::Private::Private(Campaign* owner, store::Project& p, PolicyFactory make)
    : q(owner), project(p), makePolicy(std::move(make)), progress([this] { sendProgress(); })
{
}

void Campaign::Private::fill()
{
    if (!running)
        return;
    const auto next = [this](Seat& seat) -> std::optional<store::TaskRecord> {
        std::deque<store::TaskRecord>& from = seat.own.empty() ? waiting : seat.own;
        if (stopping || seat.lost || seat.session || from.empty())
            return {};
        store::TaskRecord task = std::move(from.front());
        from.pop_front();
        return task;
    };
    for (bool begun = true; begun;) { // what came to its end before leaves its place free
        begun = false;
        for (const auto& seat : seats)
            while (auto task = next(*seat)) {
                begin(*seat, std::move(*task));
                begun = true;
            }
    }
    sendProgress();
    if (std::any_of(seats.begin(), seats.end(), [](const auto& seat) { return seat->session != nullptr; }))
        return;
    end(stopping ? RunState::Stopped : waiting.empty() ? RunState::Finished : RunState::Failed);
}

/// What is known of a search for a task: it came to its end at one of the places, or was begun at one that is left.
Campaign::Private::Earlier Campaign::Private::earlierOf(const store::TaskRecord& task)
{
    Earlier out;
    if (fresh)
        return out;
    std::vector<SearchPlace> places;
    for (const auto& seat : seats)
        places.push_back(seat->place);
    const Newest newest = newestAt(places, runs, task, options, policyName);
    if (!newest.run)
        return out;
    Seat* const seat = seats[newest.place].get();
    const bool unfinished = isUnfinished(project, *newest.run) && !seat->lost;
    return {newest.run->state == RunState::Finished, unfinished ? seat : nullptr, newest.run->id};
}

void Campaign::Private::begin(Seat& seat, store::TaskRecord task)
{
    const SearchOptions own = optionsAt(seat.place, task, options);
    const Earlier earlier = earlierOf(task);
    if (earlier.over) {
        return conclude({task.id, RunState::Finished, true, {}, {}, {}});
    }
    if (earlier.place && earlier.place != &seat)
        return earlier.place->own.push_back(std::move(task)); // it goes on where it was begun
    const bool resumed = earlier.place != nullptr;
    seat.policy = makePolicy();
    seat.task = std::move(task);
    seat.seen = {};
    seat.session = std::make_unique<Search>(project, *seat.place.crew, *seat.policy);
    Seat* const at = &seat;
    connect(seat.session.get(), &Search::log, this, [this, at](const QString& line) {
        emit q->log(QString::fromStdString(at->task.id.value) + QStringLiteral(": ") + line);
    });
    connect(seat.session.get(), &Search::partialReply, this,
            [this, at](const QString& text) { emit q->partialReply(at->task.id, text); });
    connect(seat.session.get(), &Search::progress, this, [this, at](const SearchProgress& seen) {
        at->seen = seen;
        progress.ask();
    });
    // Not from within the session's own signal, since it is taken apart then.
    connect(
        seat.session.get(), &Search::finished, this,
        [this, at](RunState state, const QString& message) { sessionEnded(*at, state, message.toStdString()); },
        Qt::QueuedConnection);
    if (resumed)
        seat.session->resume(earlier.run);
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
        std::move(seat.own.begin(), seat.own.end(), std::back_inserter(waiting));
        seat.own.clear();
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
    if (result.before)
        pace.pass();
    else
        pace.finish();
    results.push_back(std::move(result));
    emit q->taskEnded(results.back());
}

void Campaign::Private::end(RunState state)
{
    running = false;
    progress.stop();
    seats.clear();
    emit q->finished(state);
}

/// While no task has come to its end, by what the searches under way say of themselves.
double Campaign::Private::secondsLeft() const
{
    if (!pace.isGuess())
        return pace.left_s();
    std::vector<double> underWay;
    for (const auto& seat : seats)
        if (seat->session)
            underWay.push_back(seat->seen.secondsLeft);
    return secondsLeftOf(underWay, double(waiting.size()));
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
    pace.setPart(part);
    out.fraction = pace.fraction();
    out.secondsLeft = secondsLeft();
    out.guessed = pace.isGuess();
    emit q->progress(out); // NOLINT(readability-misleading-indentation): `emit` is empty once it is expanded
}

// ---- the public face -----------------------------------------------------------------------------------------------

Campaign::Campaign(store::Project& project, PolicyFactory makePolicy, QObject* parent)
    : QObject(parent), d(std::make_unique<Private>(this, project, std::move(makePolicy)))
{
}

Campaign::~Campaign() = default;

void Campaign::start(const SearchOptions& options, std::vector<store::TaskRecord> tasks,
                     const std::vector<SearchPlace>& places, bool fresh)
{
    if (d->running)
        return;
    d->options = options;
    d->fresh = fresh;
    d->running = true;
    d->stopping = false;
    d->waiting.assign(std::make_move_iterator(tasks.begin()), std::make_move_iterator(tasks.end()));
    d->planned = int(d->waiting.size());
    d->pace = {};
    d->pace.plan(d->planned);
    d->losses.clear();
    d->results.clear();
    d->lastError = {};
    d->seats.clear();
    for (const SearchPlace& place : places) {
        d->seats.push_back(std::make_unique<Private::Seat>());
        d->seats.back()->place = place;
    }
    d->policyName = d->makePolicy()->name();
    d->runs = runsOf(d->project);
    d->pace.go();
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

std::vector<base::RunId> Campaign::runs() const
{
    std::vector<base::RunId> out;
    for (const auto& seat : d->seats)
        if (seat->session && seat->session->run())
            out.push_back(seat->session->run());
    return out;
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
