// SPDX-License-Identifier: GPL-3.0-or-later
// What each toggle does: main effects, interactions, Shapley values and gatekeepers, from the speed-ups of
// combinations.
//
// All arithmetic is on logarithms of speed-ups, so effects are factors: 1 is none, 1.2 makes a call 1.2 times as fast.
// Each combination was measured for itself, against a reference of its own session, so the half widths of their
// intervals are joined in quadrature, of logarithms, by the weight that each combination has in an effect.
#pragma once

#include "core/base/statistics.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cudal1::ablation {

/// A combination (bit i: toggle i) that is correct and was timed. Others are left out: nothing is filled in for them.
struct Measured {
    std::uint32_t on = 0;
    base::Interval speedup;
};

struct Effect {
    std::uint32_t toggles = 0; ///< one bit, or two for an interaction
    base::Interval factor;
    int backgrounds = 0; ///< settings of the other toggles that it is the mean over

    bool operator==(const Effect&) const = default;
};

/// A toggle whose effect is there with another one and not without it.
struct Gate {
    int toggle = 0;
    int gate = 0; ///< the one that has to be on
    base::Interval with, without;
    bool mutual = false;                        ///< it is so the other way round too; such a pair is named once
    static constexpr double leastEffect = 1.02; ///< a factor nearer to 1 is no effect worth a gatekeeper
    static constexpr double mostLeft = 0.1; ///< of the logarithm of `with` that `without` may have and still be none
};

struct Effects {
    std::vector<Effect> mains;        ///< by toggle; without those that no two combinations differ by alone
    std::vector<Effect> interactions; ///< pairs; factor by which both together differ from the product of each
    std::vector<Effect> shapley;      ///< by toggle; their product is `total`. Only when all 2^k were measured
    int missing = 0;                  ///< of the 2^k: why there are no Shapley values
    base::Interval total;             ///< all on over none; invalid when one of them was not measured
    std::vector<Gate> gates;          ///< strongest first
};

/// Of `toggles` toggles, at most 32; Shapley values up to 10 of them.
Effects effectsOf(std::size_t toggles, std::span<const Measured> measured);

} // namespace cudal1::ablation
