// SPDX-License-Identifier: GPL-3.0-or-later
// Paired timing: rounds of reference and candidate, in random order and on a GPU on one core, until the interval of the
// speed-up is narrow enough or the time is up.
#pragma once

#include "core/judge/supervisor/account.h"
#include "core/judge/supervisor/budget.h"
#include "core/judge/supervisor/gpustate.h"
#include "core/judge/supervisor/reference.h"
#include "core/judge/supervisor/roundmaker.h"
#include "core/judge/supervisor/timedpairs.h"
#include "core/judge/wire/oracleerrors.h"

#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace cudal1::judge {

/// Times one candidate against the reference, over one or more of the candidate's processes (its instances). Used from
/// the supervisor's thread. RoundMaker makes the rounds, Account says what is charged.
class Pairing {
public:
    /// `core` is the hardware thread that both sides are pinned to in a round, -1 for none (the CPU device). `gpu` says
    /// whether the device was slowed down. The contents of calls are drawn from `seed`. References must outlive the
    /// object.
    Pairing(ReferenceSession& reference, const GpuState& gpu, int core, std::uint64_t seed, const Budget& budget);
    Pairing(const Pairing&) = delete;
    Pairing& operator=(const Pairing&) = delete;

    /// Runs pairs with this process of the candidate until `stop(all pairs so far)`, which is asked after each, returns
    /// true or `seconds` are used up. Time alone does not end it before there are `minPairs` pairs of this process
    /// (three where calls take over four seconds), unless cannotWin(). Where calls are long, a gain whose interval is
    /// wide gets eight. On a CPU a pair does not count, and is dropped, when other work wanted the cores in one of its
    /// rounds; run() waits for better pairs three times as long, and then keeps them all (tooCrowded()). `callLimit_s`
    /// is the limit for one call. Throws Refused when a timed result is wrong, and what ReferenceSession::round throws.
    void run(SubjectHandle& candidate, int instance, double seconds, int minPairs, double callLimit_s,
             const std::function<bool(const std::vector<protocol::PairSamples>&)>& stop);
    /// Timing without pairs, for the paper's protocol without its rule `paired`, so that the effect of that rule can be
    /// measured. Rounds of the reference until `enough(rounds so far, false)`, then rounds of the candidate until
    /// `enough(rounds so far, true)`. The n-th rounds of both are stored as a pair; rounds without a partner are
    /// dropped.
    void runApart(SubjectHandle& candidate, double callLimit_s,
                  const std::function<bool(std::size_t rounds, bool candidate)>& enough);

    /// `use` is called with the errors of some timed results against float64.
    void onErrors(std::function<void(const OracleErrors&)> use) { m_onErrors = std::move(use); }
    /// What is done around rounds of the candidate where calls change the module's buffers.
    struct Buffers {
        std::function<void()> give;    ///< before each: the candidate is given known buffers, which reveals nothing
        std::function<void()> compare; ///< after one that was recorded
    };
    void onBuffers(Buffers buffers) { m_buffers = std::move(buffers); }
    /// Compares what both sides did while the clock did not run, and adds what the candidate did beyond the reference
    /// to each of its calls: Account::charge(). Call it once, when all pairs are there.
    /// Where the candidate has threads that sleep, the reference is given as many first, in rounds of its own.
    void charge();
    /// As judge::slowdownBeside(), of these pairs.
    double slowdownBeside();
    void chargeBeside(double slowdown); ///< charges what slowdownBeside() returned to the candidate's calls
    const std::vector<std::string>& charges() const { return m_account.charges(); }
    const std::string& unevenness() const { return m_account.unevenness(); } ///< as Account::unevenness()

    /// Says how long a call of the reference is known to take, since long calls get no warm-up. Call it before run().
    void expectCalls(double call_ns) { m_rounds.expectCalls(call_ns); }
    void setShape(const RoundShape& shape) { m_rounds.setShape(shape); }
    const std::vector<protocol::PairSamples>& pairs() const { return m_pairs.samples; }
    /// The speed-up of the reference against itself, measured after one pair in eight.
    protocol::Control control() const;
    const protocol::TimedChecks& checks() const { return m_checks; }
    double seconds() const { return m_seconds; } ///< spent in pairs so far
    double crowdedShare() const { return m_rounds.crowdedShare(); }
    double othersShare() const { return m_rounds.otherWork().share(); } ///< as OtherWork::share()
    /// Other work wanted the cores in so many rounds that crowded pairs had to be kept, or took more than a tenth of
    /// the cores' time in the reference's rounds. The speed-up says little then.
    bool tooCrowded() const { return m_pairs.tooCrowded; }
    /// Where calls are long: the candidate took at least twice as long as the reference in each of two pairs or more,
    /// which ended run() of a search's budget: a search need not know by how much it is slower.
    bool cannotWin() const { return m_cannotWin; }
    /// The speed-up over the pairs that were not dropped, by the wall clock or by GPU events. `instanceSpread` as for
    /// base::pairedSpeedup.
    protocol::ClockSpeedup wall(double instanceSpread) const;
    protocol::ClockSpeedup event(double instanceSpread) const;

private:
    /// Brings both processes to their steady speed, by rounds that do not count. Returns whether it made the
    /// candidate's first round.
    bool warmUp(SubjectHandle& candidate, double limit_s, double& used);
    /// `first` of its instance. `settled`: the candidate's first round was made beforehand.
    void makePair(SubjectHandle& candidate, int instance, double limit_s, bool first, bool settled, double& used);
    bool isMuchSlower(std::size_t from) const; ///< in all pairs from this one on
    bool hasWideGain(std::size_t from) const;  ///< they claim a gain whose interval is more than 10 % wide either way
    void spend(double since, double& used);    ///< counts the seconds since then
    void runControl();
    void timeWithThreads(int count); ///< makes rounds of the reference with so many threads more that sleep
    void countTimed(const RoundMaker::Round& own);
    /// The candidate's round of a pair. What it leaves in buffers is compared after one round in three, at random.
    RoundMaker::Round makeOwn(SubjectHandle& candidate, double limit_s, bool first);
    bool choosesOracle(); ///< whether results of the next round to be verified are compared with float64
    void verifyKept();    ///< has the witness compare the results that it kept of the candidate's last round
    /// On a CPU: drops the crowded pairs among those from this one on (crowding.h), and returns how many are good.
    int dropCrowded(std::size_t from);
    /// Why a pair must be dropped; empty to keep it. `foreign`: probes in the reference's round that found work on the
    /// device.
    std::string disturbance(int foreign) const;

    ReferenceSession& m_reference;
    const GpuState& m_gpu;
    Account m_account;
    RoundMaker m_rounds;
    std::mt19937_64 m_order;
    double m_seconds = 0;
    bool m_quick, m_cannotWin = false; ///< the budget is a search's (Budget::clearBy)
    TimedPairs m_pairs;
    std::vector<base::PairTimes> m_control;
    protocol::TimedChecks m_checks;
    std::function<void(const OracleErrors&)> m_onErrors;
    Buffers m_buffers;
    int m_oracles = 0, m_compared = 0; ///< rounds whose results were compared with float64, and with the reference
    std::set<int> m_oraclesAt;         ///< where calls are long: numbers of the compared rounds that have one
    bool m_isLessPrecise = false;      ///< some result was less precise than the reference, which is all that is asked
};

} // namespace cudal1::judge
