// SPDX-License-Identifier: GPL-3.0-or-later
// Variants and evaluations as table rows, and paragraphs, the same in every verb.
#pragma once

#include "app/cli/terminal.h"
#include "core/base/statistics.h"
#include "core/protocol/messages.h"
#include "core/store/project.h"
#include "core/store/storedjson.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cudal1::cli {

using store::toJson;

/// The verdict in words and its colour.
std::string tonedVerdict(const Terminal& terminal, protocol::Verdict verdict);
/// The table of variants, or one sentence when there is none.
std::string variantsTable(const Terminal& terminal, const std::vector<store::VariantRow>& rows);
/// Verdict, reasons with evidence, clocks, trials, precision, labels and where it was measured; several lines.
std::string evaluationText(const Terminal& terminal, const protocol::Evaluation& evaluation);
/// base::ageText() and base::agoText() as of now.
std::string ageText(std::int64_t created_ms);
std::string agoText(std::int64_t created_ms);
/// A number as printf() writes it; `format` takes one double.
std::string formatted(const char* format, double value);
/// A number with four digits: "0.4286", "1.25e-05".
std::string fourDigits(double value);
/// "0.12 USD".
std::string costText(double cost, const std::string& unit);
/// A value and its interval, which are no ratio: "0.62 (0.51–0.73)".
std::string valueText(const base::Interval& value);
/// The level of what a row sums up: "2"; "files" for 0, which are single files; "all" for none.
std::string levelText(std::optional<int> level);
/// What codes of reasons and labels mean, an empty line and a line each, to follow a table that shows them; empty for
/// none.
std::string codesLegend(const Terminal& terminal, const std::set<std::string>& codes);
/// With commas between.
std::string joined(const std::vector<std::string>& words);
/// Every line of `text` behind `margin`.
std::string indented(const std::string& text, const std::string& margin);

} // namespace cudal1::cli
