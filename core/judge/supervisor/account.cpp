// SPDX-License-Identifier: GPL-3.0-or-later
// Differences between both sides that are no chance, and what they add to the candidate's calls.
#include "core/judge/supervisor/account.h"

#include "core/base/statistics.h"
#include "core/base/timetext.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <optional>

namespace cudal1::judge {

namespace {

/// ln of how much longer a round's calls take after the witness has emptied the caches than after the process itself
/// has. Empty where the round lacks one of the two kinds.
std::optional<double> outsideEffect(const std::vector<double>& wall_ns, const std::vector<int>& outside)
{
    std::vector<double> from, own;
    for (std::size_t i = 0; i < std::min(wall_ns.size(), outside.size()); ++i)
        (outside[i] ? from : own).push_back(wall_ns[i]);
    if (from.empty() || own.empty())
        return {};
    return std::log(base::median(from) / base::median(own));
}

/// Without the rounds of which nothing is known.
std::vector<double> known(std::vector<double> rounds)
{
    std::erase(rounds, 0.0);
    return rounds;
}

/// A tail that is longer by less is not charged. After longer calls the witness gets the device later, by some 15 us
/// after half a millisecond and 60 us after 20 ms. What may be hidden by that is a twentieth of what the candidate is
/// slower than the reference.
double leastLate_ns(double call_ns, double reference_ns)
{
    return std::max({300.0, 0.01 * call_ns, 0.05 * (call_ns - reference_ns)});
}

void addToCalls(protocol::PairSamples& pair, double more_ns)
{
    for (std::vector<double>* calls : {&pair.candidate_ns, &pair.candidateEvent_ns})
        for (double& call : *calls)
            call += more_ns;
}

/// Keeps the samples of calls before which the witness emptied the caches.
void keepOutside(std::vector<double>& samples, const std::vector<int>& outside)
{
    std::size_t kept = 0;
    for (std::size_t i = 0; i < std::min(samples.size(), outside.size()); ++i)
        if (outside[i])
            samples[kept++] = samples[i];
    samples.resize(kept);
}

} // namespace

void Account::note(DrivenSide side, const RunRound::Reply& reply, bool crowded)
{
    (side == DrivenSide::Candidate ? m_candidate : m_reference).add(reply, m_onCpu, crowded);
}

void Account::refuseForeignWork() const
{
    if (m_candidate.foreign < 3 || m_candidate.foreignShare() <= 2 * m_reference.foreignShare())
        return;
    throw Refused({{"code", "device_in_use"},
                   {"text", "Its process had the GPU at work while it had no inputs to compute with."},
                   {"evidence", std::to_string(m_candidate.foreign) + " of " + std::to_string(m_candidate.probes) +
                                    " looks at the device found it taken, " + std::to_string(m_reference.foreign) +
                                    " of " + std::to_string(m_reference.probes) + " in the reference's rounds"}});
}

std::vector<double> Account::chargeLateRounds(TimedPairs& pairs)
{
    constexpr double ofLongCalls_ns = 2e6; // long calls of the reference are made in the witness and have no tail
    const std::vector<double> theirs = known(m_reference.tail_ns), own = known(m_candidate.tail_ns);
    const double usual_ns = theirs.empty() ? ofLongCalls_ns : base::median(theirs),
                 spread_ns = theirs.empty() ? 0 : base::quantile(theirs, 0.75) - base::quantile(theirs, 0.25),
                 reference_ns = pairs.wall().reference_ns;
    struct Late {
        protocol::PairSamples* pair;
        double more_ns;
    };
    std::vector<Late> late;
    std::vector<protocol::PairSamples*> unknown;
    std::vector<double> rest;
    for (std::size_t i = 0; i < std::min(pairs.samples.size(), m_candidate.tail_ns.size()); ++i) {
        const double more_ns = m_candidate.tail_ns[i] - usual_ns,
                     call_ns = base::roundTime(pairs.samples[i].candidate_ns);
        const double limit_ns = theirs.empty()
                                  ? 0
                                  : std::max({10e3, 0.1 * call_ns, 3 * spread_ns, leastLate_ns(call_ns, reference_ns)});
        if (m_candidate.tail_ns[i] <= 0)
            unknown.push_back(&pairs.samples[i]);
        else if (more_ns > limit_ns)
            late.push_back({&pairs.samples[i], more_ns});
        else
            rest.push_back(m_candidate.tail_ns[i]);
    }
    // The quarter of the pairs that is fastest does not count in the speed-up, and one long tail is chance.
    if (late.size() < 2 || 4 * late.size() <= own.size())
        return own;
    double all_ns = 0;
    for (const auto& [pair, more_ns] : late) {
        addToCalls(*pair, more_ns);
        all_ns += more_ns;
    }
    for (protocol::PairSamples* pair : unknown)
        addToCalls(*pair, all_ns / static_cast<double>(own.size()));
    m_charges.push_back(base::timeText(all_ns / static_cast<double>(late.size())) +
                        " a call on the device after the call's end, in " + std::to_string(late.size()) + " of " +
                        std::to_string(own.size()) + " rounds");
    return rest;
}

double Account::late_ns(TimedPairs& pairs, double call_ns)
{
    const std::vector<double> theirs = known(m_reference.tail_ns);
    const auto all = meanDifference(known(m_candidate.tail_ns), theirs, Chance::AsTheyVary);
    if (all && all->exceeds(std::max(20e3, 0.5 * call_ns)))
        throw Refused(
            {{"code", "late_device_work"},
             {"text", "The device was still at work for it when its process said that the call was over."},
             {"evidence", base::timeText(all->mean_ns) + " a call longer than after the reference's, of calls of " +
                              base::timeText(call_ns)}});
    const double reference_ns = pairs.wall().reference_ns;
    const auto rest = meanDifference(chargeLateRounds(pairs), theirs, Chance::AsTheyVary);
    if (!rest)
        return 0;
    // A difference that may be chance is not charged. So much, and no more, can be hidden (docs/threats.md, L1).
    if (!rest->exceeds(leastLate_ns(call_ns, reference_ns))) {
        m_free.add(*rest);
        return 0;
    }
    m_charges.push_back(base::timeText(rest->mean_ns) + " a call on the device after the call's end");
    return rest->mean_ns;
}

double Account::early_ns(double call_ns)
{
    const std::optional<MeanDifference> more = meanDifference(m_candidate.peek_ns, m_reference.peek_ns,
                                                              Chance::AsTheyVary);
    // By 0.7 us two honest processes differ that have the device at hand (docs/threats.md, L4).
    if (!more)
        return 0;
    if (!more->exceeds(std::max(1000.0, 0.01 * call_ns))) {
        m_free.add(*more);
        return 0;
    }
    m_charges.push_back(base::timeText(more->mean_ns) + " a call on the device before the call was asked for");
    return more->mean_ns;
}

double Account::freeBetween_ns(double call_ns) const
{
    return std::max(m_onCpu ? 25e3 : 5e3, 0.05 * call_ns);
}

std::optional<MeanDifference> Account::moreAround(const TimedPairs& pairs, const std::vector<double>& reference) const
{
    return aroundCalls(m_candidate.around, reference, crowdedAlone(pairs.crowding));
}

int Account::threadsToEqual(const TimedPairs& pairs) const
{
    if (!m_onCpu || pairs.cannotBeCharged())
        return 0;
    // Half of what is free is enough to be charged together with what is found elsewhere.
    const std::optional<MeanDifference> more = moreAround(pairs, m_reference.around.rounds);
    if (!more || !more->exceeds(freeBetween_ns(pairs.wall().candidate_ns) / 2))
        return 0;
    return judge::threadsToEqual(m_candidate.around, m_reference.around);
}

std::optional<MeanDifference> Account::moreBetween(const TimedPairs& pairs) const
{
    if (m_onCpu) {
        const auto more = moreAround(pairs, m_reference.around.rounds), equal = moreAround(pairs, m_equalThreads_ns);
        return more && equal && equal->sure_ns < more->sure_ns ? equal : more;
    }
    // Both sides take the same 0.15 ms to get ready, but for what letting go of the last results takes.
    const auto more = meanDifference(m_candidate.ready_ns, m_reference.ready_ns, Chance::AsTheyVary);
    const auto own = m_outsideOnly
                       ? std::nullopt
                       : meanDifference(m_candidate.ownReady_ns, m_reference.ownReady_ns, Chance::AsTheyVary);
    return own && (!more || own->sure_ns > more->sure_ns) ? own : more;
}

double Account::between_ns(const TimedPairs& pairs, double call_ns)
{
    const std::optional<MeanDifference> more = moreBetween(pairs);
    if (!more)
        return 0;
    if (!more->exceeds(freeBetween_ns(call_ns))) {
        m_free.add(*more);
        return 0;
    }
    m_charges.push_back(base::timeText(more->mean_ns) + " a call before its inputs were there");
    return more->mean_ns;
}

double Account::together_ns(double call_ns)
{
    const MeanDifference all = m_free.sum();
    if (!all.exceeds(freeBetween_ns(call_ns)))
        return 0;
    m_charges.push_back(base::timeText(all.mean_ns) +
                        " a call in several places, each of them too little to be charged alone");
    return all.mean_ns;
}

bool Account::leavesCachesWarm() const
{
    const std::optional<MeanDifference> saved = meanDifference(m_reference.ownReady_ns, m_candidate.ownReady_ns,
                                                               Chance::AsTheyVary);
    return saved && saved->exceeds(10e3); // emptying them takes some 45 us on an H100
}

bool Account::isFasterOnOwnFlush(const TimedPairs& pairs, double call_ns) const
{
    std::vector<double> effects;
    for (std::size_t i = 0; i < pairs.samples.size(); ++i) {
        const auto own = outsideEffect(pairs.samples[i].candidate_ns, pairs.outside[i].candidate);
        const auto theirs = outsideEffect(pairs.samples[i].reference_ns, pairs.outside[i].reference);
        if (own && theirs && !pairs.samples[i].dropped)
            effects.push_back(*own - *theirs);
    }
    if (effects.size() < leastRounds)
        return false;
    const auto [effect, error] = meanOf(effects);
    return effect - 2.5 * error > 0 && effect > std::max(0.01, 300 / call_ns);
}

void Account::holdAgainstOutside(TimedPairs& pairs, double call_ns)
{
    if (!leavesCachesWarm() && !isFasterOnOwnFlush(pairs, call_ns))
        return;
    m_outsideOnly = true;
    for (std::size_t i = 0; i < pairs.samples.size(); ++i) {
        keepOutside(pairs.samples[i].candidate_ns, pairs.outside[i].candidate);
        keepOutside(pairs.samples[i].candidateEvent_ns, pairs.outside[i].candidate);
        keepOutside(pairs.samples[i].reference_ns, pairs.outside[i].reference);
        keepOutside(pairs.samples[i].referenceEvent_ns, pairs.outside[i].reference);
    }
}

void Account::holdAgainstMeans(TimedPairs& pairs)
{
    const std::size_t leastCalls = m_onCpu ? 2 : 3;
    constexpr double unseen = 0.05;
    // Calls before which the witness emptied the caches are slower for that reason alone. Where both kinds are there,
    // only those before which the process did it itself are compared.
    const auto alike = [this](std::vector<double> calls, const std::vector<int>& outside) {
        if (!m_outsideOnly && calls.size() == outside.size() && std::count(outside.begin(), outside.end(), 0) > 0) {
            std::size_t kept = 0;
            for (std::size_t i = 0; i < outside.size(); ++i)
                if (!outside[i])
                    calls[kept++] = calls[i];
            calls.resize(kept);
        }
        return calls;
    };
    // Of all calls of a round that were made in the same way: also of those whose inputs were of another family, or
    // whose results lay in memory that the witness did not know, which are too short perhaps, but not too long.
    const auto unevenness = [](const std::vector<double>& calls, const std::vector<double>& elsewhere) {
        const double all_ns = std::accumulate(elsewhere.begin(), elsewhere.end(),
                                              std::accumulate(calls.begin(), calls.end(), 0.0));
        return std::log(all_ns / static_cast<double>(calls.size() + elsewhere.size()) / base::roundTime(calls));
    };
    std::vector<double> effects;
    for (std::size_t i = 0; i < pairs.samples.size(); ++i) {
        const TimedPairs::Elsewhere elsewhere = i < pairs.elsewhere.size() ? pairs.elsewhere[i]
                                                                           : TimedPairs::Elsewhere{};
        const std::vector<double> own = alike(pairs.samples[i].candidate_ns, pairs.outside[i].candidate),
                                  theirs = alike(pairs.samples[i].reference_ns, pairs.outside[i].reference);
        if (!pairs.samples[i].dropped && own.size() + elsewhere.candidate_ns.size() >= leastCalls &&
            theirs.size() + elsewhere.reference_ns.size() >= leastCalls)
            effects.push_back(unevenness(own, elsewhere.candidate_ns) - unevenness(theirs, elsewhere.reference_ns));
    }
    if (effects.size() < leastRounds)
        return;
    const auto [effect, error] = meanOf(effects);
    // Handing over itself varies by this much, and that is a larger share of the faster side's calls.
    const double ofHandingOver_ns = m_onCpu ? 25e3 : 1e3, call_ns = pairs.wall().candidate_ns,
                 more_ns = (std::exp(effect) - 1) * call_ns;
    if (effect - 2.5 * error > unseen && more_ns > ofHandingOver_ns)
        m_unevenness = scaleCandidate(pairs, std::exp(effect)) + " beyond the calls that stand for a round";
    else
        m_free.add({more_ns, (std::exp(effect - 2.5 * error) - 1) * call_ns});
}

std::string Account::scaleCandidate(TimedPairs& pairs, double factor)
{
    for (protocol::PairSamples& pair : pairs.samples) {
        for (double& call : pair.candidate_ns)
            call *= factor;
        for (double& call : pair.candidateEvent_ns)
            call *= factor;
    }
    char percent[32];
    std::snprintf(percent, sizeof percent, "%.1f %%", 100 * (factor - 1));
    return percent;
}

void Account::raiseToLaunch(TimedPairs& pairs)
{
    if (m_reference.launch_ns.size() < leastRounds)
        return;
    const double least_ns = base::quantile(m_reference.launch_ns, 0.1);
    if (pairs.wall().reference_ns < least_ns)
        return; // it does not use the device, so a candidate need not either
    std::size_t raised = 0, all = 0;
    for (protocol::PairSamples& pair : pairs.samples) {
        all += pair.candidate_ns.size();
        for (double& call : pair.candidate_ns) {
            raised += call < least_ns;
            call = std::max(call, least_ns);
        }
    }
    if (2 * raised > all)
        m_charges.push_back("what " + std::to_string(raised) + " of " + std::to_string(all) + " calls lacked of " +
                            base::timeText(least_ns) + ", the least that a call takes");
}

void Account::charge(TimedPairs& pairs)
{
    refuseForeignWork();
    if (pairs.cannotBeCharged())
        return;
    holdAgainstOutside(pairs, pairs.wall().candidate_ns);
    holdAgainstMeans(pairs);
    const double call_ns = pairs.wall().candidate_ns;
    double added_ns = late_ns(pairs, call_ns) + early_ns(call_ns) + between_ns(pairs, call_ns);
    added_ns += together_ns(call_ns);
    for (protocol::PairSamples& pair : pairs.samples)
        addToCalls(pair, added_ns);
    raiseToLaunch(pairs);
}

void Account::chargeBeside(TimedPairs& pairs, double slowdown)
{
    if (slowdown > 0)
        m_charges.push_back(scaleCandidate(pairs, std::exp(slowdown)) +
                            " that the reference takes longer beside it than alone");
}

} // namespace cudal1::judge
