// SPDX-License-Identifier: GPL-3.0-or-later
// Timing without pairs: all rounds of the reference, then all of the candidate. What is lost by it can so be measured.
#include "core/judge/timing.h"

#include <algorithm>

namespace cudal1::judge {

void Pairing::runApart(SubjectHandle& candidate, double callLimit_s, const std::function<bool(std::size_t, bool)>& enough)
{
    const double limit_s = 2 * callLimit_s + 10;
    std::vector<Round> theirs, own;
    const auto renew = [this] {
        if (m_sinceRefresh_s >= m_refresh_s)
            refreshInputs();
        m_key = m_inputSeeds.next();
    };
    refreshInputs();
    do {
        renew();
        theirs.push_back(round(nullptr, 0, theirs.empty()));
        m_sinceRefresh_s += theirs.back().outside_ns * 1e-9;
    } while (!enough(theirs.size(), false));
    do {
        // The first round goes by the key of the reference's last: the result that the reference kept there is the one
        // that the check of this round may be compared with.
        if (!own.empty())
            renew();
        own.push_back(round(&candidate, limit_s, own.empty()));
        m_sinceRefresh_s += own.back().outside_ns * 1e-9;
        verifyKept(own.back());
    } while (!enough(own.size(), true));

    for (std::size_t i = 0; i < std::min(theirs.size(), own.size()); ++i) {
        protocol::PairSamples pair;
        pair.reference_ns = std::move(theirs[i].wall_ns);
        pair.referenceEvent_ns = std::move(theirs[i].event_ns);
        pair.candidate_ns = std::move(own[i].wall_ns);
        pair.candidateEvent_ns = std::move(own[i].event_ns);
        m_pairs.push_back(std::move(pair));
    }
}

} // namespace cudal1::judge
