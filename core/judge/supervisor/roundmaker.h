// SPDX-License-Identifier: GPL-3.0-or-later
// Makes the timed rounds of both sides: how long they are, on which contents, and what is subtracted from their calls.
#pragma once

#include "core/judge/supervisor/account.h"
#include "core/judge/supervisor/budget.h"
#include "core/judge/supervisor/otherwork.h"
#include "core/judge/supervisor/reference.h"
#include "core/judge/supervisor/seedsequence.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace cudal1::judge {

/// The shape of a round. Lengths include all that is around the calls, which on a GPU is half a millisecond a call.
struct RoundShape {
    double warmup_ns = 5e5;     ///< calls that are thrown away
    double timed_ns = 8e6;      ///< calls that count
    double mostTimed_ns = 16e6; ///< instead of `timed_ns`, up to eight calls' time, where fewer than eight calls fit
    int maxCalls = 10000;
    bool controls = true; ///< time the reference against itself after some pairs
    /// On a GPU, where calls take less than a millisecond: before five of six counted calls the timed process empties
    /// the caches itself, since the witness takes far longer for it. What that process does is a claim;
    /// Account::charge() checks it.
    bool ownFlush = false;
    int mostKept = 4; ///< at most so many results of a round are compared
};

/// Used from the supervisor's thread, for one measurement. Members throw what ReferenceSession::round and
/// ReferenceSession::ask throw.
class RoundMaker {
public:
    /// `core` is the hardware thread that both sides are pinned to in a round, -1 for none (the CPU device). The
    /// contents of calls are drawn from `seed`. Rounds that count are noted in `account`. Keeps references to
    /// `reference` and `account`.
    RoundMaker(ReferenceSession& reference, Account& account, int core, std::uint64_t seed, const Budget& budget);

    struct Round {
        std::vector<double> wall_ns, event_ns;
        std::vector<int> outside;            ///< RunRound::Reply::outside
        std::vector<double> elsewhere_ns;    ///< RunRound::Reply::elsewhere_ns
        bool crowded = false;                ///< see crowdedShare()
        double waited_ns = 0, others_ns = 0; ///< as in RunRound::Reply
        std::optional<double> around_ns;     ///< timeAround()
    };
    /// A round of the candidate, or of the reference where `candidate` is null. `first` of its instance: it may wait
    /// until calls are steady. Only a round that `counts` has results to compare and is held to account.
    /// `record`: the witness keeps its calls, for CompareBuffers.
    Round make(SubjectHandle* candidate, double limit_s, bool first, bool counts = true, bool record = false);
    /// From now on no round of the reference waits until its calls are steady.
    void referenceIsSettled() { m_referenceSettled = true; }

    void refreshInputs();      ///< has the witness make one more draw for the contents of calls
    void refreshInputsIfDue(); ///< does so when rounds have taken as long as the last draw took
    void spent(double seconds) { m_sinceRefresh_s += seconds; } ///< says that rounds have taken so long

    /// Says how long a call of the reference is known to take, since long calls get no warm-up.
    void expectCalls(double call_ns) { noteCall(call_ns); }
    /// The longest time that a call of the reference has taken, as a median of a round. Work that a candidate has left
    /// on the device makes calls longer and never shorter, so it is no more than four times the shortest.
    double call_ns() const;
    /// Calls need no warm-up, and both sides get the same contents.
    bool longCalls() const;
    bool onCpu() const { return m_core < 0; }
    void setShape(const RoundShape& shape) { m_shape = shape; }
    const RoundShape& shape() const { return m_shape; }
    /// The share of rounds that were crowded: for more than a tenth of the round the timed process, or the witness, was
    /// ready to run and had no core, beyond what they ran themselves.
    double crowdedShare() const { return m_rounds > 0 ? static_cast<double>(m_crowded) / m_rounds : 0; }
    const OtherWork& otherWork() const { return m_otherWork; } ///< on a CPU

private:
    void noteCall(double call_ns); ///< of the reference
    RunRound requestOf(bool ofCandidate, double limit_s, bool first, bool counts) const;

    ReferenceSession& m_reference;
    Account& m_account;
    int m_core;
    SeedSequence m_inputSeeds;
    double m_settle_s;
    bool m_referenceSettled = false;
    RoundShape m_shape; ///< rounds are longer on the CPU, where more disturbs a call
    double m_longest_ns = 0, m_shortest_ns = std::numeric_limits<double>::infinity(); ///< calls of the reference
    double m_refresh_s = 0;         ///< how long the last refreshInputs() took
    double m_sinceRefresh_s = 0;    ///< time in rounds since then
    std::vector<double> m_empty_ns; ///< of each round of the reference, its shortest empty step
    int m_rounds = 0, m_crowded = 0;
    OtherWork m_otherWork;
};

} // namespace cudal1::judge
