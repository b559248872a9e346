// SPDX-License-Identifier: GPL-3.0-or-later
// Makes the runs of an experiment, one after another or several at once.
//
// Lives on one thread with an event loop, together with its Project and Crew. Never blocks. Each run is a Search of its
// own that sees nothing of the others. Runs that came to their end are not made again and unfinished ones go on, so an
// experiment that was stopped or killed is taken up by starting it again.
#pragma once

#include "core/experiment/experimentrecord.h"
#include "core/language/policychoice.h"
#include "core/models/spending.h"
#include "core/optimize/heartbeat.h"
#include "core/optimize/search.h"

#include <QObject>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace cudal1::experiment {

struct ExperimentProgress {
    int done = 0, planned = 0; ///< runs
    double fraction = 0;       ///< of the runs, with the parts of those that are being made
    double secondsLeft = -1;   ///< -1 while unknown
    bool guessed = false;      ///< as in optimize::SearchProgress, of the present run
    std::string text;          ///< "endpoint:qwen3, vanilla: 1/12, seed 2: checking tf32"
};

class ExperimentRun : public QObject {
    Q_OBJECT
public:
    /// Neither is owned, and both must outlive it. The crew may serve others too.
    ExperimentRun(store::Project& project, crew::Crew& crew, language::PolicyChoice::LibraryFactory library = {},
                  QObject* parent = nullptr);
    ~ExperimentRun() override;

    /// Makes the policy of a row that names a model of the experiment's own, as it was trained with this seed. Told
    /// before start(); without it an experiment that has such rows fails.
    using ModelFactory = std::function<base::Result<std::unique_ptr<policy::Policy>>(
        const Arm& arm, std::uint64_t seed, const models::ModelSources& sources)>;
    void setModels(ModelFactory models) { m_models = std::move(models); }

    /// How many runs are made at once; 1 without it. Several let a model draw for many tasks together, and keep several
    /// judging devices busy. A model must not draw on a device that judges then, since it would disturb the times.
    void setAtOnce(int runs) { m_atOnce = std::max(1, runs); }

    /// Keeps the record and makes what is not done. `tasks` have the sources of the record's. All policies are made
    /// once before anything begins, so that a name that is none fails at once. `finished` follows, perhaps from within.
    void start(ExperimentRecord record, std::vector<store::TaskRecord> tasks);
    /// Ends within a second; what is committed stays. `finished` follows with RunState::Stopped.
    void stop();
    /// Leaves experiment and run as a kill would, so that the next start goes on. No signal follows.
    base::Status cutOff();

    bool isRunning() const { return m_running; }
    const ExperimentRecord& record() const { return m_record; }
    const std::vector<CellResult>& results() const { return m_results; } ///< in the order of ExperimentRecord::cells()
    int done() const;
    /// Why it stopped or failed; empty where the user stopped it.
    const base::Error& error() const { return m_error; }
    models::Ledger::Totals spent() const; ///< by all processes that have worked at this experiment

signals:
    void log(const QString& line);
    void progress(const cudal1::experiment::ExperimentProgress& progress);
    void partialReply(const QString& text);
    void stored(); ///< something was committed
    /// Finished: every run was tried, though some may have failed. Stopped: by stop(), or by a limit, which error()
    /// then says. Failed: no further run would fare better.
    void finished(cudal1::store::RunState state, const QString& message);

private:
    base::Status prepare();
    base::Result<std::unique_ptr<policy::Policy>> policyOf(const Arm& arm, std::uint64_t seed) const;
    struct Making {
        std::size_t at = 0; ///< of m_results
        std::unique_ptr<policy::Policy> policy;
        std::unique_ptr<optimize::Search> search; ///< goes before its policy
        double fraction = 0;
        double left_s = -1, whole_s = -1; ///< -1 while unknown
    };
    void next();
    std::optional<std::size_t> nextCell() const;
    base::Status begin(std::size_t at);
    void connectTo(Making& making);
    ExperimentProgress progressOfAll(double wholeRun_s) const;
    void cellEnded(optimize::Search* search, store::RunState state);
    void endAfterOthers(store::RunState state, const base::Error& error);
    void end(store::RunState state, const base::Error& error);
    base::Status writeNotes(const std::string& owner);
    QString titleOf(const CellResult& cell) const;

    store::Project& m_project;
    crew::Crew& m_crew;
    language::PolicyChoice::LibraryFactory m_library;
    ModelFactory m_models;
    ExperimentRecord m_record;
    std::vector<store::TaskRecord> m_tasks;
    std::vector<CellResult> m_results;
    std::vector<bool> m_tried; ///< by this object
    std::size_t m_at = 0;      ///< of m_results, the one that was begun last
    models::ModelSources m_sources;
    std::unique_ptr<models::Spending> m_spending;
    std::vector<std::unique_ptr<Making>> m_making;
    std::unique_ptr<policy::Policy> m_lastPolicy; ///< kept until the next run has its own, so that a model stays loaded
    optimize::Heartbeat m_heartbeat;
    base::Error m_error;
    store::RunState m_endState = store::RunState::Stopped; ///< once m_stopping
    base::Error m_endError;
    int m_atOnce = 1;
    bool m_running = false, m_stopping = false;
};

} // namespace cudal1::experiment
