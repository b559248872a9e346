// SPDX-License-Identifier: GPL-3.0-or-later
// The state of an optimise loop; its steps are in search.cpp, those of evaluations in searchevaluations.cpp.
#pragma once

#include "core/crew/crew.h"
#include "core/optimize/claims.h"
#include "core/optimize/judged.h"
#include "core/optimize/options.h"
#include "core/optimize/owner.h"
#include "core/optimize/pastanswers.h"
#include "core/optimize/round.h"
#include "core/optimize/runbench.h"
#include "core/optimize/search.h"
#include "core/optimize/taskbackground.h"

#include <QElapsedTimer>
#include <QTimer>

#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace cudal1::optimize {

using base::Error;
using store::RunState;

class Search::Private : public QObject {
public:
    enum class Phase { Idle, Describe, Graph, Between, Ask, Evaluate };

    Private(Search* owner, store::Project& p, crew::Crew& all, policy::Policy& which);

    void begin(bool resumed);
    void later(void (Private::*step)());
    void describe();
    void takeMachine(const protocol::Machine& given);
    void askGraph();
    void takeGraph(std::shared_ptr<const protocol::OperatorGraph> given, bool store);
    void next();
    void ask();
    void takeReply(base::Result<policy::Reply> reply);
    void turnIsOver(const Round& round);
    std::string policyOf(base::RunId wanted) const; ///< the name of the policy that began it
    void budgetIsUp();
    void conclude(const std::string& message);
    void evaluateFront();
    base::Status submitQueue();
    void takeOutcome(const crew::Outcome& outcome);
    std::vector<crew::JobId> ownJobs() const;
    bool waits() const { return phase == Phase::Describe || phase == Phase::Graph || phase == Phase::Evaluate; }
    void storeEvaluation(const protocol::Evaluation& evaluation);
    void report(const protocol::Progress& seen);
    void sendProgress();
    void fail(const Error& error);
    void failLater(const Error& error);
    void end(RunState state, const std::string& message);
    void say(const std::string& line) { emit q->log(QString::fromStdString(line)); }
    double spent_s() const { return spentBefore_s + (phase == Phase::Idle ? 0 : double(clock.elapsed()) / 1000); }
    bool overBudget() const { return options.budget_s > 0 && spent_s() >= options.budget_s; }
    std::string graphKey() const;
    base::Status writeOwnNotes() { return writeNotes(project, run, {ownProcess(), nextRound, spent_s(), 0, nextTurn}); }

    Search* q;
    store::Project& project;
    crew::Crew& crew;
    policy::Policy& policy;

    Phase phase = Phase::Idle;
    bool stopping = false;
    Options options;
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
    RunBench bench;
    Claims claims;
    std::deque<store::QueueItem> queue;
    std::map<base::VariantId, crew::JobId> jobs; ///< of what is in the queue and was submitted
    /// What came before its turn: what waits for a compiler lets others pass.
    std::map<crew::JobId, crew::Outcome> early;
    store::VariantRecord current;
    crew::JobId job = 0;             ///< what the phase waits for: the machine, the graph, the evaluation of `current`
    int nextRound = 0, nextTurn = 0; ///< what the policy is asked for next
    int done = 0, planned = 0;
    double seconds = 0; ///< spent in evaluations so far
    double spentBefore_s = 0;
    protocol::Progress seen;
    QElapsedTimer clock, evaluationClock; ///< of the run; of the evaluation in its turn
    QTimer progressTimer, budgetTimer;    ///< the latter while the policy is asked
    QTimer heartbeat;                     ///< of the run's owner, while it runs
};

} // namespace cudal1::optimize
