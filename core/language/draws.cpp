// SPDX-License-Identifier: GPL-3.0-or-later
// Draws from the Mersenne twister.
#include "core/language/draws.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cudal1::language {

std::uint64_t mixed(std::uint64_t seed, std::uint64_t more)
{
    // The finaliser of SplitMix64 over both.
    std::uint64_t z = seed + 0x9e3779b97f4a7c15U * (more + 1);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

std::uint64_t mixed(std::uint64_t seed, std::string_view more)
{
    for (const char c : more)
        seed = mixed(seed, static_cast<unsigned char>(c));
    return mixed(seed, more.size());
}

Draws::Draws(std::uint64_t seed) : m_engine(mixed(seed, 0)) {}

double Draws::unit()
{
    return static_cast<double>(m_engine() >> 11) * 0x1p-53;
}

std::size_t Draws::below(std::size_t count)
{
    // Less than 2^-53 * count from uniform.
    return std::min(count - 1, static_cast<std::size_t>(unit() * static_cast<double>(count)));
}

std::size_t Draws::weighted(const std::vector<double>& weights)
{
    double left = unit() * std::accumulate(weights.begin(), weights.end(), 0.0);
    std::size_t last = 0;
    for (std::size_t at = 0; at < weights.size(); ++at) {
        if (weights[at] <= 0)
            continue;
        last = at;
        left -= weights[at];
        if (left < 0)
            return at;
    }
    return last; // the sum was rounded up
}

std::vector<std::size_t> Draws::weightedWithoutRepeats(std::vector<double> weights, std::size_t most)
{
    std::vector<std::size_t> drawn;
    while (drawn.size() < most && std::any_of(weights.begin(), weights.end(), [](double one) { return one > 0; })) {
        drawn.push_back(weighted(weights));
        weights[drawn.back()] = 0;
    }
    return drawn;
}

std::vector<double> softmaxWeights(const std::vector<double>& scores, double temperature)
{
    // Subtracting the mean, as the equation has it, or the largest, as here, gives the same shares; the largest keeps
    // the exponential from overflowing. What is hundreds of temperatures below it still has a weight above 0, so that
    // it is drawn when the others are gone.
    std::vector<double> weights;
    const double largest = scores.empty() ? 0 : *std::max_element(scores.begin(), scores.end());
    for (const double score : scores)
        weights.push_back(std::exp(std::max(-700.0, (score - largest) / temperature)));
    return weights;
}

} // namespace cudal1::language
