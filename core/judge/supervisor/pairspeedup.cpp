// SPDX-License-Identifier: GPL-3.0-or-later
// One time for each side of a pair, and the interval over pairs.
#include "core/judge/supervisor/pairspeedup.h"

#include "core/base/statistics.h"

namespace cudal1::judge {

protocol::ClockSpeedup speedupOf(const std::vector<protocol::PairSamples>& pairs, TimedClock clock,
                                 double instanceSpread)
{
    const bool events = clock == TimedClock::Event;
    std::vector<base::PairTimes> times;
    std::vector<double> reference, candidate;
    for (const protocol::PairSamples& pair : pairs) {
        if (pair.dropped)
            continue;
        const double r = base::roundTime(events ? pair.referenceEvent_ns : pair.reference_ns);
        const double c = base::roundTime(events ? pair.candidateEvent_ns : pair.candidate_ns);
        if (r <= 0 || c <= 0)
            continue;
        times.push_back({r, c, pair.instance});
        reference.push_back(r);
        candidate.push_back(c);
    }
    return {base::pairedSpeedup(times, 1, instanceSpread), base::median(reference), base::median(candidate)};
}

} // namespace cudal1::judge
