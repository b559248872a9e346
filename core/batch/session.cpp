// SPDX-License-Identifier: GPL-3.0-or-later
// A queue over an evaluator: requests ahead, death of the evaluator, budget, cancel.
#include "core/batch/session.h"

#include "core/optimize/options.h"
#include "core/optimize/owner.h"
#include "core/optimize/round.h"
#include "core/optimize/text.h"

#include <QElapsedTimer>
#include <QTimer>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

namespace cudal1::batch {

using base::Error;
using base::ErrorCode;
using store::RunState;

namespace {

constexpr int progressInterval_ms = 50;
/// So many candidates in a row that end their evaluator are no candidates' fault: a driver died, a disk is full.
constexpr int mostFailuresInARow = 3;

std::string toJson(const Options& options)
{
    return nlohmann::json{{"device", options.device.name},
                          {"device_model", options.device.model},
                          {"precision", protocol::toString(options.precision)},
                          {"preset", protocol::toString(options.preset)},
                          {"seed", options.seed},
                          {"build_limit_s", options.buildLimit_s},
                          {"call_limit_s", options.callLimit_s},
                          {"selection", options.selection}}
        .dump();
}

} // namespace

class Session::Private : public QObject {
public:
    struct Flight {
        store::QueueItem item;
        std::string task;
        std::string name; ///< "2/14, variant 7", or "2/14, cuda-graph" for a baseline
        std::uint64_t seed = 0;
        QElapsedTimer clock;
    };

    Private(Session* owner, store::Project& p, farm::Evaluator& e);

    base::Status prepare(const std::vector<base::VariantId>& variants, base::RunId resumed);
    void fill();
    base::Status send(const store::QueueItem& item);
    void takeEvaluation(farm::RequestId id, const protocol::Evaluation& evaluation);
    void takeFailure(farm::RequestId id, const Error& error);
    void evaluatorStopped();
    void blame(const Flight& flight, const Error& error);
    void store(const Flight& flight, const protocol::Evaluation& evaluation);
    void budgetIsUp();
    void settle();
    void cancelAll();
    void fail(const Error& error);
    void end(RunState state, const std::string& message);
    void sendProgress();
    void say(const std::string& line) { emit q->log(QString::fromStdString(line)); }
    /// One at a time as long as one of those that were on their way at a death is not judged: then the blame is exact.
    int ahead() const { return suspects.empty() ? std::max(1, options.ahead) : 1; }

    Session* q;
    store::Project& project;
    farm::Evaluator& evaluator;

