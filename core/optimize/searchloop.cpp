// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of an optimise loop.
#include "core/optimize/searchloop.h"

#include "core/base/timetext.h"
#include "core/optimize/graphcache.h"
#include "core/optimize/handedover.h"
#include "core/optimize/outcometext.h"
#include "core/optimize/pastanswers.h"
#include "core/optimize/taskprompt.h"
#include "core/store/graphkey.h"

#include <algorithm>

namespace cudal1::optimize {

using base::ErrorCode;

SearchLoop::SearchLoop(Search* owner, store::Project& p, crew::Crew& all, policy::Policy& which)
    : q(owner), project(p), crew(all), policy(which), arrivals(p), bench(p, all), queue(p, all),
      timers([this] { sendProgress(); }, [this] { return writeOwnNotes(); }, [this] { budgetIsUp(); })
{
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
    connect(&crew, &crew::Crew::done, this, [this](quint64 id, const crew::JobOutcome& outcome) {
        if (waits() && id == job)
            takeOutcome(outcome);
        else
            queue.keepEarly(id, outcome);
    });
}

void SearchLoop::begin(const std::optional<RunNotes>& resumed)
{
    phase = Phase::Between;
    stopping = false;
    lastError = {};
    pace = {};
    job = 0;
    claims = {};
    queue.clear();
    graph.reset();
    ahead = timeAhead(project, options, policy.name());
    pace.expect(ahead.judging_s);
    clock.start();
    const RunNotes notes = resumed.value_or(RunNotes());
    nextRound = notes.nextRound;
    nextTurn = notes.nextTurn;
    background = {};
    spentBefore_s = notes.spent_s;
    if (resumed) {
        const auto left = project.queue(run);
        if (!left)
            return failLater(left.error());
        queue.append(*left);
        pace.plan(double(left->size()));
    }
    if (const auto status = writeOwnNotes(); !status)
        return failLater(status.error());
    timers.beat();
    later(&SearchLoop::describe);
}

std::vector<crew::JobId> SearchLoop::ownJobs() const
{
    std::vector<crew::JobId> out = queue.waiting();
    if (job)
        out.push_back(job);
    return out;
}

/// Steps go through the event loop, so that Stop is heard between them and signals never nest.
void SearchLoop::later(void (SearchLoop::*step)())
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

void SearchLoop::describe()
{
    phase = Phase::Describe;
    clock.wait(true); // for an evaluator, and maybe for its machine
    sendProgress();
    job = crew.submitFirst(crew::describing());
}

void SearchLoop::takeMachine(const protocol::Machine& given)
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
    graph = std::make_shared<protocol::OperatorGraph>();
    later(policy.readsGraph() ? &SearchLoop::askGraph : &SearchLoop::next);
}

std::string SearchLoop::graphKey() const
{
    return store::graphKey(machine.environment, options.task.hash, device.model, options.precision);
}

void SearchLoop::askGraph()
{
    auto cached = cachedGraph(project, graphKey());
    if (!cached)
        say(cached.error().message);
    else if (*cached)
        return takeGraph(std::move(*cached), false);
    phase = Phase::Graph;
    clock.wait(true); // the budget is for what is proposed
    say("Tracing the reference on " + device.model);
    job = crew.submit(
        {protocol::GraphRequest{
             {options.task.id.value, options.task.source}, options.device, options.precision, options.seed},
         "the graph of " + options.task.id.value,
         false,
         {},
         true});
}

void SearchLoop::takeGraph(std::shared_ptr<const protocol::OperatorGraph> given, bool store)
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
    later(&SearchLoop::next);
}

void SearchLoop::next()
{
    phase = Phase::Between;
    sendProgress();
    if (overBudget())
        return endOfBudget();
    if (!queue.isEmpty())
        return evaluate();
    if (nextRound >= options.rounds)
        return conclude({});
    ask();
}

