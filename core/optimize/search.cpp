// SPDX-License-Identifier: GPL-3.0-or-later
// The optimise loop as a state machine over what becomes of its requests.
#include "core/optimize/searchprivate.h"

#include "core/base/timetext.h"
#include "core/optimize/graphcache.h"
#include "core/optimize/outcometext.h"
#include "core/optimize/taskprompt.h"
#include "core/store/graphkey.h"

#include <algorithm>

namespace cudal1::optimize {

using base::ErrorCode;

namespace {

constexpr int progressInterval_ms = 50;

} // namespace

Search::Private::Private(Search* owner, store::Project& p, crew::Crew& all, policy::Policy& which)
    : q(owner), project(p), crew(all), policy(which), bench(p, all)
{
    progressTimer.setSingleShot(true);
    progressTimer.setInterval(progressInterval_ms);
    connect(&progressTimer, &QTimer::timeout, this, [this] { sendProgress(); });
    connect(&heartbeat, &QTimer::timeout, this,
            [this] { (void)writeOwnNotes(); }); // the next one may find the project free
    budgetTimer.setSingleShot(true);
    connect(&budgetTimer, &QTimer::timeout, this, [this] { budgetIsUp(); });
    connect(&crew, &crew::Crew::log, this, [this](const QString& line) {
        if (phase != Phase::Idle)
            emit q->log(line);
    });
    connect(&crew, &crew::Crew::broken, this, [this](const Error& error) {
        if (waits() && !stopping)
            fail(error);
    });
    connect(&crew, &crew::Crew::progress, this, [this](quint64 id, const protocol::Progress& given) {
        if (waits() && id == job)
            report(given);
    });
    connect(&crew, &crew::Crew::done, this, [this](quint64 id, const crew::Outcome& outcome) {
        const auto submitted = [id](const auto& one) { return one.second == id; };
        if (waits() && id == job)
            takeOutcome(outcome);
        else if (std::any_of(jobs.begin(), jobs.end(), submitted))
            early.emplace(id, outcome);
    });
}

void Search::Private::begin(bool resumed)
{
    phase = Phase::Between;
    stopping = false;
    lastError = {};
    done = planned = 0;
    seconds = 0;
    seen = {};
    jobs.clear();
    early.clear();
    job = 0;
    claims = {};
    queue.clear();
    graph.reset();
    clock.start();
    const RunNotes notes = resumed ? readNotes(project, run) : RunNotes();
    nextRound = notes.nextRound;
    nextTurn = notes.nextTurn;
    background = {};
    spentBefore_s = notes.spent_s;
    if (resumed) {
        const auto left = project.queue(run);
        if (!left)
            return failLater(left.error());
        queue.assign(left->begin(), left->end());
        planned = int(queue.size());
    }
    if (const auto status = writeOwnNotes(); !status)
        return failLater(status.error());
    heartbeat.start(heartbeatEvery_s * 1000);
    later(&Private::describe);
}

std::vector<crew::JobId> Search::Private::ownJobs() const
{
    std::vector<crew::JobId> out;
    for (const auto& [variant, id] : jobs)
        out.push_back(id);
    if (job)
        out.push_back(job);
    return out;
}

/// Steps go through the event loop, so that Stop is heard between them and signals never nest.
void Search::Private::later(void (Private::*step)())
{
    QMetaObject::invokeMethod(
        this,
        [this, step, wanted = generation] {
            if (wanted != generation || phase == Phase::Idle)
                return;
            if (stopping)
                end(RunState::Stopped, "Stopped");
            else
                (this->*step)();
        },
        Qt::QueuedConnection);
}

void Search::Private::describe()
{
    phase = Phase::Describe;
    job = crew.submitFirst(crew::describing());
}

void Search::Private::takeMachine(const protocol::Machine& given)
{
    machine = given;
    const auto it = std::find_if(machine.devices.begin(), machine.devices.end(),
                                 [this](const protocol::DeviceInfo& one) { return one.name == options.device; });
    if (it == machine.devices.end())
        return fail({ErrorCode::Unavailable,
                     "The evaluator's machine has no device " + options.device,
                     {},
                     "`cudal1 doctor` lists what it has"});
    device = *it;
    auto known = JudgedList::load(project, options.task, device.model, options.precision,
                                  options.alone ? run : base::RunId());
    if (!known)
        return fail(known.error());
    judged = std::move(*known);
    later(&Private::askGraph);
}

std::string Search::Private::graphKey() const
{
    return store::graphKey(machine.environment, options.task.hash, device.model, options.precision);
}

void Search::Private::askGraph()
{
    auto cached = cachedGraph(project, graphKey());
    if (!cached)
        say(cached.error().message);
    else if (*cached)
        return takeGraph(std::move(*cached), false);
    phase = Phase::Graph;
    say("Tracing the reference on " + device.model);
    job = crew.submit(
        {protocol::GraphRequest{
             {options.task.id.value, options.task.source}, options.device, options.precision, options.seed},
         "the graph of " + options.task.id.value,
         false,
         {},
         true});
}

void Search::Private::takeGraph(std::shared_ptr<const protocol::OperatorGraph> given, bool store)
{
    phase = Phase::Between;
    graph = std::move(given);
    if (store)
        if (const auto status = keepGraph(project, {graphKey(), options.task.hash, device.model, options.precision},
                                          *graph);
            !status)
            say("The operator graph could not be kept: " + status.error().text());
    say("Reference: " + std::to_string(graph->nodes.size()) + (graph->truncated ? "+" : "") +
        (graph->nodes.size() == 1 ? " operator, " : " operators, ") + base::timeText(graph->total_ns) + " a call");
    later(&Private::next);
}

void Search::Private::next()
{
    phase = Phase::Between;
    sendProgress();
    if (overBudget())
        return end(RunState::Finished, "The time budget is used up");
    if (!queue.empty())
        return evaluateFront();
    if (nextRound >= options.rounds)
        return conclude({});
    ask();
}

void Search::Private::ask()
{
    phase = Phase::Ask;
    if (options.alone) { // also what another run has judged before it was proposed here
        auto own = JudgedList::load(project, options.task, device.model, options.precision, run);
        if (!own)
            return fail(own.error());
        judged = std::move(*own);
    }
    prompt = taskPrompt(options, machine, device, *graph, judged);
    prompt.round = nextRound;
    prompt.turn = nextTurn;
    if (policy.furtherTurns() > 0) {
        auto answers = pastAnswers(project, run, nextRound, device.model, options.precision);
        if (!answers)
            return fail(answers.error());
        prompt.answers = std::move(*answers);
    }
    if (policy.readsBackground())
        background.fill(prompt, project, options.task, judged.best() ? judged.best()->variant : base::VariantId());
    if (options.budget_s > 0)
        budgetTimer.start(int(std::min(std::max(0.0, options.budget_s - spent_s()) * 1000, 2e9)));
    sendProgress();
    // Replies may come from within the question, and late ones may be on their way through the event loop.
    policy::Listener listener;
    listener.partial = [this](const std::string& text) { emit q->partialReply(QString::fromStdString(text)); };
    listener.waiting = [this](const std::string& text) {
        if (!text.empty())
            say(text);
    };
    listener.replied = [this, wanted = generation](base::Result<policy::Reply> reply) {
        QMetaObject::invokeMethod(
            this,
            [this, wanted, reply = std::move(reply)]() mutable {
                if (wanted == generation && phase == Phase::Ask)
                    takeReply(std::move(reply));
            },
            Qt::QueuedConnection);
    };
    bench.setTask(options.task, options.device, options.precision);
    listener.bench = &bench;
    question = policy.ask(prompt, std::move(listener));
}

void Search::Private::takeReply(base::Result<policy::Reply> reply)
{
    phase = Phase::Between;
    question.reset();
    budgetTimer.stop();
    if (stopping)
        return end(RunState::Stopped, "Stopped");
    if (!reply && reply.error().code == ErrorCode::LimitReached) { // with a higher limit the run can go on
        lastError = reply.error();
        return end(RunState::Stopped, reply.error().text());
    }
    if (!reply)
        return fail(reply.error());
    const auto round = storeRound(project, policy.name(), std::move(*reply), prompt, options, run);
    if (!round)
        return fail(round.error());
    if (!round->declined.empty())
        emit q->declined(round->declined);
    for (const std::string& line : round->troubles)
        say(line);
    if (round->exhausted && prompt.turn == 0 && prompt.answers.empty())
        return conclude(prompt.exemplars.empty() ? "No technique applies to this task" : "Nothing is left to try");
    turnIsOver(*round);
}

/// The round goes on with its next turn, unless the policy had nothing to say, or wants no more of them.
void Search::Private::turnIsOver(const Round& round)
{
    for (const std::string& line : round.notQueued)
        say(line);
    queue.insert(queue.end(), round.items.begin(), round.items.end());
    planned += int(round.items.size());
    const bool more = prompt.turn < policy.furtherTurns() && (prompt.turn == 0 || !round.exhausted);
    const std::string name = "Round " + std::to_string(nextRound + 1) + " of " + std::to_string(options.rounds) +
                             (prompt.turn > 0 ? ", turn " + std::to_string(prompt.turn + 1) : std::string());
    nextTurn = more ? prompt.turn + 1 : 0;
    nextRound += !more;
    if (const auto status = writeOwnNotes(); !status)
        return fail(status.error());
    if (prompt.turn == 0 || !round.exhausted)
        say(name + ": " +
            (round.items.empty() ? "nothing new to judge"
                                 : std::to_string(round.items.size()) +
                                       (round.items.size() == 1 ? " variant to judge" : " variants to judge")));
    for (const store::QueueItem& item : round.items)
        emit q->variantProposed(item.variant);
    later(&Private::next);
}

std::string Search::Private::policyOf(base::RunId wanted) const
{
    const auto runs = project.runs();
    for (const store::RunRecord& one : runs ? *runs : std::vector<store::RunRecord>())
        if (one.id == wanted)
            return optimize::policyOf(one.parameters);
    return {};
}

void Search::Private::budgetIsUp()
{
    if (phase == Phase::Ask)
        end(RunState::Finished, "The time budget is used up");
}

void Search::Private::conclude(const std::string& message)
{
    const Judged* claim = claims.open(judged);
    if (!claim)
        return end(RunState::Finished, message);
    say("Measuring the best once more, in new processes: " +
        techniquesText(claim->exemplar.techniques, claim->exemplar.origin));
    claims.again(claim->variant);
    const auto item = enqueueAgain(project, run, claim->variant, nextRound);
    if (!item)
        return fail(item.error());
    queue.push_back(*item);
    ++planned;
    later(&Private::next);
}

void Search::Private::report(const protocol::Progress& given)
{
    seen = given;
    if (!progressTimer.isActive())
        progressTimer.start();
}

void Search::Private::sendProgress()
{
    Progress out;
    out.round = nextRound;
    out.rounds = options.rounds;
    out.done = done;
    out.planned = planned;
    const double part = phase == Phase::Evaluate ? std::clamp(seen.fraction, 0.0, 1.0) : 0;
    if (planned > 0)
        out.fraction = (done + part) / planned;
    if (done > 0) {
        const double each = seconds / done;
        const double running = phase == Phase::Evaluate ? std::min(each, double(evaluationClock.elapsed()) / 1000) : 0;
        out.secondsLeft = std::max(0.0, each * (planned - done) - running);
        if (options.budget_s > 0)
            out.secondsLeft = std::min(out.secondsLeft, std::max(0.0, options.budget_s - spent_s()));
    }
    if (const Judged* best = judged.best()) {
        out.best = best->variant;
        out.bestWall = best->exemplar.wall;
    }
    if (phase == Phase::Graph || phase == Phase::Describe)
        out.text = "reading the reference";
    else if (phase == Phase::Ask)
        out.text = "asking the policy, " + policy.name();
    else if (phase == Phase::Evaluate)
        out.text = phaseText(seen.phase) + " " + techniquesText(current.techniques, current.origin) +
                   (seen.text.empty() ? "" : ": " + seen.text);
    emit q->progress(out);
}

void Search::Private::fail(const Error& error)
{
    lastError = error;
    end(RunState::Failed, error.text());
}

/// For what goes wrong before the caller of start or resume can expect a signal.
void Search::Private::failLater(const Error& error)
{
    phase = Phase::Between;
    QMetaObject::invokeMethod(
        this, [this, error] { fail(error); }, Qt::QueuedConnection);
}

void Search::Private::end(RunState state, const std::string& message)
{
    progressTimer.stop();
    budgetTimer.stop();
    heartbeat.stop();
    question.reset();
    policy.released();
    const double total_s = spent_s();
    const std::vector<crew::JobId> left = ownJobs();
    phase = Phase::Idle;
    jobs.clear();
    early.clear();
    job = 0;
    crew.cancel(left);
    ++generation;
    if (run) {
        (void)writeNotes(project, run, {{}, nextRound, total_s, 0, nextTurn}); // no owner: nobody runs it now
        if (const auto status = project.setRunState(run, state, message); !status)
            say("The state of the run could not be stored: " + status.error().text());
    }
    stopping = false;
    emit q->finished(state, QString::fromStdString(message));
}

// ---- the public face -----------------------------------------------------------------------------------------------

Search::Search(store::Project& project, crew::Crew& crew, policy::Policy& policy, QObject* parent)
    : QObject(parent), d(std::make_unique<Private>(this, project, crew, policy))
{
}

Search::~Search()
{
    if (!isRunning())
        return;
    blockSignals(true);
    d->end(RunState::Stopped, "Stopped");
}

void Search::start(const Options& options)
{
    if (isRunning())
        return;
    d->options = options;
    d->options.device = deviceName(options.device);
    if (d->options.seed == 0)
        d->options.seed = farm::freshSeed();
    ++d->generation;
    d->run = {};
    if (const auto status = d->project.putTask(d->options.task); !status)
        return d->failLater(status.error());
    store::RunRecord record;
    record.kind = runKind;
    record.task = d->options.task.id;
    record.parameters = toJson(d->options, d->policy.name());
    const auto id = d->project.startRun(record);
    if (!id)
        return d->failLater(id.error());
    d->run = *id;
    d->begin(false);
}

void Search::resume(base::RunId run)
{
    if (isRunning())
        return;
    ++d->generation;
    d->run = {};
    auto options = optionsOfRun(d->project, run);
    if (!options)
        return d->failLater(options.error());
    if (const std::string began = d->policyOf(run); !options->method.empty() && began != d->policy.name())
        return d->failLater({ErrorCode::InvalidArgument, "This run was begun with the policy " + began,
                             "run " + std::to_string(run.value), "Go on with that policy, or start a new run"});
    d->options = std::move(*options);
    d->run = run;
    if (const auto status = d->project.setRunState(run, RunState::Running); !status)
        return d->failLater(status.error());
    d->begin(true);
}

void Search::stop()
{
    if (!isRunning() || d->stopping)
        return;
    d->stopping = true;
    d->crew.cancel(d->ownJobs()); // what is in its turn ends the run when it is over
    d->question.reset();
    if (d->phase == Private::Phase::Between || d->phase == Private::Phase::Ask)
        d->later(&Private::next); // ends there, before the step
}

bool Search::isRunning() const
{
    return d->phase != Private::Phase::Idle;
}
base::RunId Search::run() const
{
    return d->run;
}
const Options& Search::options() const
{
    return d->options;
}
const base::Error& Search::error() const
{
    return d->lastError;
}

} // namespace cudal1::optimize
