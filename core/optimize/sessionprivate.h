// SPDX-License-Identifier: GPL-3.0-or-later
// The state of an optimise loop; its steps are in session.cpp, those of evaluations in sessionevaluations.cpp.
#pragma once

#include "core/optimize/claims.h"
#include "core/optimize/judged.h"
#include "core/optimize/options.h"
#include "core/optimize/owner.h"
#include "core/optimize/round.h"
#include "core/optimize/session.h"

#include <QElapsedTimer>
#include <QTimer>

#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace cudal1::optimize {

using base::Error;
using store::RunState;

class Session::Private : public QObject {
public:
    enum class Phase { Idle, Describe, Graph, Between, Evaluate };

    Private(Session* owner, store::Project& p, farm::Evaluator& e, policy::Policy& which);

    void begin(bool resumed);
    void later(void (Private::*step)());
    void describe();
    void takeMachine(const protocol::Machine& machine);
    void askGraph();
    void takeGraph(std::shared_ptr<const protocol::OperatorGraph> given, bool store);
    void next();
    void propose();
    void conclude(const std::string& message);
    void evaluateFront();
    farm::RequestId send(const store::VariantRecord& variant);
    base::Status sendAhead();
    void cancelAhead();
    void takeEvaluation(const protocol::Evaluation& evaluation);
    void takeFailure(const Error& error);
    void evaluatorDied(const Error& error);
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
    base::Status writeOwnNotes() { return writeNotes(project, run, {ownProcess(), nextRound, spent_s()}); }

    Session* q;
    store::Project& project;
    farm::Evaluator& evaluator;
    policy::Policy& policy;

    Phase phase = Phase::Idle;
    bool stopping = false;
    Options options;
    Error lastError;
    base::RunId run;
    quint64 generation = 0; ///< steps of an earlier run that are still in the event queue are dropped
    farm::RequestId request = 0;
    int tries = 0; ///< of describe or graph
    protocol::DeviceInfo device;
    std::string compiler;
    protocol::Environment environment; ///< of the evaluator's machine
    std::shared_ptr<const protocol::OperatorGraph> graph;
    JudgedList judged;
    Claims claims;
    std::deque<store::QueueItem> queue;
    /// Requests for what is behind the front of the queue, so that the evaluator compiles and starts ahead. What waits for a
    /// compiler lets others pass, so an evaluation may be there before its turn.
    struct Ahead {
        farm::RequestId request = 0;
        std::shared_ptr<const protocol::Evaluation> evaluation;
    };
    std::map<base::VariantId, Ahead> ahead;
    bool oneAtATime = false; ///< after a death of the evaluator, so that the blame is exact
    store::VariantRecord current;
    std::map<base::VariantId, int> deaths;
    int nextRound = 0, done = 0, planned = 0;
    double seconds = 0; ///< spent in evaluations so far
    double spentBefore_s = 0;
    protocol::Progress seen;
    QElapsedTimer clock, evaluationClock;
    QTimer progressTimer;
};

} // namespace cudal1::optimize
