// SPDX-License-Identifier: GPL-3.0-or-later
// What a candidate is charged for beyond its calls: work where the clock does not run, and work in calls that do not
// stand for their round.
#pragma once

#include "core/judge/supervisor/offclock.h"
#include "core/judge/supervisor/reference.h"
#include "core/judge/supervisor/timedpairs.h"

#include <string>
#include <vector>

namespace cudal1::judge {

/// Compares both sides of one measurement. docs/measuring/account.md has the rules and limits. Used from the
/// supervisor's thread.
class Account {
public:
    /// `onCpu`: the device is the CPU.
    explicit Account(bool onCpu) : m_onCpu(onCpu) {}

    /// Notes what a side did in a round that counts; see OffClock::add.
    void note(DrivenSide side, const RunRound::Reply& reply, bool crowded);
    /// In the reference's rounds: how many probes have found work on the device.
    int foreignToReference() const { return m_reference.foreign; }

    /// How many sleeping threads the reference must be given before charge(), for rounds that noteEqualThreads() takes:
    /// the candidate has so many more, and would be charged for the time around its calls. 0 where there is no need.
    int threadsToEqual(const TimedPairs& pairs) const;
    /// timeAround() of rounds of the reference with that many threads. Fewer than `leastRounds` change nothing.
    void noteEqualThreads(std::vector<double> around_ns) { m_equalThreads_ns = std::move(around_ns); }

    /// Adds to each call of the candidate what it did beyond the reference. Call it once, when all pairs are there.
    /// Throws Refused with `late_device_work` when most of a call went on after its end, and with `device_in_use` when
    /// the device was at work before the inputs were there. If the candidate's calls take longer after the witness has
    /// emptied the caches than after its own process has, only calls of the former kind are kept.
    void charge(TimedPairs& pairs);
    /// Multiplies the candidate's calls by what slowdownBeside() returned.
    void chargeBeside(TimedPairs& pairs, double slowdown);

    const std::vector<std::string>& charges() const { return m_charges; } ///< what was added, one phrase for each kind
    /// By how many percent the candidate's calls take longer on average than those that stand for a round, if the
    /// average counts for that reason: a phrase. Empty if it does not.
    const std::string& unevenness() const { return m_unevenness; }

private:
    void refuseForeignWork() const;
    /// It is ready so much sooner than the reference that it cannot have emptied the caches, as it was asked to.
    bool leavesCachesWarm() const;
    /// Its calls take longer after the witness has emptied the caches than after it has itself, beyond the reference's.
    bool isFasterOnOwnFlush(const TimedPairs& pairs, double call_ns) const;
    void holdAgainstOutside(TimedPairs& pairs, double call_ns); ///< decides m_outsideOnly
    /// A round is represented by the faster third of its calls. Where the candidate's other calls are slower than the
    /// reference's are, as they are when work was moved into them, its average counts instead. That is no finding about
    /// the candidate: where memory is uneven, short calls of honest programs differ as much.
    void holdAgainstMeans(TimedPairs& pairs);
    // What is added to a call of `call_ns`, in nanoseconds. Each also notes its charge.
    double late_ns(TimedPairs& pairs, double call_ns);          ///< work on the device after the call's end
    double early_ns(double call_ns);                            ///< the same between the inputs' arrival and the call
    double between_ns(const TimedPairs& pairs, double call_ns); ///< work before the inputs were there
    double together_ns(double call_ns);                         ///< what the others have left free, if it adds up
    /// Where more than a quarter of the rounds have long tails, adds to the calls of each what its tail is longer than
    /// the reference's: a process could be late in some rounds alone, and its mean would vary too much to say anything.
    /// Rounds of which no tail is known get the mean of the others. Returns the tails that are left to compare.
    std::vector<double> chargeLateRounds(TimedPairs& pairs);
    /// Work before the inputs were there, a call, beyond the reference.
    std::optional<MeanDifference> moreBetween(const TimedPairs& pairs) const;
    /// The same on a CPU, beyond these rounds of the reference.
    std::optional<MeanDifference> moreAround(const TimedPairs& pairs, const std::vector<double>& reference) const;
    /// As much work before its inputs is free, and as much altogether, since handing over varies by as much.
    double freeBetween_ns(double call_ns) const;
    /// Counts calls that are shorter than the least call (Step::Launch) as long as that. A call that uses the device
    /// can only be shorter if it began before its inputs were there, has not ended, or leaves out what the judge does
    /// around every call.
    void raiseToLaunch(TimedPairs& pairs);
    /// Multiplies the candidate's times. Returns by how many percent they are longer then, as text.
    static std::string scaleCandidate(TimedPairs& pairs, double factor);

    bool m_onCpu;
    OffClock m_reference, m_candidate;
    SmallDifferences m_free;               ///< what was within the limits of the rules so far
    std::vector<double> m_equalThreads_ns; ///< see noteEqualThreads()
    std::vector<std::string> m_charges;
    std::string m_unevenness;
    bool m_outsideOnly = false; ///< only the calls before which the witness emptied the caches were kept
};

} // namespace cudal1::judge
