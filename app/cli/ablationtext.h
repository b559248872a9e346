// SPDX-License-Identifier: GPL-3.0-or-later
// Ablations as a table, paragraphs and JSON.
#pragma once

#include "app/cli/terminal.h"
#include "core/ablation/ablation.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace cudal1::cli {

/// A row a combination: ticks and crosses, both clocks, verdict, bottleneck or reason.
std::string ablationTable(const Terminal& terminal, const std::vector<std::string>& toggles,
                          const std::vector<ablation::CombinationRow>& rows);
/// Effects by wall beside those by events, then what they mean in sentences; empty where nothing was timed.
std::string findingsText(const Terminal& terminal, const std::vector<std::string>& toggles,
                         const std::vector<ablation::CombinationRow>& rows);
/// "toggles", "rows", and "effects" by each clock.
nlohmann::json ablationJson(const std::vector<std::string>& toggles, const std::vector<ablation::CombinationRow>& rows);

} // namespace cudal1::cli
