// SPDX-License-Identifier: GPL-3.0-or-later
// Stored variants through the crew and back into the store: what is judged next, budget, resume.
#include "core/batch/batchrun.h"

#include "core/crew/pace.h"
#include "core/optimize/options.h"
#include "core/optimize/outcometext.h"
#include "core/optimize/owner.h"
#include "core/optimize/runtimers.h"
#include "core/optimize/searchround.h"
#include "core/optimize/timeahead.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

namespace cudal1::batch {

using base::Error;
using base::ErrorCode;
using store::RunState;

namespace {

std::string toJson(const BatchOptions& options)
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

class BatchRun::Private : public QObject {
public:
    struct Flight {
        store::QueueItem item;
        std::string task;
        std::string name; ///< "2/14, variant 7", or "2/14, cuda-graph" for a baseline
        std::uint64_t seed = 0;
    };

    Private(BatchRun* owner, store::Project& p, crew::Crew& all);

    base::Status prepare(const std::vector<base::VariantId>& variants, base::RunId resumed);
    void fill();
    base::Status send(const store::QueueItem& item);
    void take(crew::JobId job, const crew::JobOutcome& outcome);
    void store(const Flight& flight, const protocol::Evaluation& evaluation);
    void budgetIsUp();
    std::vector<crew::JobId> ownJobs() const;
    void settle();
    void fail(const Error& error);
    void end(RunState state, const std::string& message);
    void sendProgress();
    void say(const std::string& line) { emit q->log(QString::fromStdString(line)); }

    BatchRun* q;
    store::Project& project;
    crew::Crew& crew;

    bool running = false, stopping = false, overBudget = false;
    std::optional<Error> failure; ///< why the run ends as soon as nothing is on its way any more
    Error lastError;
    BatchOptions options;
    base::RunId run;
    std::deque<store::QueueItem> waiting;
    std::map<crew::JobId, Flight> flights; ///< in the order submitted
    std::optional<store::TaskRecord> task; ///< of the request sent last
    std::uint64_t seed = 0; ///< of that task: candidates with the same one share the evaluator's loaded reference
    std::vector<NotJudged> notJudged;
    int returned = 0; ///< cancelled on their way; they are still in the queue of the run
    protocol::Progress seen;
    crew::JobId seenOf = 0;
    crew::Pace pace; ///< counts evaluations
    base::Status writeOwnNotes() { return optimize::writeNotes(project, run, {optimize::ownProcess(), 0, 0, 0}); }

    optimize::RunTimers timers;
};

BatchRun::Private::Private(BatchRun* owner, store::Project& p, crew::Crew& all)
    : q(owner), project(p), crew(all),
      timers([this] { sendProgress(); }, [this] { return writeOwnNotes(); }, [this] { budgetIsUp(); })
{
    connect(&crew, &crew::Crew::progress, this, [this](quint64 job, const protocol::Progress& given) {
        if (!running || !flights.contains(job))
            return;
        seen = given;
        seenOf = job;
        timers.askProgress();
    });
    connect(&crew, &crew::Crew::log, this, [this](const QString& line) {
        if (running)
            emit q->log(line);
    });
    connect(&crew, &crew::Crew::broken, this, [this](const Error& error) {
        if (running)
            fail(error);
    });
    connect(&crew, &crew::Crew::done, this, [this](quint64 job, const crew::JobOutcome& outcome) {
        if (running && flights.contains(job))
            take(job, outcome);
    });
}

base::Status BatchRun::Private::prepare(const std::vector<base::VariantId>& variants, base::RunId resumed)
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
    if (const auto status = writeOwnNotes(); !status)
        return status.error();
    timers.beat();
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
    pace.plan(double(waiting.size()));
    return {};
}

void BatchRun::Private::fill()
{
    while (!stopping && !overBudget && !failure && !waiting.empty() && int(flights.size()) < crew.places()) {
        const store::QueueItem item = waiting.front();
        waiting.pop_front();
        if (const auto status = send(item); !status) {
            if (status.error().code != ErrorCode::InvalidArgument && status.error().code != ErrorCode::NotFound)
                return fail(status.error());
            notJudged.push_back({item.variant, status.error().text()});
        }
    }
    sendProgress();
    settle();
}

base::Status BatchRun::Private::send(const store::QueueItem& item)
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
        return Error{ErrorCode::InvalidArgument, "The task has changed since this variant was made for it",
                     task->id.value, "Import it again"};
    Flight flight;
    flight.item = item;
    flight.task = task->id.value;
    flight.name = flight.task + ", " +
                  (variant->baseline.empty() ? "variant " + std::to_string(item.variant.value) : variant->baseline);
    flight.seed = seed;
    protocol::EvaluateRequest request = optimize::evaluateRequest(*task, *variant, options.device.name,
                                                                  options.precision, options.preset, flight.seed);
    request.buildLimit_s = options.buildLimit_s;
    request.callLimit_s = options.callLimit_s;
    request.secondLook = variant->baseline.empty(); // a baseline is our own program: nobody gains by its numbers
    const crew::JobId job = crew.submit({std::move(request), flight.name, false, {}, false});
    flights.emplace(job, std::move(flight));
    return {};
}

