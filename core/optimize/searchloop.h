// SPDX-License-Identifier: GPL-3.0-or-later
// The state machine behind a Search: one step after the other, over what becomes of its requests. Private to this room.
#pragma once

#include "core/crew/pace.h"
#include "core/optimize/arrivals.h"
#include "core/optimize/bestclaims.h"
#include "core/optimize/evaluationqueue.h"
#include "core/optimize/judged.h"
#include "core/optimize/options.h"
#include "core/optimize/owner.h"
#include "core/optimize/runbench.h"
#include "core/optimize/runtimers.h"
#include "core/optimize/search.h"
#include "core/optimize/searchround.h"
#include "core/optimize/taskbackground.h"
#include "core/optimize/timeahead.h"

#include <memory>
#include <vector>

namespace cudal1::optimize {

using base::Error;
using store::RunState;

class SearchLoop : public QObject {
public:
    enum class Phase { Idle, Describe, Graph, Between, Ask, Evaluate };

    SearchLoop(Search* owner, store::Project& p, crew::Crew& all, policy::Policy& which);

    void begin(const std::optional<RunNotes>& resumed); ///< where the run goes on; empty for a new one
    void later(void (SearchLoop::*step)());
    void describe();
    void takeMachine(const protocol::Machine& given);
    void askGraph();
    void takeGraph(std::shared_ptr<const protocol::OperatorGraph> given, bool store);
    void next();
    void ask();
    void takeReply(base::Result<policy::Reply> reply);
    void turnIsOver(const SearchRound& round);
    std::string policyOf(base::RunId wanted) const; ///< the name of the policy that began it
    void budgetIsUp();
    void endOfBudget();
    void conclude(const std::string& message);
    void evaluate();
    crew::CrewJob jobOf(const store::VariantRecord& variant) const;
    void takeOutcome(const crew::JobOutcome& outcome);
    std::vector<crew::JobId> ownJobs() const;
    bool waits() const { return phase == Phase::Describe || phase == Phase::Graph || phase == Phase::Evaluate; }
    void storeEvaluation(const protocol::Evaluation& evaluation);
    void report(const protocol::Progress& given);
    void sendProgress();
    double secondsLeft() const; ///< of all rounds
    void fail(const Error& error);
    void failLater(const Error& error);
    void end(RunState state, const std::string& message);
    void say(const std::string& line) { emit q->log(QString::fromStdString(line)); }
    double spent_s() const { return spentBefore_s + (phase == Phase::Idle ? 0 : clock.worked_s()); }
    bool overBudget() const { return options.budget_s > 0 && spent_s() >= options.budget_s; }
    std::string graphKey() const;
    base::Status writeOwnNotes() { return writeNotes(project, run, {ownProcess(), nextRound, spent_s(), 0, nextTurn}); }

    Search* q;
    store::Project& project;
    crew::Crew& crew;
    policy::Policy& policy;

    Phase phase = Phase::Idle;
    bool stopping = false;
    SearchOptions options;
    Error lastError;
    base::RunId run;
    quint64 generation = 0; ///< steps of an earlier run that are still in the event queue are dropped
    protocol::DeviceInfo device;
    protocol::Machine machine; ///< the evaluator's
    std::shared_ptr<const protocol::OperatorGraph> graph;
    policy::Prompt prompt; ///< of the question on its way
    std::unique_ptr<policy::Question> question;
    JudgedList judged;
    TaskBackground background;
    Arrivals arrivals;
    RunBench bench;
    BestClaims claims;
    EvaluationQueue queue;
    crew::Pace pace;         ///< counts evaluations
    TimeAhead ahead;         ///< of the whole run
    protocol::Progress seen; ///< of the evaluation that is under way
    store::VariantRecord current;
    crew::JobId job = 0;             ///< what the phase waits for: the machine, the graph, the evaluation of `current`
    int nextRound = 0, nextTurn = 0; ///< what the policy is asked for next
    double spentBefore_s = 0;
    WorkClock clock;
    RunTimers timers; ///< the budget's while the policy is asked
};

} // namespace cudal1::optimize
