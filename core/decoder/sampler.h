// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a token from logits.
#pragma once

#include "core/decoder/cpukernels.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace cudal1::decoder {

/// How tokens are drawn. The sets are cut in this order: topK, topP, minP; each by the probabilities at this
/// temperature.
struct TokenSampling {
    double temperature = 1; ///< 0: always the likeliest token (the lowest number of equal ones)
    double topP = 1;        ///< the smallest set of tokens with this probability, in (0, 1]
    std::size_t topK = 0;   ///< the likeliest tokens; 0: all
    double minP = 0;        ///< tokens with at least this share of the likeliest one's probability
    std::uint64_t seed = 0;
};

struct Drawn {
    int token = 0;
    /// Natural logarithm of the probability with which it was drawn; at temperature 0 the one that the model gives it.
    float logProbability = 0;
};

/// The same for the same logits, settings, seed and number, whatever else is drawn: there is no state but a place to
/// work in. Used by one thread.
class Sampler {
public:
    explicit Sampler(const CpuKernels& kernels) : m_kernels(kernels) {}

    /// `number`: of the token in its reply, from 0.
    Drawn draw(std::span<const float> logits, const TokenSampling& drawing, std::uint64_t number);

private:
    Drawn drawFromAll(std::span<const float> logits, const TokenSampling& drawing, float greatest, double u);
    Drawn drawFromSome(std::span<const float> logits, const TokenSampling& drawing, float greatest, double u);

    const CpuKernels& m_kernels;
    std::vector<double> m_blocks;
    std::vector<std::pair<float, int>> m_order;
};

/// A number in [0, 1) that depends on both and looks random; the finaliser of SplitMix64.
double uniform(std::uint64_t seed, std::uint64_t number);

} // namespace cudal1::decoder
