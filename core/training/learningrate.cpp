// SPDX-License-Identifier: GPL-3.0-or-later
// Warm-up, then decay.
#include "core/training/learningrate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cudal1::training {

double learningRateAt(const LearningRate& settings, std::size_t step)
{
    const auto at = static_cast<double>(step), warmup = static_cast<double>(settings.warmupSteps);
    if (step < settings.warmupSteps)
        return settings.peak * at / warmup;
    if (settings.decay == Decay::None || settings.totalSteps <= settings.warmupSteps)
        return settings.peak;
    const double begin = std::max(warmup, 1.0);
    const double share = std::clamp((at - begin) / std::max(static_cast<double>(settings.totalSteps) - begin, 1.0), 0.0,
                                    1.0);
    const double left = settings.decay == Decay::Cosine ? (1 + std::cos(std::numbers::pi * share)) / 2 : 1 - share;
    return settings.peak * (settings.endShare + (1 - settings.endShare) * left);
}

} // namespace cudal1::training
