// SPDX-License-Identifier: GPL-3.0-or-later
// Collects correct programs: asks policies for each task until enough were found or enough were tried (section 2.2 of
// the paper).
//
// Each pair of a task and a policy is a run of its own (optimize::Search), whose samples and evaluations are in the
// project; so a collection that was stopped or killed goes on when it is started again. No policy sees what another, or
// an earlier run, has found.
//
// Lives on one thread with an event loop, together with its Project and its crews. Never blocks.
#pragma once

#include "core/language/policychoice.h"
#include "core/optimize/campaign.h"

#include <QObject>

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace cudal1::collect {

struct CollectOptions {
    std::vector<std::string> policies{"library"}; ///< as language::PolicyChoice has them, each once
    int perTask = 20;                             ///< trials of a policy for a task at most
    int successes = 2;                            ///< different correct programs at which a policy is done with a task
    int together = 2;                             ///< replies that a model is asked for at a time; a divisor of perTask
    optimize::SearchOptions run{};                ///< precision, preset, seed
};

/// InvalidArgument for numbers that do not go together and for a policy that is none or named twice.
base::Status check(const CollectOptions& options);

/// How models are asked: one question with the reference and what is required of the answer (table 1 of the paper); no
/// exemplars, no repairs, nothing else that this program knows of the task.
language::AskMethod oneShot(int together);

/// A task and a policy, and what became of them.
struct CollectCell {
    store::TaskRecord task;
    std::size_t policy = 0;        ///< of CollectOptions::policies
    base::RunId run;               ///< none where none was begun
    int trials = 0, successes = 0; ///< replies that were judged or had no program; different correct programs
    bool done = false;             ///< nothing is left to ask for
    std::string trouble;           ///< why its run failed; empty otherwise
};

struct CollectProgress {
    int done = 0, planned = 0; ///< cells
    int successes = 0;
    double secondsLeft = -1; ///< -1 while unknown
    bool guessed = false;    ///< as in optimize::SearchProgress: no cell has come to its end
    std::string text;        ///< "1/12, library: checking tf32"
};

class Collector : public QObject {
    Q_OBJECT
public:
    /// `project` and the crews of the places must outlive it.
    Collector(store::Project& project, models::ModelSources sources, QObject* parent = nullptr);
    ~Collector() override;

    /// `finished` follows, from the event loop. All policies are made once before anything begins.
    void start(const CollectOptions& options, const std::vector<store::TaskRecord>& tasks,
               const std::vector<optimize::SearchPlace>& places);
    void stop(); ///< ends within a second or two
    bool isRunning() const { return m_running; }
    const std::vector<CollectCell>& cells() const
    {
        return m_cells;
    } ///< all policies of the first task, then of the next
    const base::Error& error() const { return m_error; }

signals:
    void log(const QString& line); ///< for a person, one line; begins with task and policy
    void progress(const cudal1::collect::CollectProgress& progress);
    /// Finished: every cell is done or failed. Stopped: by stop() or at a limit, which error() then says. Failed: no
    /// place is left, or the project cannot be written.
    void finished(cudal1::store::RunState state);

private:
    struct Seat;

    void fill();
    bool begin(Seat& seat, std::size_t cell);
    void judged(Seat& seat);
    void ended(Seat& seat, store::RunState state);
    base::Status count(CollectCell& cell) const;
    optimize::SearchOptions optionsOf(const Seat& seat, const CollectCell& cell) const;
    void sendProgress();
    void end(store::RunState state, base::Error error = {});

    store::Project& m_project;
    models::ModelSources m_sources;
    CollectOptions m_options;
    std::vector<language::PolicyChoice> m_choices;
    std::vector<std::string> m_names; ///< that the policies call themselves
    std::vector<CollectCell> m_cells;
    std::deque<std::size_t> m_waiting;
    std::vector<std::unique_ptr<Seat>> m_seats;
    std::unique_ptr<policy::Policy> m_kept; ///< keeps a model on this machine loaded between runs
    base::Error m_error;
    int m_before = 0; ///< cells that were done when it started
    qint64 m_begun_ms = 0;
    bool m_running = false, m_stopping = false;
};

} // namespace cudal1::collect
