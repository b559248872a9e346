// SPDX-License-Identifier: GPL-3.0-or-later
// Random draws that are the same on every machine and compiler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

namespace cudal1::language {

/// A seed that differs in about half of its bits when one of the two differs.
std::uint64_t mixed(std::uint64_t seed, std::uint64_t more);
std::uint64_t mixed(std::uint64_t seed, std::string_view more);

/// The standard defines the generator, but not how its distributions use it; those are our own.
class Draws {
public:
    explicit Draws(std::uint64_t seed);

    double unit();                        ///< in [0, 1), 53 bits
    std::size_t below(std::size_t count); ///< uniform over 0 … count - 1; `count` from 1
    /// A place of `weights`, each as likely as its share of the sum. Weights are finite and not negative, and one at
    /// least is above 0.
    std::size_t weighted(const std::vector<double>& weights);
    /// At most `most` different places, drawn one after the other, each by its share of what is left.
    std::vector<std::size_t> weightedWithoutRepeats(std::vector<double> weights, std::size_t most);

private:
    std::mt19937_64 m_engine;
};

/// exp((score - mean of all scores) / temperature), scaled so that the largest is 1: equation 1 of the paper before it
/// is divided by the sum, which cancels both.
std::vector<double> softmaxWeights(const std::vector<double>& scores, double temperature);

} // namespace cudal1::language
