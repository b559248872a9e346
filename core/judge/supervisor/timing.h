// SPDX-License-Identifier: GPL-3.0-or-later
// Paired timing: rounds of both subjects in random order on one core, until the interval is narrow or time is up.
#pragma once

#include "core/judge/supervisor/gpustate.h"
#include "core/judge/supervisor/reference.h"

#include <functional>
#include <optional>
#include <random>

namespace cudal1::judge {

/// What a preset allows.
struct Budget {
    int minTrials = 6;
    int maxTrials = 20;
    double check_s = 1;   ///< trials beyond the least go on for so long
    double time_s = 1.5;  ///< of rounds
    int instances = 1;    ///< forks of the candidate over which timing is spread
    int weightSets = 1;   ///< other weights that trials run with
    double settle_s = 0.1; ///< for an instance's calls to reach a steady time, at most
    bool ownFlush = true; ///< for speed: most short calls on a GPU find caches that each side has emptied itself; see Pairing
    int mostKept = 2;     ///< results of a round that are compared
    double halfWidth = 0.02; ///< of the interval, relative: narrow enough to stop
    int minPairs = 5;      ///< with fewer there is no number, however long they take
    bool ownInputsOnly = false; ///< trials on the dataset's own distribution alone
    std::optional<protocol::PaperRules> paper; ///< measures by the paper's protocol too
};
Budget budgetOf(protocol::Preset preset);
/// The trials that the rules ask for, our own timing as in `standard` but no longer than the paper's, and the paper's.
Budget budgetOf(const protocol::PaperRules& rules);
/// Of the second look at a result that carries a label.
Budget budgetOfConfirmation();

/// How long a round is.
struct RoundShape {
    double warmup_ns = 5e5, timed_ns = 8e6; ///< with all that is around the calls: on a GPU half a millisecond each
    double mostTimed_ns = 16e6;             ///< where fewer than eight calls fit into `timed_ns`
    int maxCalls = 10000;
    bool controls = true; ///< the reference against itself, now and then
    bool ownFlush = false; ///< where calls are so short that emptying caches from outside takes most of the time
    int mostKept = 4;      ///< results that are compared, at most
};

/// One candidate process that is ready to be timed.
class Pairing {
public:
    /// `core` is the one that both sides are pinned to in a round, -1 for none; `gpu` tells of throttling.
    Pairing(Supervisor& supervisor, ReferenceSession& reference, const GpuState& gpu, int core, std::uint64_t seed, const Budget& budget);

    /// Runs pairs against this subject until `stop(pairs so far)` or `seconds` are used up; at least `minPairs`, three of calls of more
    /// than a second. Throws Refused when a timed result is wrong, and what ReferenceSession::round throws.
    void run(SubjectHandle& candidate, int instance, double seconds, int minPairs, double callLimit_s,
             const std::function<bool(const std::vector<protocol::PairSamples>&)>& stop);
    /// The same without pairs, for comparison: rounds of the reference until `enough(rounds so far, false)`, then rounds
    /// of the candidate until `enough(rounds so far, true)`. The n-th of both are put together; what is over is left out.
    void runApart(SubjectHandle& candidate, double callLimit_s, const std::function<bool(std::size_t rounds, bool candidate)>& enough);

    /// Is told the errors against float64 of some timed results.
    void onErrors(std::function<void(const OracleErrors&)> use) { m_onErrors = std::move(use); }
    /// Adds to the candidate's calls what its process did where the clock does not run, beyond what the reference's does: between
    /// calls, and on the device after it had said that a call was over. Once, when all pairs are there. Throws Refused where
    /// that is no part of a call but most of it. Where calls before which caches were emptied from outside say another speed-up than
    /// those where the processes did that themselves, only the former are left.
    void charge();
    /// On a CPU, when nothing of the candidate is left: times the reference alone. If it takes longer beside the candidate, which its
    /// process may have seen to by what it leaves to the kernel, that is added to the candidate's calls too.
    void holdAgainstAlone();
    const std::vector<std::string>& charges() const { return m_charges; } ///< what was added, a sentence each
    /// Only calls are left before which the witness emptied the caches.
    bool outsideOnly() const { return m_outsideOnly; }

