// SPDX-License-Identifier: GPL-3.0-or-later
// The learning rate over the steps of a training.
#pragma once

#include <cstddef>

namespace cudal1::training {

enum class Decay { Cosine, Linear, None };

struct LearningRate {
    double peak = 1e-5;
    std::size_t warmupSteps = 0; ///< it grows in equal parts; step number `warmupSteps` is the first at the peak
    std::size_t totalSteps = 0;  ///< at which the decay has reached its end; 0: there is no decay
    double endShare = 0;         ///< of the peak, at the end of the decay and beyond
    Decay decay = Decay::Cosine;
};

/// `step`: number of the optimizer's step, from 1.
double learningRateAt(const LearningRate& settings, std::size_t step);

} // namespace cudal1::training
