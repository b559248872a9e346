// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a number of tasks: composes them, has evaluators look at them, and keeps those that are worth learning from.
//
// Lives on one thread with an event loop, together with its crew. Writes nothing.
#pragma once

#include "core/crew/crew.h"
#include "core/synthesis/composer.h"
#include "core/synthesis/decontamination.h"

#include <QObject>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cudal1::synthesis {

/// Why a composed task was not kept. In the order in which it is checked.
enum class LeftOut {
    DoesNotRun,
    NotFinite,
    Degenerate, ///< a result that takes no work passes for its result
    Duplicate,  ///< taskKey() of one that was kept before
    HeldOutGraph,
    HeldOutOperators,
};
std::string_view toString(LeftOut why); ///< "does_not_run": in JSON
std::string_view textOf(LeftOut why);   ///< "does not run": for a person

struct LeftOutTask {
    std::uint64_t number = 0; ///< of the composition, from 0
    std::string name;
    LeftOut why = LeftOut::DoesNotRun;
    std::string evidence; ///< "the null candidates zeros and a copy of an input pass"
};

struct KeptTask {
    std::uint64_t number = 0; ///< of the composition, from 0
    Composition task;
    std::uint64_t key = 0; ///< taskKey()
    std::size_t operators = 0;
    double call_ns = 0; ///< of the shortest call on the CPU; differs from run to run
};

struct SynthesisOptions {
    int count = 0; ///< tasks that are wanted
    std::uint64_t seed = 1;
    int trials = 3;                              ///< of null candidates
    std::uint64_t mostComposed = 0;              ///< gives up after so many; 0: 20 for each that is wanted, and 1000
    int seats = 1;                               ///< of the crew; each gets two batches ahead
    std::vector<protocol::TaskSource> heldOut{}; ///< that are traced first, for the decontamination
    /// What is composed under a number; empty: compose() with the seed.
    std::function<Composition(std::uint64_t number)> make{};
};

struct SynthesisResult {
    std::vector<KeptTask> kept; ///< in the order of their numbers
    std::uint64_t composed = 0;
    std::map<LeftOut, int> leftOut;
    std::vector<LeftOutTask> examples; ///< the first few of each kind
};

/// Which tasks are kept does not depend on which evaluator is done first: they are looked at in the order of their
/// numbers.
class Synthesiser : public QObject {
    Q_OBJECT
public:
    /// The crew must outlive it.
    Synthesiser(crew::Crew& crew, Decontamination decontamination, QObject* parent = nullptr);
    ~Synthesiser() override;

    void start(const SynthesisOptions& options);
    /// What tasks were held against, with the held-out ones once they are traced.
    const Decontamination& decontamination() const { return m_decontamination; }
    void stop(); ///< `finished` follows with false and ErrorCode::Cancelled
    const SynthesisResult& result() const { return m_result; }
    const base::Error& error() const { return m_error; }

    static constexpr int batch = 32; ///< tasks in a request at most
    static constexpr std::size_t mostExamples = 5;
    static constexpr int ownThreads = 1; ///< of an evaluator: many small tasks go best side by side
    static QStringList environment();    ///< for that

signals:
    void progress(int kept, int wanted);
    void finished(bool good);

private:
    struct Batch;

    void fill();
    void traceHeldOut();
    void takeTraced(const crew::JobOutcome& outcome);
    void take(quint64 job, const crew::JobOutcome& outcome);
    void look(const std::vector<Composition>& tasks, const protocol::Screening& screening, std::uint64_t first);
    std::optional<LeftOutTask> reasonAgainst(const Composition& task, const protocol::Screening::Item& item) const;
    void end(bool good, base::Error error = {});

    crew::Crew& m_crew;
    Decontamination m_decontamination;
    SynthesisOptions m_options;
    SynthesisResult m_result;
    base::Error m_error;
    std::vector<crew::JobId> m_tracing;                        ///< of held-out tasks
    std::map<std::uint64_t, std::unique_ptr<Batch>> m_batches; ///< by the first number; on their way or waiting
    std::map<std::uint64_t, std::string> m_keys;               ///< of kept tasks, with their names
    std::uint64_t m_next = 0;                                  ///< first number that is not composed
    std::uint64_t m_looked = 0;                                ///< first number that was not looked at
    bool m_running = false;
};

} // namespace cudal1::synthesis
