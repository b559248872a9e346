// SPDX-License-Identifier: GPL-3.0-or-later
// Combinations and effects in words, the same on the command line, in the window and in reports.
#pragma once

#include "core/ablation/ablation.h"
#include "core/ablation/effects.h"

#include <string>
#include <vector>

namespace cudal1::ablation {

/// "cuda_graph + private_stream": those of a set, in the order of the list; empty for none.
std::string togglesText(const std::vector<std::string>& toggles, std::uint32_t on);
/// "none", "all", "cuda_graph + tf32": the toggles that are on.
std::string combinationText(const std::vector<std::string>& toggles, std::uint32_t on);

/// One sentence each. `toggles` are the names that the bits stand for.
std::string mainText(const std::vector<std::string>& toggles, const Effect& effect);
std::string interactionText(const std::vector<std::string>& toggles, const Effect& effect);
std::string shapleyText(const std::vector<std::string>& toggles, const Effect& effect, const base::Interval& total,
                        bool hostChanged = false);
std::string gateText(const std::vector<std::string>& toggles, const Gate& gate);
/// Why there are no Shapley values, or empty.
std::string shapleyMissingText(std::size_t toggles, const Effects& effects);

/// Toggles that decide over the verdict: with it every judged combination is not correct, without it every one is. A
/// sentence each.
std::vector<std::string> breakingTexts(const std::vector<std::string>& toggles,
                                       const std::vector<CombinationRow>& rows);

/// Sentences under a heading.
struct Topic {
    std::string title;
    std::vector<std::string> sentences;
    std::string aside; ///< why there are no numbers; mostly empty
};

/// All that an ablation found: gatekeepers, what makes results wrong, effects and shares. Without topics that have
/// nothing to say; none where nothing is known.
std::vector<Topic> findingsOf(const std::vector<std::string>& toggles, const std::vector<CombinationRow>& rows,
                              const Effects& wall, const Effects& event);

} // namespace cudal1::ablation
