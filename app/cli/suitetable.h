// SPDX-License-Identifier: GPL-3.0-or-later
// The comparison of a suite for a person and for a program.
#pragma once

#include "app/cli/terminal.h"
#include "core/report/suitecomparison.h"

#include <nlohmann/json.hpp>

#include <string>

namespace cudal1::cli {

/// A table a level, and under them what the numbers are made of. `missing`: tasks of the suite that the project lacks.
std::string suiteText(const Terminal& terminal, const report::SuiteComparison& suite, int missing);
/// The tasks where others are faster, one line each; empty where there are none.
std::string lossesText(const Terminal& terminal, const report::SuiteComparison& suite);

/// A row for each name and level, with the fields of the rows of toJson().
std::string csvOf(const report::SuiteComparison& suite);
nlohmann::json toJson(const report::SuiteComparison& suite);

} // namespace cudal1::cli
