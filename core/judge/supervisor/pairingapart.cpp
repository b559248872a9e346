// SPDX-License-Identifier: GPL-3.0-or-later
// Timing without pairs: all rounds of the reference, then all of the candidate. What is lost by it can so be measured.
#include "core/judge/supervisor/timing.h"

#include "core/judge/wire/steadyclock.h"

#include <algorithm>

namespace cudal1::judge {

void Pairing::runApart(SubjectHandle& candidate, double callLimit_s, const std::function<bool(std::size_t, bool)>& enough)
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

} // namespace cudal1::judge
