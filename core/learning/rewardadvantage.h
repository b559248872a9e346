// SPDX-License-Identifier: GPL-3.0-or-later
// Advantages of a group in which some replies have no reward, for people who look at it.
#pragma once

#include "core/protocol/training.h"

#include <optional>
#include <vector>

namespace cudal1::learning {

/// Equation 4 of the paper, or its variants by the settings. None for replies without a reward; all none where fewer
/// than two have one, and all 0 where the rewards are equal.
std::vector<std::optional<double>> advantagesFor(const std::vector<std::optional<double>>& rewards,
                                                 const protocol::GrpoSettings& settings);

} // namespace cudal1::learning