    bool running = false, stopping = false, overBudget = false;
    std::optional<Error> failure; ///< why the run ends as soon as nothing is on its way any more
    Error lastError;
    Options options;
    base::RunId run;
    std::deque<store::QueueItem> waiting;
    std::map<farm::RequestId, Flight> flights; ///< in the order sent
    std::vector<std::pair<Flight, Error>> lost; ///< by the evaluator's death, until `stopped` says that these are all
    std::set<base::VariantId> suspects;
    std::map<base::VariantId, int> deaths;
    std::optional<store::TaskRecord> task; ///< of the request sent last
    std::uint64_t seed = 0;                ///< of that task: candidates with the same one share the evaluator's loaded reference
    std::vector<NotJudged> notJudged;
    int failuresInARow = 0;
    int returned = 0; ///< cancelled on their way; they are still in the queue of the run
    int done = 0, planned = 0;
    protocol::Progress seen;
    farm::RequestId seenOf = 0;
    QElapsedTimer clock;
    QTimer progressTimer, budgetTimer;
};

Session::Private::Private(Session* owner, store::Project& p, farm::Evaluator& e) : q(owner), project(p), evaluator(e)
{
    progressTimer.setSingleShot(true);
    progressTimer.setInterval(progressInterval_ms);
    connect(&progressTimer, &QTimer::timeout, this, [this] { sendProgress(); });
    budgetTimer.setSingleShot(true);
    connect(&budgetTimer, &QTimer::timeout, this, [this] { budgetIsUp(); });
    connect(&evaluator, &farm::Evaluator::progress, this, [this](quint64 id, const protocol::Progress& given) {
        if (!running || !flights.contains(id))
            return;
        seen = given;
        seenOf = id;
        if (!progressTimer.isActive())
            progressTimer.start();
    });
    connect(&evaluator, &farm::Evaluator::evaluationReady, this,
            [this](quint64 id, const std::shared_ptr<const protocol::Evaluation>& evaluation) {
                if (running && flights.contains(id))
                    takeEvaluation(id, *evaluation);
            });
    connect(&evaluator, &farm::Evaluator::failed, this, [this](quint64 id, const Error& error) {
        if (running && flights.contains(id))
            takeFailure(id, error);
    });
    connect(&evaluator, &farm::Evaluator::stopped, this, [this] {
        if (running)
            evaluatorStopped();
    });
}

base::Status Session::Private::prepare(const std::vector<base::VariantId>& variants, base::RunId resumed)
{
    waiting.clear();
    if (resumed) {
        run = resumed;
        if (const auto status = project.setRunState(run, RunState::Running); !status)
            return status.error();
    } else {
        store::RunRecord record;
        record.kind = options.kind;
        record.parameters = toJson(options);
        const auto id = project.startRun(record);
        if (!id)
            return id.error();
        run = *id;
    }
    if (const auto status = optimize::writeNotes(project, run, {optimize::ownProcess(), 0, 0}); !status)
        return status.error();
    const auto left = project.queue(run);
    if (!left)
        return left.error();
    std::set<base::VariantId> queued;
    for (const store::QueueItem& item : *left)
        queued.insert(item.variant);
    for (const base::VariantId variant : variants)
        if (queued.insert(variant).second)
            if (const auto status = project.enqueue(run, variant, 0); !status)
                return status.error();
    const auto all = project.queue(run);
    if (!all)
        return all.error();
    waiting.assign(all->begin(), all->end());
    planned = int(waiting.size());
    return {};
}

void Session::Private::fill()
{
    while (!stopping && !overBudget && !failure && !waiting.empty() && int(flights.size()) < ahead()) {
        const store::QueueItem item = waiting.front();
        waiting.pop_front();
        if (const auto status = send(item); !status) {
            if (status.error().code != ErrorCode::InvalidArgument && status.error().code != ErrorCode::NotFound)
                return fail(status.error());
            suspects.erase(item.variant);
            notJudged.push_back({item.variant, status.error().text()});
        }
    }
    sendProgress();
    settle();
}

base::Status Session::Private::send(const store::QueueItem& item)
{
    const auto variant = project.variant(item.variant);
    if (!variant)
        return variant.error();
    if (!task || task->id != variant->task) {
        auto read = project.task(variant->task);
        if (!read)
            return read.error();
        task = std::move(*read);
        seed = options.seed ? options.seed : farm::freshSeed();
    }
    if (task->hash != variant->taskHash)
        return Error{ErrorCode::InvalidArgument, "The task has changed since this variant was made for it", task->id.value,
                     "Import it again"};
    Flight flight;
    flight.item = item;
    flight.task = task->id.value;
    flight.name = flight.task + ", " + (variant->baseline.empty() ? "variant " + std::to_string(item.variant.value) : variant->baseline);
    flight.seed = seed;
    flight.clock.start();
    protocol::EvaluateRequest request =
        optimize::evaluateRequest(*task, *variant, options.device.name, options.precision, options.preset, flight.seed);
    request.buildLimit_s = options.buildLimit_s;
    request.callLimit_s = options.callLimit_s;
    request.secondLook = variant->baseline.empty(); // a baseline is our own program: nobody gains by its numbers
    flights.emplace(evaluator.evaluate(request), std::move(flight));
    return {};
}

void Session::Private::takeEvaluation(farm::RequestId id, const protocol::Evaluation& evaluation)
{
    const Flight flight = std::move(flights.extract(id).mapped());
    if (evaluation.verdict == protocol::Verdict::Cancelled) {
        ++returned;
        return settle();
    }
    failuresInARow = 0;
    store(flight, evaluation);
}

void Session::Private::store(const Flight& flight, const protocol::Evaluation& evaluation)
{
    const store::QueueItem& item = flight.item;
    suspects.erase(item.variant);
    const auto id = project.finish(item, evaluation);
    if (!id)
        return fail(id.error());
    ++done;
    say("[" + std::to_string(done) + "/" + std::to_string(planned) + "] " + flight.name + ": " + optimize::outcomeText(evaluation));
    emit q->evaluationStored(item.variant, *id);
    if (running)
        fill();
}

void Session::Private::takeFailure(farm::RequestId id, const Error& error)
{
    const Flight flight = std::move(flights.extract(id).mapped());
    if (error.code == ErrorCode::Cancelled) {
        // Not asked for by us: the process was ended for another request's sake, and this one was not begun.
        if (stopping || overBudget || failure)
            ++returned;
        else
            waiting.push_front(flight.item);
        return settle();
    }
    if (!evaluator.isReady()) {
        lost.emplace_back(flight, error); // `stopped` follows when the others have failed too
        return;
    }
    switch (error.code) {
    case ErrorCode::ProcessFailed:
    case ErrorCode::TimedOut:
    case ErrorCode::Internal:
        return blame(flight, error);
    case ErrorCode::Unavailable:
        return fail(error); // the device is gone; asking for the next would be answered alike
    default:
        suspects.erase(flight.item.variant);
        notJudged.push_back({flight.item.variant, error.text()});
        say(flight.name + ": not judged: " + error.text());
        fill();
    }
}

void Session::Private::evaluatorStopped()
{
    std::vector<std::pair<Flight, Error>> gone = std::move(lost);
    lost.clear();
    if (gone.empty() || stopping || failure)
        return settle();
    const Error error = gone.front().second;
    if (error.code == ErrorCode::Unavailable)
        return fail(error);
    if (gone.size() == 1)
        return blame(gone.front().first, error);
    say("The evaluator failed with " + std::to_string(gone.size())
        + " candidates on their way; they are judged one at a time: " + error.message);
    for (auto it = gone.rbegin(); it != gone.rend(); ++it) {
        suspects.insert(it->first.item.variant);
        waiting.push_front(it->first.item);
    }
    fill();
}

/// The evaluator failed with this candidate alone.
void Session::Private::blame(const Flight& flight, const Error& error)
{
    const store::QueueItem& item = flight.item;
    if (++deaths[item.variant] == 1) {
        say("The evaluator failed while judging " + flight.name + "; once more: " + error.message);
        suspects.insert(item.variant);
        waiting.push_front(item);
        return fill();
    }
    if (++failuresInARow >= mostFailuresInARow)
        return fail({ErrorCode::ProcessFailed,
                     "The evaluator failed for " + std::to_string(mostFailuresInARow) + " candidates in a row", error.text(),
                     "`cudal1 doctor` shows whether the device still works; run the same command again to go on"});
    optimize::Options asked;
    asked.task.id.value = flight.task;
    asked.precision = options.precision;
    asked.preset = options.preset;
    asked.seed = flight.seed;
    store(flight, optimize::evaluatorFailedTwice(asked, options.device, double(flight.clock.elapsed()) / 1000, error));
}

void Session::Private::budgetIsUp()
{
    if (!running || overBudget)
        return;
    overBudget = true;
    // The oldest is the one in work. Youngest first, so that the evaluator does not begin one that is cancelled next.
    for (auto it = flights.rbegin(); it != flights.rend() && std::next(it) != flights.rend(); ++it)
        evaluator.cancel(it->first);
    settle();
}

void Session::Private::cancelAll()
{
    std::vector<farm::RequestId> ids;
    for (const auto& [id, flight] : flights)
        ids.push_back(id);
    for (auto it = ids.rbegin(); it != ids.rend(); ++it)
        evaluator.cancel(*it);
}

/// Ends the run when nothing is on its way and nothing more is to be sent.
void Session::Private::settle()
{
    if (!running || !flights.empty() || !lost.empty())
        return;
    if (failure) {
        lastError = *failure;
        return end(RunState::Failed, failure->text());
    }
    if (stopping)
        return end(RunState::Stopped, "Stopped");
    if (overBudget && (!waiting.empty() || returned > 0))
        return end(RunState::Stopped, "The time budget is used up");
    if (waiting.empty() && !notJudged.empty())
        return end(RunState::Stopped, std::to_string(notJudged.size()) + " could not be judged");
    if (waiting.empty() || overBudget)
        return end(RunState::Finished, {});
    QMetaObject::invokeMethod(this, [this] { if (running && flights.empty()) fill(); }, Qt::QueuedConnection);
}

void Session::Private::fail(const Error& error)
{
    if (!failure)
        failure = error;
    cancelAll();
    settle();
}

void Session::Private::sendProgress()
{
    Progress out;
    out.done = done;
    out.planned = planned;
    const auto front = flights.find(seenOf);
    const double part = front != flights.end() ? std::clamp(seen.fraction, 0.0, 1.0) : 0;
    if (planned > 0)
        out.fraction = std::min(1.0, (done + part) / planned);
    if (done > 0) {
        // Of the whole rather than of each, since building and judging overlap.
        const double spent = double(clock.elapsed()) / 1000;
        out.secondsLeft = spent / (done + part) * std::max(0.0, planned - done - part);
        if (options.budget_s > 0)
            out.secondsLeft = std::min(out.secondsLeft, std::max(0.0, options.budget_s - spent));
    }
    if (front != flights.end())
        out.text = optimize::phaseText(seen.phase) + " " + front->second.task + (seen.text.empty() ? "" : ": " + seen.text);
    else if (!flights.empty())
        out.text = "waiting for " + flights.begin()->second.task;
    emit q->progress(out);
}

void Session::Private::end(RunState state, const std::string& message)
{
    progressTimer.stop();
    budgetTimer.stop();
    running = false;
    if (run) {
        (void)optimize::writeNotes(project, run, {}); // no owner: nobody runs it now
        if (const auto status = project.setRunState(run, state, message); !status)
            say("The state of the run could not be stored: " + status.error().text());
    }
    emit q->finished(state, QString::fromStdString(message));
}

// ---- the public face -----------------------------------------------------------------------------------------------

Session::Session(store::Project& project, farm::Evaluator& evaluator, QObject* parent)
    : QObject(parent), d(std::make_unique<Private>(this, project, evaluator))
{
}

Session::~Session()
{
    if (!isRunning())
        return;
    blockSignals(true);
    d->cancelAll();
    d->end(RunState::Stopped, "Stopped");
}

base::Result<std::optional<store::RunRecord>> Session::unfinished(const store::Project& project, const Options& options)
{
    const auto runs = project.runs();
    if (!runs)
        return runs.error();
    for (const store::RunRecord& run : *runs) {
        if (run.kind != options.kind || run.parameters != toJson(options))
            continue;
        const bool gone = run.state == RunState::Running && !optimize::isAlive(optimize::readNotes(project, run.id).owner);
        if (run.state == RunState::Stopped || run.state == RunState::Failed || gone)
            return std::optional(run);
        if (run.state == RunState::Finished)
            break; // what is older than a finished one was done again by it
    }
    return std::optional<store::RunRecord>();
}

void Session::start(const Options& options, const std::vector<base::VariantId>& variants, base::RunId resumed)
{
    if (isRunning())
        return;
    d->options = options;
    d->running = true;
    d->stopping = d->overBudget = false;
    d->failure.reset();
    d->lastError = {};
    d->run = {};
    d->flights.clear();
    d->lost.clear();
    d->suspects.clear();
    d->deaths.clear();
    d->task.reset();
    d->notJudged.clear();
    d->failuresInARow = d->returned = d->done = d->planned = 0;
    d->seenOf = 0;
    d->clock.start();
    if (const auto status = d->prepare(variants, resumed); !status)
        d->failure = status.error();
    if (options.budget_s > 0)
        d->budgetTimer.start(int(std::min(options.budget_s * 1000, 2e9)));
    // From the event loop, so that a caller sees every signal after start() returned.
    QMetaObject::invokeMethod(d.get(), [this] { if (d->running) d->fill(); }, Qt::QueuedConnection);
}

void Session::stop()
{
    if (!isRunning() || d->stopping)
        return;
    d->stopping = true;
    d->cancelAll();
    QMetaObject::invokeMethod(d.get(), [this] { d->settle(); }, Qt::QueuedConnection);
}

bool Session::isRunning() const { return d->running; }
base::RunId Session::run() const { return d->run; }
const base::Error& Session::error() const { return d->lastError; }
const std::vector<NotJudged>& Session::notJudged() const { return d->notJudged; }

} // namespace cudal1::batch
