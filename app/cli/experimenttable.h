// SPDX-License-Identifier: GPL-3.0-or-later
// What an experiment came to, for a person and for programs.
#pragma once

#include "core/experiment/experimentplan.h"
#include "core/experiment/experimentrows.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace cudal1::cli {

/// With columns for names, splits and intervals over seeds where rows have them.
std::string experimentTable(const std::vector<experiment::Arm>& arms,
                            const std::vector<experiment::ExperimentRow>& rows);

/// As --json has them.
nlohmann::json jsonOf(const std::vector<experiment::Arm>& arms, const experiment::CellResult& cell);
nlohmann::json jsonOf(const std::vector<experiment::Arm>& arms, const experiment::ExperimentRow& row);

} // namespace cudal1::cli
