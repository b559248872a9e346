// SPDX-License-Identifier: GPL-3.0-or-later
// Rotary frequencies by kind of scaling.
#include "core/decoder/rotary.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cudal1::decoder {

using modelfiles::DecoderConfig;
using modelfiles::RotaryScaling;

namespace {

constexpr double fullTurn = 2 * std::numbers::pi;

/// Which frequency turns `rotations` times within the original context.
double dimensionOf(double rotations, double size, double base, double context)
{
    return size * std::log(context / (rotations * fullTurn)) / (2 * std::log(base));
}

double llama3(double frequency, const RotaryScaling& scaling)
{
    const auto context = static_cast<double>(scaling.originalContext);
    const double wavelength = fullTurn / frequency;
    if (wavelength > context / scaling.lowFrequency)
        return frequency / scaling.factor;
    if (wavelength < context / scaling.highFrequency)
        return frequency;
    const double share = (context / wavelength - scaling.lowFrequency) / (scaling.highFrequency - scaling.lowFrequency);
    return (1 - share) * frequency / scaling.factor + share * frequency;
}

/// 0 up to `low`, 1 from `high`.
double ramp(double at, double low, double high)
{
    return std::clamp((at - low) / (low == high ? 0.001 : high - low), 0.0, 1.0);
}

} // namespace

RotaryFrequencies rotaryFrequencies(const DecoderConfig& config, std::size_t length)
{
    using Kind = RotaryScaling::Kind;
    const RotaryScaling& scaling = config.rotary;
    const auto size = static_cast<double>(config.headSize);
    const auto context = static_cast<double>(scaling.originalContext);
    double base = config.rotaryBase;
    if (scaling.kind == Kind::Dynamic && length > scaling.originalContext && size > 2)
        base *= std::pow(scaling.factor * static_cast<double>(length) / context - (scaling.factor - 1),
                         size / (size - 2));
    double low = 0, high = 0;
    if (scaling.kind == Kind::Yarn) {
        low = dimensionOf(scaling.betaFast, size, base, context);
        high = dimensionOf(scaling.betaSlow, size, base, context);
        if (scaling.truncates) {
            low = std::floor(low);
            high = std::ceil(high);
        }
        low = std::max(low, 0.0);
        high = std::min(high, size - 1);
    }
    RotaryFrequencies out;
    for (std::size_t i = 0; i < config.headSize / 2; ++i) {
        double frequency = std::pow(base, -2 * static_cast<double>(i) / size);
        switch (scaling.kind) {
        case Kind::None:
        case Kind::Dynamic: break;
        case Kind::Linear: frequency /= scaling.factor; break;
        case Kind::Llama3: frequency = llama3(frequency, scaling); break;
        case Kind::Factors: frequency /= scaling.factors[i]; break;
        case Kind::Yarn: {
            const double stretched = ramp(static_cast<double>(i), low, high);
            frequency *= stretched / scaling.factor + (1 - stretched);
            break;
        }
        }
        out.frequencies.push_back(static_cast<float>(frequency));
        out.precise.push_back(frequency);
    }
    if (scaling.kind == Kind::Yarn)
        out.attention = static_cast<float>(scaling.attention);
    return out;
}

} // namespace cudal1::decoder
