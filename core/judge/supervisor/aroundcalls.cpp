// SPDX-License-Identifier: GPL-3.0-or-later
// Means of rounds, and the limits within which a difference is not charged.
#include "core/judge/supervisor/aroundcalls.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cudal1::judge {

std::pair<double, double> meanOf(std::vector<double> rounds)
{
    std::sort(rounds.begin(), rounds.end());
    const std::size_t left = rounds.size() / 10;
    const std::vector<double> kept(rounds.begin() + static_cast<std::ptrdiff_t>(left),
                                   rounds.end() - static_cast<std::ptrdiff_t>(left));
    double sum = 0, squares = 0;
    for (const double value : kept)
        sum += value;
    const double mean = sum / static_cast<double>(kept.size());
    for (const double value : kept)
        squares += (value - mean) * (value - mean);
    const auto count = static_cast<double>(kept.size());
    return {mean, count > 1 ? std::sqrt(squares / (count - 1) / count) : std::abs(mean)};
}

namespace {

double mean(const std::vector<double>& all)
{
    return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
}

struct Excess {
    double more_ns = 0, chance_ns = 0;
};

Excess excessOf(const std::vector<double>& own, const std::vector<double>& theirs)
{
    const auto [ownMean, ownError] = meanOf(own);
    const auto [theirMean, theirError] = meanOf(theirs);
    return {ownMean - theirMean, 2.5 * std::hypot(ownError, theirError)};
}

std::vector<double> joined(std::vector<double> a, const std::vector<double>& b)
{
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

} // namespace

void AroundCalls::add(const RunRound::Reply& reply, bool isCrowded)
{
    if (reply.ready_ns.empty() || reply.readyCpu_ns.size() != reply.ready_ns.size())
        return;
    const int samples = std::max(reply.samples, 1);
    Rounds& into = isCrowded ? crowded : rounds;
    into.wall_ns.push_back(mean(reply.ready_ns) + reply.other_ns / samples);
    into.cpu_ns.push_back(mean(reply.readyCpu_ns) + reply.otherCpu_ns / samples);
    oneProcess = oneProcess && reply.oneProcess;
    threads = std::min(threads, reply.threads);
}

double aroundCalls_ns(const AroundCalls& candidate, const AroundCalls& reference, bool crowdedAlone, double call_ns)
{
    constexpr double ofThread_ns = 40e3, mostThreads = 4;
    AroundCalls::Rounds own = candidate.rounds;
    if (crowdedAlone)
        own = {joined(own.wall_ns, candidate.crowded.wall_ns), joined(own.cpu_ns, candidate.crowded.cpu_ns)};
    if (own.wall_ns.size() < leastRounds || reference.rounds.wall_ns.size() < leastRounds)
        return 0;
    // Caches are flushed later, but a process can prepare memory here, which takes most of the time of a call with a
    // large result.
    const double limit_ns = std::max(25e3, 0.05 * call_ns);
    const Excess wall = excessOf(own.wall_ns, reference.rounds.wall_ns);
    if (wall.more_ns - wall.chance_ns <= limit_ns)
        return 0;
    if (candidate.oneProcess && reference.oneProcess) {
        const Excess cpu = excessOf(own.cpu_ns, reference.rounds.cpu_ns);
        const double threads = std::clamp<double>(candidate.threads - reference.threads, 0, mostThreads);
        const double allowed_ns = limit_ns + threads * ofThread_ns;
        if (threads > 0 && cpu.more_ns - cpu.chance_ns <= allowed_ns && wall.more_ns - cpu.more_ns <= allowed_ns)
            return 0;
    }
    return wall.more_ns;
}

} // namespace cudal1::judge
