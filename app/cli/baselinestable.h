// SPDX-License-Identifier: GPL-3.0-or-later
// Baselines as tables and JSON.
#pragma once

#include "app/cli/terminal.h"
#include "core/baselines/baselinesummary.h"
#include "core/baselines/rowjson.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace cudal1::cli {

/// A line a level and kind, and how failures count.
std::string summaryText(const std::vector<baselines::BaselineSummary>& lines);
/// A line a task and kind that was measured.
std::string baselinesTable(const Terminal& terminal, const std::vector<baselines::BaselineRow>& rows);

nlohmann::json toJson(const baselines::BaselineSummary& line);
using baselines::toJson;

} // namespace cudal1::cli
