// SPDX-License-Identifier: GPL-3.0-or-later
// Claims beside findings, for a person and for a program.
#pragma once

#include "app/cli/terminal.h"
#include "core/rejudge/rejudgesummary.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace cudal1::cli {

const char* ruleText(rejudge::Failures rule); ///< "failures count as 1×"
/// The table of rows; one line each.
std::string outcomesTable(const Terminal& terminal, const std::vector<rejudge::ClaimOutcome>& rows);
/// Verdict counts, means by each clock and the largest disagreements; several lines.
std::string summaryText(const Terminal& terminal, const rejudge::RejudgeSummary& summary);

nlohmann::json toJson(const rejudge::ClaimOutcome& row);
nlohmann::json toJson(const rejudge::RejudgeSummary& summary);

} // namespace cudal1::cli