void BatchRun::Private::take(crew::JobId job, const crew::JobOutcome& outcome)
{
    using Kind = crew::JobOutcome::Kind;
    const Flight flight = std::move(flights.extract(job).mapped());
    switch (outcome.kind) {
    case Kind::Answered: return store(flight, *outcome.evaluation());
    case Kind::Fatal: {
        optimize::SearchOptions asked;
        asked.task.id.value = flight.task;
        asked.precision = options.precision;
        asked.preset = options.preset;
        asked.seed = flight.seed;
        return store(flight, optimize::evaluatorFailedTwice(asked, options.device, outcome.seconds, outcome.error));
    }
    case Kind::Refused:
        notJudged.push_back({flight.item.variant, outcome.error.text()});
        say(flight.name + ": not judged: " + outcome.error.text());
        return fill();
    case Kind::Cancelled:
    case Kind::Lost: ++returned; return settle();
    }
}

void BatchRun::Private::store(const Flight& flight, const protocol::Evaluation& evaluation)
{
    const store::QueueItem& item = flight.item;
    const auto id = project.finish(item, evaluation);
    if (!id)
        return fail(id.error());
    pace.finish();
    say("[" + std::to_string(int(pace.done())) + "/" + std::to_string(int(pace.planned())) + "] " + flight.name + ": " +
        optimize::outcomeText(evaluation));
    emit q->evaluationStored(item.variant, *id);
    if (running)
        fill();
}

void BatchRun::Private::budgetIsUp()
{
    if (!running || overBudget)
        return;
    overBudget = true;
    crew.cancelWaiting(ownJobs());
    settle();
}

std::vector<crew::JobId> BatchRun::Private::ownJobs() const
{
    std::vector<crew::JobId> out;
    for (const auto& [id, flight] : flights)
        out.push_back(id);
    return out;
}

/// Ends the run when nothing is on its way and nothing more is to be sent.
void BatchRun::Private::settle()
{
    if (!running || !flights.empty())
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
    QMetaObject::invokeMethod(
        this,
        [this] {
            if (running && flights.empty())
                fill();
        },
        Qt::QueuedConnection);
}

void BatchRun::Private::fail(const Error& error)
{
    if (!failure)
        failure = error;
    crew.cancel(ownJobs());
    settle();
}

void BatchRun::Private::sendProgress()
{
    BatchProgress out;
    out.done = int(pace.done());
    out.planned = int(pace.planned());
    const auto front = flights.find(seenOf);
    pace.setPart(front != flights.end() ? std::clamp(seen.fraction, 0.0, 1.0) : 0);
    out.fraction = pace.fraction();
    out.secondsLeft = pace.left_s();
    out.guessed = pace.isGuess();
    if (out.secondsLeft >= 0 && options.budget_s > 0)
        out.secondsLeft = std::min(out.secondsLeft, std::max(0.0, options.budget_s - pace.spent_s()));
    if (front != flights.end()) {
        out.text = optimize::phaseText(seen.phase) + " " + front->second.task +
                   (seen.text.empty() ? "" : ": " + seen.text);
    } else if (!flights.empty()) {
        out.text = "waiting for " + flights.begin()->second.task;
    }
    emit q->progress(out);
}

void BatchRun::Private::end(RunState state, const std::string& message)
{
    timers.stop();
    running = false;
    if (run) {
        (void)optimize::writeNotes(project, run, {}); // no owner: nobody runs it now
        if (const auto status = project.setRunState(run, state, message); !status)
            say("The state of the run could not be stored: " + status.error().text());
    }
    emit q->finished(state, QString::fromStdString(message));
}

// ---- the public face -----------------------------------------------------------------------------------------------

BatchRun::BatchRun(store::Project& project, crew::Crew& crew, QObject* parent)
    : QObject(parent), d(std::make_unique<Private>(this, project, crew))
{
}

BatchRun::~BatchRun()
{
    if (!isRunning())
        return;
    blockSignals(true);
    d->crew.cancel(d->ownJobs());
    d->end(RunState::Stopped, "Stopped");
}

base::Result<std::optional<store::RunRecord>> BatchRun::unfinished(const store::Project& project,
                                                                   const BatchOptions& options)
{
    const auto runs = project.runs();
    if (!runs)
        return runs.error();
    for (const store::RunRecord& run : *runs) {
        if (run.kind != options.kind || run.parameters != toJson(options))
            continue;
        if (run.state == RunState::Failed || optimize::isUnfinished(project, run))
            return std::optional(run);
        if (run.state == RunState::Finished)
            break; // what is older than a finished one was done again by it
    }
    return std::optional<store::RunRecord>();
}

void BatchRun::start(const BatchOptions& options, const std::vector<base::VariantId>& variants, base::RunId resumed)
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
    d->task.reset();
    d->notJudged.clear();
    d->returned = 0;
    d->seenOf = 0;
    d->pace = {};
    d->pace.expect(optimize::expectedJudging_s(d->project, {}, options.device.name, options.preset));
    d->pace.go();
    if (const auto status = d->prepare(variants, resumed); !status)
        d->failure = status.error();
    if (options.budget_s > 0)
        d->timers.limit(options.budget_s);
    // From the event loop, so that a caller sees every signal after start() returned.
    QMetaObject::invokeMethod(
        d.get(),
        [this] {
            if (d->running)
                d->fill();
        },
        Qt::QueuedConnection);
}

void BatchRun::stop()
{
    if (!isRunning() || d->stopping)
        return;
    d->stopping = true;
    d->crew.cancel(d->ownJobs());
    QMetaObject::invokeMethod(
        d.get(), [this] { d->settle(); }, Qt::QueuedConnection);
}

bool BatchRun::isRunning() const
{
    return d->running;
}
base::RunId BatchRun::run() const
{
    return d->run;
}
const base::Error& BatchRun::error() const
{
    return d->lastError;
}
const std::vector<NotJudged>& BatchRun::notJudged() const
{
    return d->notJudged;
}

} // namespace cudal1::batch
