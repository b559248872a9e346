// SPDX-License-Identifier: GPL-3.0-or-later
// Stored things as JSON: the same objects in the command line, in reports of a server and in tools of agents.
#pragma once

#include "core/store/lineage.h"
#include "core/store/project.h"

#include <nlohmann/json.hpp>

#include <vector>

namespace cudal1::store {

nlohmann::json toJson(const base::Interval& interval);   ///< null when invalid
nlohmann::json toJson(const protocol::Speedup& speedup); ///< by each clock, as evaluations have it
nlohmann::json toJson(const VariantRow& row);
nlohmann::json toJson(const std::vector<VariantRow>& rows);
nlohmann::json toJson(const std::vector<LineageNode>& nodes);
/// What `cudal1 evaluate --json` prints: the evaluation with the numbers under which it is stored, where it is.
nlohmann::json evaluationJson(const protocol::Evaluation& evaluation, base::VariantId variant, base::EvaluationId id);
const char* stateWord(TaskRow::State state); ///< "not_tried", "improved"

} // namespace cudal1::store