    /// How long a call of the reference is known to take: long ones get no warm-up.
    void expectCalls(double call_ns) { m_call_ns = call_ns; }
    void setShape(const RoundShape& shape) { m_shape = shape; }
    const std::vector<protocol::PairSamples>& pairs() const { return m_pairs; }
    /// The reference against itself, one such pair to eight of the others.
    protocol::Control control() const;
    const protocol::TimedChecks& checks() const { return m_checks; }
    double seconds() const { return m_seconds; } ///< spent in rounds
    /// Of all rounds, the share in which a side was ready to run and had no core for more than a tenth of the time.
    double crowdedShare() const { return m_rounds > 0 ? static_cast<double>(m_crowded) / m_rounds : 0; }
    /// Speed-up of the pairs that were kept, by wall or by events. `instanceSpread` as for base::pairedSpeedup.
    protocol::ClockSpeedup wall(double instanceSpread) const;
    protocol::ClockSpeedup event(double instanceSpread) const;

private:
    struct Round {
        std::vector<double> wall_ns, event_ns;
        std::vector<int> outside; ///< see RunRound
    };
    /// Of a pair: before which calls the witness emptied the caches.
    struct Outside {
        std::vector<int> reference, candidate;
    };
    Round round(SubjectHandle* candidate, double limit_s, bool first, bool counts = true); ///< of the reference when null
    void runControl();
    void countTimed(const Round& own);
    void verifyKept(); ///< the result that the candidate's last round kept
    /// What a side did off the clock, round by round.
    struct OffClock {
        std::vector<double> tail_ns, ready_ns, peek_ns; ///< a mean or a median a round
        int probes = 0, foreign = 0;           ///< looks at the device, and how many found somebody at work
    };
    void note(OffClock& side, const RunRound::Reply& reply) const;
    /// The mean of some rounds and its standard error, the tenth at either end left out.
    static std::pair<double, double> meanOf(std::vector<double> rounds);
    bool longCalls() const;
    bool onCpu() const { return m_core < 0; }
    void refuseForeignWork() const;
    double late_ns(double call_ns);  ///< a call's part of what charge() adds: on the device after its end
    double early_ns(double call_ns); ///< and on the device before it was asked for
    double between_ns(double call_ns); ///< and before its inputs were there
    void holdAgainstOutside(double call_ns);
    void holdAgainstMeans(); ///< the faster third stands for a round: work must not be moved into the other calls
    void scaleCandidate(double factor, const char* why);
    void refreshInputs();
    /// Why a pair must be thrown away; empty to keep it. `foreign`: looks at the device in the reference's round that found others.
    std::string disturbance(int foreign) const;

    Supervisor& m_supervisor;
    ReferenceSession& m_reference;
    const GpuState& m_gpu;
    int m_core;
    std::mt19937_64 m_order;
    SeedSequence m_inputSeeds;
    double m_settle_s;
    bool m_referenceSettled = false;
    RoundShape m_shape; ///< longer on the CPU, where more disturbs a call
    double m_call_ns = 0;      ///< the reference's longest known time of a call
    double m_refresh_s = 0;    ///< what drawing new inputs took
    double m_sinceRefresh_s = 0;
    double m_seconds = 0;
    int m_rounds = 0, m_crowded = 0;
    std::vector<protocol::PairSamples> m_pairs;
    std::vector<Outside> m_outside; ///< of each pair
    bool m_outsideOnly = false;
    std::vector<base::PairTimes> m_control;
    protocol::TimedChecks m_checks;
    OffClock m_referenceOff, m_candidateOff;
    std::vector<double> m_empty_ns; ///< of handing a step over, as the reference's process showed it
    std::vector<std::string> m_charges;
    std::function<void(const OracleErrors&)> m_onErrors;
    int m_oracles = 0;
};

enum class Clock { Wall, Event };
protocol::ClockSpeedup speedupOf(const std::vector<protocol::PairSamples>& pairs, Clock clock, double instanceSpread);

} // namespace cudal1::judge
