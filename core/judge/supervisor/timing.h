// SPDX-License-Identifier: GPL-3.0-or-later
// Paired timing: rounds of reference and candidate, in random order and on a GPU on one core, until the interval of the
// speed-up is narrow enough or the time is up.
#pragma once

#include "core/judge/supervisor/aroundcalls.h"
#include "core/judge/supervisor/budget.h"
#include "core/judge/supervisor/crowding.h"
#include "core/judge/supervisor/gpustate.h"
#include "core/judge/supervisor/pairspeedup.h"
#include "core/judge/supervisor/reference.h"

#include <functional>
#include <optional>
#include <random>

namespace cudal1::judge {

/// The shape of a round. Lengths include all that is around the calls, which on a GPU is half a millisecond a call.
struct RoundShape {
    double warmup_ns = 5e5;     ///< calls that are thrown away
    double timed_ns = 8e6;      ///< calls that count
    double mostTimed_ns = 16e6; ///< instead of `timed_ns`, up to eight calls' time, where fewer than eight calls fit
    int maxCalls = 10000;
    bool controls = true; ///< time the reference against itself after some pairs
    /// On a GPU, where calls take less than a millisecond: before five of six counted calls the timed process empties
    /// the caches itself, since the witness takes far longer for it. What that process does is a claim; charge() checks
    /// it.
    bool ownFlush = false;
    int mostKept = 4; ///< at most so many results of a round are compared
};

/// Times one candidate against the reference, over one or more of the candidate's processes (its instances). Used from
/// the supervisor's thread.
class Pairing {
public:
    /// `core` is the hardware thread that both sides are pinned to in a round, -1 for none (the CPU device). `gpu` says
    /// whether the device was slowed down. The contents of calls are drawn from `seed`. References must outlive the
    /// object.
    Pairing(Supervisor& supervisor, ReferenceSession& reference, const GpuState& gpu, int core, std::uint64_t seed,
            const Budget& budget);

    /// Runs pairs with this process of the candidate until `stop(all pairs so far)` returns true or `seconds` are used
    /// up. Time alone does not end it before there are `minPairs` pairs of this process (three where calls take over a
    /// second). On a CPU a pair does not count, and is dropped, when other work wanted the cores in one of its rounds;
    /// run() waits for better pairs three times as long, and then keeps them all (tooCrowded()). `callLimit_s` is the
    /// limit for one call. Throws Refused when a timed result is wrong, and what ReferenceSession::round throws.
    void run(SubjectHandle& candidate, int instance, double seconds, int minPairs, double callLimit_s,
             const std::function<bool(const std::vector<protocol::PairSamples>&)>& stop);
    /// Timing without pairs, for the paper's protocol without its rule `paired`: rounds of the reference until
    /// `enough(rounds so far, false)`, then rounds of the candidate until `enough(rounds so far, true)`. The n-th
    /// rounds of both are stored as a pair; rounds without a partner are dropped.
    void runApart(SubjectHandle& candidate, double callLimit_s,
                  const std::function<bool(std::size_t rounds, bool candidate)>& enough);

    /// `use` is called with the errors of some timed results against float64.
    void onErrors(std::function<void(const OracleErrors&)> use) { m_onErrors = std::move(use); }
    /// Compares what both sides did while the clock did not run, and adds what the candidate did beyond the reference
    /// to each of its calls. Call it once, when all pairs are there. docs/measuring/time.md ("Held to account") has the
    /// rules and limits. Throws Refused with `late_device_work` when most of a call went on after its end, and with
    /// `device_in_use` when the device was at work before the inputs were there. With `ownFlush`, if the candidate's
    /// calls take longer after the witness has emptied the caches than after its own process has, only calls of the
    /// former kind are kept.
    void charge();
    /// On a CPU, when the candidate's process is gone: times the reference once more, alone, and returns ln of how much
    /// longer it took beside the candidate. 0 where that is within 5 % or may be chance, without a gain of 5 %, where
    /// the machine was too crowded, and on a GPU. The machine's own speed drifts too, so one finding proves nothing.
    double slowdownBeside();
    void chargeBeside(double slowdown); ///< charges what slowdownBeside() returned to the candidate's calls
    const std::vector<std::string>& charges() const { return m_charges; } ///< what was added, one phrase for each kind
    /// True when charge() has kept only the calls before which the witness emptied the caches.
    bool outsideOnly() const { return m_outsideOnly; }

