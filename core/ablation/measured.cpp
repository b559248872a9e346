// SPDX-License-Identifier: GPL-3.0-or-later
// Speed-ups at the host's mean speed.
#include "core/ablation/measured.h"

#include "core/ablation/findingstext.h"
#include "core/base/timetext.h"
#include "core/protocol/hostspeed.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cudal1::ablation {

namespace {

const protocol::ClockSpeedup& of(const protocol::Outcome& outcome, EffectClock clock)
{
    return clock == EffectClock::Wall ? outcome.wall : outcome.event;
}

std::vector<JudgedCombination> judgedRows(const std::vector<CombinationRow>& rows)
{
    std::vector<JudgedCombination> out;
    for (const CombinationRow& row : rows)
        if (row.found) {
            const protocol::Outcome& outcome = *row.found; // the rest is not wanted
            out.push_back({row.on, outcome});
        }
    return out;
}

bool counts(const JudgedCombination& one, EffectClock clock)
{
    return one.outcome.verdict == protocol::Verdict::Correct && of(one.outcome, clock).valid();
}

} // namespace

std::vector<Measured> measuredOf(std::span<const JudgedCombination> judged, EffectClock clock)
{
    std::vector<double> references;
    for (const JudgedCombination& one : judged)
        if (counts(one, clock))
            references.push_back(std::log(of(one.outcome, clock).reference_ns));
    const double mean = std::accumulate(references.begin(), references.end(), 0.0) /
                        static_cast<double>(std::max<std::size_t>(references.size(), 1));
    std::vector<Measured> out;
    for (const JudgedCombination& one : judged) {
        if (!counts(one, clock))
            continue;
        const double follows = protocol::followsHost(one.outcome.wall, one.outcome.gpuBusy);
        out.push_back({one.on, protocol::whileReferenceTakes(std::exp(mean), of(one.outcome, clock), follows)});
    }
    return out;
}

std::vector<Measured> measuredOf(const std::vector<CombinationRow>& rows, EffectClock clock)
{
    return measuredOf(judgedRows(rows), clock);
}

std::string driftText(const std::vector<CombinationRow>& rows)
{
    constexpr double worthSaying = 1.1;
    double least = 0, most = 0;
    for (const JudgedCombination& one : judgedRows(rows)) {
        if (!counts(one, EffectClock::Wall) || protocol::followsHost(one.outcome.wall, one.outcome.gpuBusy) == 0)
            continue;
        const double reference_ns = one.outcome.wall.reference_ns;
        least = least == 0 ? reference_ns : std::min(least, reference_ns);
        most = std::max(most, reference_ns);
    }
    if (most <= worthSaying * least)
        return {};
    return "A call of the reference took " + base::timeText(least) + " to " + base::timeText(most) +
           ", since the host was not equally fast all the time. Each speed-up is over the reference as it was beside "
           "that combination; so to rank combinations, compare the times of their calls. Effects are computed as if "
           "the host had been equally fast throughout.";
}

} // namespace cudal1::ablation
