// SPDX-License-Identifier: GPL-3.0-or-later
// Means of rounds, and what one side takes beyond the other.
#include "core/judge/supervisor/aroundcalls.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

namespace cudal1::judge {

namespace {

/// The mean of the rounds but for so many of the fastest and of the slowest, and its standard error.
std::pair<double, double> meanWithout(std::vector<double> rounds, std::size_t fastest, std::size_t slowest)
{
    std::sort(rounds.begin(), rounds.end());
    const std::vector<double> kept(rounds.begin() + static_cast<std::ptrdiff_t>(fastest),
                                   rounds.end() - static_cast<std::ptrdiff_t>(slowest));
    double sum = 0, squares = 0;
    for (const double value : kept)
        sum += value;
    const double mean = sum / static_cast<double>(kept.size());
    for (const double value : kept)
        squares += (value - mean) * (value - mean);
    const auto count = static_cast<double>(kept.size());
    return {mean, count > 1 ? std::sqrt(squares / (count - 1) / count) : std::abs(mean)};
}

/// Without the slowest fifth of the rounds, at least one where enough are left. One slow round is chance. A candidate
/// that is slow in so few gains nothing by what it prepares in them: the quarter of the pairs that is fastest does not
/// count in the speed-up.
std::pair<double, double> meanWithoutSlowest(const std::vector<double>& rounds)
{
    const std::size_t atLeast = rounds.size() > leastRounds ? 1 : 0;
    return meanWithout(rounds, rounds.size() / 10, std::max(rounds.size() / 5, atLeast));
}

} // namespace

std::pair<double, double> meanOf(const std::vector<double>& rounds)
{
    return meanWithout(rounds, rounds.size() / 10, rounds.size() / 10);
}

std::optional<MeanDifference> meanDifference(const std::vector<double>& own, const std::vector<double>& theirs,
                                             Chance chance)
{
    if (own.size() < leastRounds || theirs.size() < leastRounds)
        return {};
    const bool byTheReference = chance == Chance::AsTheReference;
    auto [ownMean, ownError] = byTheReference ? meanWithoutSlowest(own) : meanOf(own);
    const auto [theirMean, theirError] = byTheReference ? meanWithoutSlowest(theirs) : meanOf(theirs);
    if (byTheReference)
        ownError = std::min(
            ownError, 4 * theirError * std::sqrt(static_cast<double>(theirs.size()) / static_cast<double>(own.size())));
    const double more_ns = ownMean - theirMean;
    return MeanDifference{more_ns, more_ns - 2.5 * std::hypot(ownError, theirError)};
}

void SmallDifferences::add(const MeanDifference& more)
{
    if (more.mean_ns <= 0)
        return;
    m_mean_ns += more.mean_ns;
    m_squaredErrors += (more.mean_ns - more.sure_ns) * (more.mean_ns - more.sure_ns);
}

MeanDifference SmallDifferences::sum() const
{
    return {m_mean_ns, m_mean_ns - std::sqrt(m_squaredErrors)};
}

namespace {

double mean(const std::vector<double>& all)
{
    return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
}

std::vector<double> joined(std::vector<double> a, const std::vector<double>& b)
{
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

} // namespace

std::optional<double> timeAround(const RunRound::Reply& reply)
{
    if (reply.ready_ns.empty())
        return {};
    // Each of the other calls counts as one too: samples together with what is added are then as long as the mean of
    // all calls, whichever of them a process works more in.
    return mean(reply.ready_ns) + reply.other_ns / std::max(reply.samples + reply.others, 1);
}

void AroundCalls::add(const RunRound::Reply& reply, bool isCrowded)
{
    const std::optional<double> around = timeAround(reply);
    if (!around)
        return;
    (isCrowded ? crowded : rounds).push_back(*around);
    threads = std::min(threads, reply.threads);
}

std::optional<MeanDifference> aroundCalls(const AroundCalls& candidate, const std::vector<double>& reference,
                                          bool crowdedAlone)
{
    return meanDifference(crowdedAlone ? joined(candidate.rounds, candidate.crowded) : candidate.rounds, reference,
                          Chance::AsTheReference);
}

int threadsToEqual(const AroundCalls& candidate, const AroundCalls& reference)
{
    const int ofAPool = std::max(4, static_cast<int>(std::thread::hardware_concurrency()));
    return std::clamp(candidate.threads - reference.threads, 0, ofAPool);
}

} // namespace cudal1::judge