void SearchLoop::ask()
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
    auto arrived = arrivals.begin(run, nextRound, nextTurn);
    if (!arrived)
        return fail(arrived.error());
    prompt.arrived = std::move(*arrived);
    if (options.budget_s > 0)
        timers.limit(options.budget_s - spent_s());
    sendProgress();
    // Replies may come from within the question, and late ones may be on their way through the event loop.
    policy::Listener listener;
    listener.partial = [this](const std::string& text) { emit q->partialReply(QString::fromStdString(text)); };
    listener.waiting = [this](const std::string& text) {
        if (!text.empty())
            say(text);
    };
    listener.arrived = [this](const std::string& text) { // at once: a kill may come before the next event
        if (const auto status = arrivals.keep(text); !status)
            say("A reply could not be kept before the others came: " + status.error().text());
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

void SearchLoop::takeReply(base::Result<policy::Reply> reply)
{
    phase = Phase::Between;
    question.reset();
    timers.unlimit();
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
    if (const auto status = arrivals.clear(); !status)
        return fail(status.error());
    if (!round->declined.empty())
        emit q->declined(round->declined);
    for (const std::string& line : round->troubles)
        say(line);
    if (round->exhausted && prompt.turn == 0 && prompt.answers.empty())
        return conclude(prompt.exemplars.empty() ? "No technique applies to this task" : "Nothing is left to try");
    turnIsOver(*round);
}

/// The round goes on with its next turn, unless the policy had nothing to say, or wants no more of them.
void SearchLoop::turnIsOver(const SearchRound& round)
{
    for (const std::string& line : round.notQueued)
        say(line);
    queue.append(round.items);
    pace.plan(double(round.items.size()));
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
    later(&SearchLoop::next);
}

crew::CrewJob SearchLoop::jobOf(const store::VariantRecord& variant) const
{
    const bool again = claims.isAgain(variant.id);
    // `quick` is for the search: what claims to be best rests on evidence alone.
    const protocol::Preset preset = again && options.preset == protocol::Preset::Quick ? protocol::Preset::Standard
                                                                                       : options.preset;
    protocol::EvaluateRequest request = evaluateRequest(options.task, variant, options.device, options.precision,
                                                        preset, again ? farm::freshSeed() : options.seed);
    // A second look loads the reference twice, and what claims to be best gets one when it is measured once more.
    request.onlyDoubts = preset == protocol::Preset::Quick;
    crew::CrewJob out;
    out.request = std::move(request);
    out.name = techniquesText(variant.techniques, variant.origin);
    out.shared = true;
    return out;
}

void SearchLoop::evaluate()
{
    auto turn = queue.beginTurn([this](const store::VariantRecord& variant) { return jobOf(variant); });
    if (!turn)
        return fail(turn.error());
    current = std::move(turn->variant);
    job = turn->job;
    phase = Phase::Evaluate;
    seen = {};
    pace.go();
    if (turn->outcome)
        takeOutcome(*turn->outcome);
}

void SearchLoop::takeOutcome(const crew::JobOutcome& outcome)
{
    using Kind = crew::JobOutcome::Kind;
    job = 0;
    clock.wait(false);
    const bool answered = outcome.kind == Kind::Answered;
    if (phase == Phase::Evaluate && answered)
        return storeEvaluation(*outcome.evaluation()); // also when Stop came just before it
    if (stopping || outcome.kind == Kind::Cancelled)
        return end(RunState::Stopped, "Stopped");
    if (phase == Phase::Evaluate && outcome.kind == Kind::Fatal)
        return storeEvaluation(evaluatorFailedTwice(options, device, outcome.seconds, outcome.error));
    if (!answered)
        return fail(outcome.error); // asked again, it would be answered alike
    if (phase == Phase::Describe)
        takeMachine(std::get<protocol::Machine>(outcome.answer));
    else
        takeGraph(std::get<std::shared_ptr<const protocol::OperatorGraph>>(outcome.answer), true);
}

void SearchLoop::storeEvaluation(const protocol::Evaluation& evaluation)
{
    const auto id = project.finish(queue.front(), evaluation);
    if (!id)
        return fail(id.error());
    queue.pop();
    if (const auto status = storeRewards(project, run, current.id, device.model, options.precision); !status)
        return fail(status.error());
    const auto samples = project.samples(current.id);
    if (!samples)
        return fail(samples.error());
    seen = {};
    pace.pause(evaluation.seconds.total);
    pace.setPart(0);
    pace.finish();
    phase = Phase::Between;
    judged.add(current, evaluation, samples->empty() ? std::vector<base::VariantId>() : samples->front().shown);
    claims.judged(current.id);
    policy.told(current.source, evaluation);

    say("[" + std::to_string(int(pace.done())) + "/" + std::to_string(int(pace.planned())) + "] " +
        techniquesText(current.techniques, current.origin) + ": " + outcomeText(evaluation));
    emit q->evaluationStored(current.id, *id);

    if (evaluation.verdict == protocol::Verdict::ReferenceFailed) {
        const std::string why = evaluation.reasons.empty() ? std::string() : evaluation.reasons.front().text;
        return fail({ErrorCode::InvalidArgument, "The reference itself cannot be judged: " + why, options.task.id.value,
                     "Correct the task, or choose another device"});
    }
    if (const auto status = writeOwnNotes(); !status)
        return fail(status.error());
    if (stopping)
        return end(RunState::Stopped, "Stopped");
    later(&SearchLoop::next);
}

std::string SearchLoop::policyOf(base::RunId wanted) const
{
    const auto runs = project.runs();
    for (const store::RunRecord& one : runs ? *runs : std::vector<store::RunRecord>())
        if (one.id == wanted)
            return optimize::policyOf(one.parameters);
    return {};
}

void SearchLoop::budgetIsUp()
{
    if (phase == Phase::Ask)
        endOfBudget();
}

void SearchLoop::endOfBudget()
{
    const auto judgedEarlier = [this] { // in this run, by an earlier start
        const auto before = JudgedList::load(project, options.task, device.model, options.precision, run);
        return before && !before->items().empty();
    };
    if (pace.done() > 0 || (spentBefore_s > 0 && judgedEarlier()))
        return end(RunState::Finished, "The time budget is used up");
    fail({ErrorCode::LimitReached,
          "The time budget of " + base::durationText(options.budget_s) + " was used up before anything was judged",
          options.task.id.value, "Give it more time: --budget, or Time budget in the window"});
}

void SearchLoop::conclude(const std::string& message)
{
    const JudgedVariant* claim = claims.open(judged);
    if (!claim || claim->exemplar.wall.estimate <= options.confirmsAbove) {
        const JudgedVariant* best = judged.best();
        const base::Interval wall = best ? best->exemplar.wall : base::Interval();
        if (referenceIsBest(wall))
            say(referenceIsBestText(best ? best->variant : base::VariantId(), wall));
        return end(RunState::Finished, message);
    }
    say("Measuring the best once more, in new processes: " +
        techniquesText(claim->exemplar.techniques, claim->exemplar.origin));
    claims.again(claim->variant);
    const auto item = enqueueAgain(project, run, claim->variant, nextRound);
    if (!item)
        return fail(item.error());
    queue.append({*item});
    pace.plan(1);
    later(&SearchLoop::next);
}

void SearchLoop::report(const protocol::Progress& given)
{
    seen = given;
    clock.wait(phase == Phase::Describe || phase == Phase::Graph || given.phase == "wait");
    if (phase == Phase::Evaluate)
        pace.setPart(std::clamp(given.fraction, 0.0, 1.0));
    timers.askProgress();
}

double SearchLoop::secondsLeft() const
{
    const double more = ahead.variants(nextRound, options.rounds);
    double out = pace.left_s() + more * pace.unit_s() + (claims.isAny() ? 0 : ahead.confirming_s);
    if (options.budget_s > 0)
        out = std::min(out, std::max(0.0, options.budget_s - spent_s()));
    return out;
}

void SearchLoop::sendProgress()
{
    SearchProgress out;
    out.round = nextRound;
    out.rounds = options.rounds;
    out.done = int(pace.done());
    out.planned = int(pace.planned());
    out.fraction = pace.fraction();
    out.secondsLeft = secondsLeft();
    out.guessed = pace.isGuess();
    if (const JudgedVariant* best = judged.best()) {
        out.best = best->variant;
        out.bestWall = best->exemplar.wall;
        out.bestMarks = best->marks;
    }
    if (phase == Phase::Describe)
        out.text = "starting the evaluator";
    else if (phase == Phase::Graph)
        out.text = "reading the reference";
    else if (phase == Phase::Ask)
        out.text = "asking the policy, " + policy.name();
    else if (phase == Phase::Evaluate)
        out.text = phaseText(seen.phase) + " " + techniquesText(current.techniques, current.origin) +
                   (seen.text.empty() ? "" : ": " + seen.text);
    emit q->progress(out); // NOLINT(readability-misleading-indentation): `emit` is empty once it is expanded
}

void SearchLoop::fail(const Error& error)
{
    lastError = error;
    end(RunState::Failed, error.text());
}

/// For what goes wrong before the caller of start or resume can expect a signal.
void SearchLoop::failLater(const Error& error)
{
    phase = Phase::Between;
    QMetaObject::invokeMethod(
        this, [this, error] { fail(error); }, Qt::QueuedConnection);
}

void SearchLoop::end(RunState state, const std::string& message)
{
    timers.stop();
    pace.pause();
    question.reset();
    policy.released();
    const double total_s = spent_s();
    const std::vector<crew::JobId> left = ownJobs();
    phase = Phase::Idle;
    queue.clear();
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

} // namespace cudal1::optimize
