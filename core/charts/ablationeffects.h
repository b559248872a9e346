// SPDX-License-Identifier: GPL-3.0-or-later
// What the toggles of a variant do, as a chart: the ablation page, its pictures and reports show this one.
#pragma once

#include "core/ablation/effects.h"
#include "core/charts/chart.h"

#include <string>
#include <vector>

namespace cudal1::charts {

/// A row for each main effect, interaction of two and Shapley value, in this order: its factor of speed with the
/// interval by the wall clock, and hollow below it that by events. `toggles` are the names that the bits of the effects
/// stand for. The hover text of a mark is the effect as a sentence. Empty where no two combinations that differ by one
/// toggle were timed.
Chart ablationEffects(const std::vector<std::string>& toggles, const ablation::Effects& wall,
                      const ablation::Effects& event);

} // namespace cudal1::charts
