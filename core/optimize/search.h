// SPDX-License-Identifier: GPL-3.0-or-later
// The optimise loop for one task: graph -> policy -> queue -> evaluators -> store, round after round.
//
// Lives on one thread with an event loop, together with its Project and Crew. Never blocks. After kill -9 a new
// Search with the id of the unfinished run goes on with what its queue still holds.
#pragma once

#include "core/base/ids.h"
#include "core/crew/crew.h"
#include "core/policy/policy.h"
#include "core/store/project.h"

#include <QObject>

#include <memory>

namespace cudal1::optimize {

struct SearchOptions {
    store::TaskRecord task;
    std::string evaluator; ///< how it is started, empty for the usual one: a run goes on where it was
    std::string device = "cpu";
    protocol::Precision precision = protocol::Precision::Kernelbench;
    protocol::Preset preset = protocol::Preset::Standard;
    int rounds = 3;
    double budget_s = 0; ///< 0: no limit of time
    std::uint64_t seed = 0;
    std::string method{}; ///< JSON of how a policy that knows several ways is asked; empty for others
    bool alone = false;   ///< the policy sees what this run has judged, and nothing that others have
    int longest = 0;      ///< characters of a program that is wanted; 0: of any length
    /// What claims to be best is measured once more where its speed-up is above this: 0 in a search for the best, 3
    /// (protocol::certainReward) where programs are collected or compared and a speed-up is one result among many.
    double confirmsAbove = 0;
};

/// Where a run stands; sent at most every 50 ms.
struct SearchProgress {
    int round = 0, rounds = 0;
    int done = 0, planned = 0; ///< variants of all rounds proposed so far
    double fraction = 0;       ///< of what is planned, with the part of the evaluation in flight
    double secondsLeft = -1;   ///< of all rounds; -1 while unknown
    bool guessed = false;      ///< nothing is judged yet: secondsLeft is by earlier runs, or what is usual
    base::VariantId best;
    base::Interval bestWall;
    std::string bestMarks; ///< of `bestWall`, protocol::marksOf()
    std::string text;      ///< "checking cuda_graph + tf32: 12 of 20 trials"
};

class SearchLoop;

class Search : public QObject {
    Q_OBJECT
public:
    /// The search owns none of them, and all must outlive it. The crew may serve others too; its seats judge on devices
    /// of one model.
    Search(store::Project& project, crew::Crew& crew, policy::Policy& policy, QObject* parent = nullptr);
    ~Search() override;

    void start(const SearchOptions& options);
    /// Takes up a run that was killed or stopped: same options, the rest of its queue first. InvalidArgument where the
    /// policy has another name than the one that began it, and that one was asked by a method.
    void resume(base::RunId run);
    /// Ends within a second; what is committed stays. `finished` follows with RunState::Stopped.
    void stop();
    bool isRunning() const;
    base::RunId run() const;
    const SearchOptions& options() const;
    /// Why the last run failed; meaningful after `finished` with RunState::Failed.
    const base::Error& error() const;

signals:
    void log(const QString& line); ///< for a person, one line, in order
    void progress(const cudal1::optimize::SearchProgress& progress);
    void variantProposed(cudal1::base::VariantId variant);
    void evaluationStored(cudal1::base::VariantId variant, cudal1::base::EvaluationId evaluation);
    void partialReply(const QString& text); ///< what the policy has added to a reply that it is still writing
    void declined(const std::vector<cudal1::policy::Declined>& declined);
    void finished(cudal1::store::RunState state, const QString& message);

private:
    std::unique_ptr<SearchLoop> d;
};

} // namespace cudal1::optimize
