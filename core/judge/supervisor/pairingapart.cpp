// SPDX-License-Identifier: GPL-3.0-or-later
// Timing without pairs: all rounds of the reference, then all of the candidate. What is lost by it can so be measured.
#include "core/judge/supervisor/timing.h"

#include "core/judge/wire/steadyclock.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

namespace cudal1::judge {

void Pairing::runApart(SubjectHandle& candidate, double callLimit_s,
                       const std::function<bool(std::size_t, bool)>& enough)
{
    const double limit_s = 2 * callLimit_s + 10;
    std::vector<Round> theirs, own;
    const auto renew = [this] {
        if (m_sinceRefresh_s >= m_refresh_s)
            refreshInputs();
    };
    const auto timed = [this](const std::function<Round()>& run) {
        const double begun = secondsNow();
        Round done = run();
        m_sinceRefresh_s += secondsNow() - begun;
        return done;
    };
    refreshInputs();
    do {
        renew();
        theirs.push_back(timed([&] { return round(nullptr, 0, theirs.empty()); }));
    } while (!enough(theirs.size(), false));
    do {
        renew();
        own.push_back(timed([&] { return round(&candidate, limit_s, own.empty()); }));
        countTimed(own.back());
        verifyKept();
    } while (!enough(own.size(), true));

    for (std::size_t i = 0; i < std::min(theirs.size(), own.size()); ++i) {
        protocol::PairSamples pair;
        m_outside.push_back({std::move(theirs[i].outside), std::move(own[i].outside)});
        pair.reference_ns = std::move(theirs[i].wall_ns);
        pair.referenceEvent_ns = std::move(theirs[i].event_ns);
        pair.candidate_ns = std::move(own[i].wall_ns);
        pair.candidateEvent_ns = std::move(own[i].event_ns);
        m_pairs.push_back(std::move(pair));
    }
}

double Pairing::slowdownBeside()
{
    constexpr std::size_t mostRounds = 9;
    constexpr double longEnough_s = 3, unseen = 0.05; // a virtual machine's speed drifts by some per cent in a second
    std::vector<double> beside, alone;
    for (const protocol::PairSamples& pair : m_pairs)
        if (!pair.dropped)
            beside.push_back(std::log(base::roundTime(pair.reference_ns)));
    // Where other work wants the cores too, one round tells little of another; the label says so.
    if (!onCpu() || beside.size() < leastRounds || cannotCharge() || wall(0).speedup.low <= 1 + unseen)
        return 0;
    const double begun = secondsNow();
    for (std::size_t made = 0; made < mostRounds && (alone.size() < leastRounds || secondsNow() - begun < longEnough_s);
         ++made) {
        // As long as the candidate's rounds were: threads that have rested are slower than those that go on.
        std::this_thread::sleep_for(
            std::chrono::duration<double, std::nano>(std::min(m_shape.mostTimed_ns + m_shape.warmup_ns, 0.1e9)));
        const Round one = round(nullptr, 0, false, false);
        if (!one.crowded)
            alone.push_back(std::log(base::roundTime(one.wall_ns)));
    }
    if (alone.size() < leastRounds)
        return 0;
    const auto [slow, slowError] = meanOf(beside);
    const auto [fast, fastError] = meanOf(alone);
    return slow - fast - 2.5 * std::hypot(slowError, fastError) > unseen ? slow - fast : 0;
}

void Pairing::chargeBeside(double slowdown)
{
    if (slowdown > 0)
        scaleCandidate(std::exp(slowdown), "that the reference takes longer beside it than alone");
}

} // namespace cudal1::judge