    /// Says how long a call of the reference is known to take, since long calls get no warm-up. Call it before run().
    void expectCalls(double call_ns) { m_call_ns = call_ns; }
    void setShape(const RoundShape& shape) { m_shape = shape; }
    const std::vector<protocol::PairSamples>& pairs() const { return m_pairs; }
    /// The speed-up of the reference against itself, measured after one pair in eight.
    protocol::Control control() const;
    const protocol::TimedChecks& checks() const { return m_checks; }
    double seconds() const { return m_seconds; } ///< spent in pairs so far
    /// The share of rounds that were crowded: for more than a tenth of the round the timed process, or the witness, was
    /// ready to run and had no core.
    double crowdedShare() const { return m_rounds > 0 ? static_cast<double>(m_crowded) / m_rounds : 0; }
    /// Other work wanted the cores in so many rounds that crowded pairs had to be kept. The speed-up says little then.
    bool tooCrowded() const { return m_tooCrowded; }
    /// The speed-up over the pairs that were not dropped, by the wall clock or by GPU events. `instanceSpread` as for
    /// base::pairedSpeedup.
    protocol::ClockSpeedup wall(double instanceSpread) const;
    protocol::ClockSpeedup event(double instanceSpread) const;

private:
    struct Round {
        std::vector<double> wall_ns, event_ns;
        std::vector<int> outside;            ///< RunRound::Reply::outside
        bool crowded = false;                ///< see crowdedShare()
        double waited_ns = 0, others_ns = 0; ///< as in RunRound::Reply
    };
    /// Of a pair, call by call: 1 where the witness emptied the caches before it.
    struct Outside {
        std::vector<int> reference, candidate;
    };
    /// A round of the candidate, or of the reference where `candidate` is null. `first` of its instance: it may wait
    /// until calls are steady. Only a round that `counts` has results to compare and is held to account.
    Round round(SubjectHandle* candidate, double limit_s, bool first, bool counts = true);
    void runControl();
    void countTimed(const Round& own);
    void verifyKept(); ///< has the witness compare the results that it kept of the candidate's last round
    /// What a side did while the clock did not run.
    struct OffClock {
        std::vector<double> tail_ns;  ///< of each round, the mean over its faster third
        std::vector<double> ready_ns; ///< of each round on a GPU, its median
        AroundCalls around;           ///< on a CPU
        std::vector<double> peek_ns;  ///< of each peek
        int probes = 0;               ///< how often the device was probed …
        int foreign = 0;              ///< … and how many probes found work on it
    };
    void note(OffClock& side, const RunRound::Reply& reply, bool crowded) const;
    /// On a CPU: drops the crowded pairs among those from this one on (crowding.h), and returns how many are good.
    int dropCrowded(std::size_t from);
    /// Too crowded by the machine's other work, so that what the sides did around calls cannot be compared. A candidate
    /// that was crowded alone may have started what crowded it, and is held to account.
    bool cannotCharge() const { return m_tooCrowded && !crowdedAlone(m_crowding); }
    bool longCalls() const;
    bool onCpu() const { return m_core < 0; }
    void refuseForeignWork() const;
    // What charge() adds to a call of `call_ns`, in nanoseconds. Each also notes its charge.
    double late_ns(double call_ns);          ///< work on the device after the call's end
    double early_ns(double call_ns);         ///< work on the device between the inputs' arrival and the call
    double between_ns(double call_ns);       ///< work before the inputs were there
    void holdAgainstOutside(double call_ns); ///< decides m_outsideOnly
    /// A round is represented by the faster third of its calls. This charges work that was moved into the others.
    void holdAgainstMeans();
    void scaleCandidate(double factor, const char* why); ///< multiplies the candidate's times and notes the charge
    void refreshInputs(); ///< has the witness make one more draw for the contents of calls
    /// Why a pair must be dropped; empty to keep it. `foreign`: probes in the reference's round that found work on the
    /// device.
    std::string disturbance(int foreign) const;

    Supervisor& m_supervisor;
    ReferenceSession& m_reference;
    const GpuState& m_gpu;
    int m_core;
    std::mt19937_64 m_order;
    SeedSequence m_inputSeeds;
    double m_settle_s;
    bool m_referenceSettled = false;
    RoundShape m_shape;          ///< rounds are longer on the CPU, where more disturbs a call
    double m_call_ns = 0;        ///< the longest time that a call of the reference has taken, as a median of a round
    double m_refresh_s = 0;      ///< how long the last refreshInputs() took
    double m_sinceRefresh_s = 0; ///< time in rounds since then
    double m_seconds = 0;
    int m_rounds = 0, m_crowded = 0;
    bool m_tooCrowded = false;
    std::vector<protocol::PairSamples> m_pairs;
    std::vector<Crowding> m_crowding; ///< of each pair that run() has made
    std::vector<Outside> m_outside;   ///< of each pair
    bool m_outsideOnly = false;
    std::vector<base::PairTimes> m_control;
    protocol::TimedChecks m_checks;
    OffClock m_referenceOff, m_candidateOff;
    std::vector<double> m_empty_ns; ///< of each round of the reference, its shortest empty step
    std::vector<std::string> m_charges;
    std::function<void(const OracleErrors&)> m_onErrors;
    int m_oracles = 0;
};

} // namespace cudal1::judge
