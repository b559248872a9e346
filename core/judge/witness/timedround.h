// SPDX-License-Identifier: GPL-3.0-or-later
// One timed round of a subject: calls on contents that it has not seen, by the witness's clock.
#pragma once

#include "core/judge/witness/callmaker.h"
#include "core/judge/witness/driver.h"
#include "core/judge/witness/handedresults.h"
#include "core/judge/witness/referencehost.h"
#include "core/judge/witness/secretcall.h"
#include "core/judge/witness/threadschedule.h"

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace cudal1::judge {

/// Lives as long as the round, and is used from the witness's main thread. The destructor ends the subject's steps and
/// gives its cores back.
class TimedRound {
public:
    /// What the witness has, and a round uses.
    struct Means {
        ReferenceHost& reference; ///< is told when the reference itself is seen to change inputs
        Driver& driver;
        CallMaker& calls;              ///< something must have been drawn
        std::vector<SecretCall>& kept; ///< gets the candidate's calls whose results are to be compared
        /// Results cannot be read where they lie, so both sides copy them to the arena. A round of the reference sets
        /// it when it finds that.
        bool& copied;
        /// How many calls the last round of this side was given contents for; after this round, the number of its own.
        std::size_t& taken;
        /// Gets all calls of a round that is recorded, as far as there is room for their inputs; else it is empty.
        std::vector<SecretCall>& made;
        /// Where results of this process lay in its earlier rounds of long calls, on a CPU.
        HandedResults::Places& known;
    };

    /// Pins the subject's main thread to the core of the request. Keeps references to its arguments, but for
    /// `patience`.
    TimedRound(const Means& means, DrivenSubject& subject, const RunRound& request, Driver::Patience patience);
    TimedRound(const TimedRound&) = delete;
    TimedRound& operator=(const TimedRound&) = delete;
    ~TimedRound();

    /// Call it once. Throws Refusal when a result cannot be read, when a result changes while it is held, and when a
    /// call changes its inputs; std::runtime_error where CUDA fails or the subject does not stop.
    RunRound::Reply run();

private:
    Ending makeCalls();
    /// Throws calls away until three blocks in a row are no faster than the best block, or settle_ns have passed.
    Ending settle();
    /// Times empty steps, of the reference only: a candidate could make its own look slow, and that is subtracted from
    /// calls.
    Ending measureEmpty();

    /// Makes one call. One that `counts` becomes a sample, unless it is a peek or was made in another way than most.
    Ending call(bool counts);
    SecretCall nextSecret();
    /// Makes the contents of many calls at once, since the subject loses the GPU each time that this process uses it:
    /// of as many as the last round of this side had, and of a few where those are used up.
    SecretCall nextStaged();
    /// Where among the kept calls this one goes; m_most or more when it is not kept.
    std::uint64_t placeAmongKept(bool counts) const;
    Driver::Plan planOf(std::uint64_t seed, bool counts, bool isKept); ///< `isKept`: its results may be compared
    /// Makes the call. The first time that a result of the reference cannot be read in place, makes it again with
    /// results copied to the arena; from then on both sides copy theirs.
    Ending drive(Driver::Plan& plan, const SecretCall& secret, Driver::Call& done);
    void noteProbes(const Driver::Plan& plan, const Driver::Call& done, bool counts);
    /// Whether the present call, which is no sample, takes the place of the one that is kept of these. What nobody
    /// compares a process could leave out, and use its time for something else.
    bool choosesOther();
    /// Takes the results of a call that is to be compared.
    void take(std::uint64_t place, SecretCall& secret, Driver::Call& done);
    void keep(std::uint64_t place, SecretCall secret, Driver::Call& done); ///< of a sample
    void keepOther(SecretCall secret, Driver::Call& done);                 ///< of a call that is none
    void keepBeside(SecretCall secret, Driver::Call& done);                ///< of one that is compared in any case
    /// Which calls have inputs of another family and are compared in any case, by their numbers: nobody knows a call's
    /// family before it, so a process that holds for the task's own inputs alone while it is timed is found out.
    std::set<std::size_t> numbersOfOthers() const;
    void noteSample(const Driver::Plan& plan, const Driver::Call& done, int number);
    /// Holds the results of the last call now and then, and spoils the others: on a GPU, where that takes the device
    /// from the subject, some of them.
    void tryHandedResults(const std::vector<ResultPlace>& places);
    /// Whether the results of a call lie in memory in which nothing has been overwritten yet, so that they can have
    /// been prepared before. Then overwrites a part of them, and does so after each call that is no sample. Throws
    /// Refusal when they should have been copied.
    bool cameFromElsewhere(const Driver::Plan& plan, const Driver::Call& done, bool isOther);

    void record(const SecretCall& secret);
    void noteInputs(bool changed); ///< throws Refusal when a call that must not has changed its inputs
    /// A call takes longer when a thread of its process has no core, and when this process, which reads the clock, has
    /// none.
    void noteWaiting();
    /// Sums up what the calls that are no samples took beyond the samples, since a process could move work into them.
    void noteOthers();
    /// What the calls that are no samples took so far beyond one that takes `wall_ns`, and `ready_ns` to get ready.
    double othersBeyond_ns(double wall_ns, double ready_ns) const;

    ReferenceHost& m_reference;
    Driver& m_driver;
    CallMaker& m_calls;
    std::vector<SecretCall>& m_kept;
    bool& m_copied;
    std::size_t& m_takenByLast;           ///< Means::taken
    std::vector<SecretCall>& m_made;      ///< Means::made
    std::size_t m_recorded = 0;           ///< bytes of the inputs there
    HandedResults::Places& m_knownBefore; ///< Means::known
    const RunRound& m_request;
    DrivenSubject& m_subject;
    Driver::Patience m_patience;
    const bool m_onGpu;
    const std::size_t m_most; ///< how many calls are kept at most
    RunRound::Reply m_out;
    std::vector<SecretCall> m_next; ///< staged calls; the last one is made first
    std::size_t m_taken = 0;        ///< how many were taken from there
    HandedResults m_handed;
    /// Of the calls that are kept: their inputs, and what lay in their place after the call.
    std::vector<std::pair<std::vector<at::Tensor>, at::Tensor>> m_after;
    std::uint64_t m_seen = 0;              ///< samples so far; each could have been kept
    bool m_keepsOther;                     ///< one of the calls that are no samples is kept in this round
    std::uint64_t m_seenOthers = 0;        ///< calls so far that are no samples, and could be that one
    std::optional<SecretCall> m_otherKept; ///< that one of them
    const std::set<std::size_t> m_isOther; ///< numbersOfOthers()
    std::vector<SecretCall> m_keptBeside;  ///< those calls
    /// Of calls that count, where the subject mostly empties the caches itself: before the next one the witness does.
    bool m_flushNext = false;
    struct Other {
        double wall_ns, ready_ns; ///< as Call::wallWorked_ns and readyWorked_ns
    };
    std::vector<Other> m_others;      ///< of calls that are no samples
    int m_number = 0, m_opened = 0;   ///< calls so far, and how many of them had results in new memory
    double m_last_ns = 0;             ///< the last call
    double m_laying_ns = 0;           ///< making the contents of a call, when that was done last
    DrivenSubject::Schedule m_before; ///< as the round began
    ThreadSchedule m_ownBefore;
    double m_ready_ns = 0, m_wall_ns = 0; ///< sums over all calls so far
};

} // namespace cudal1::judge
