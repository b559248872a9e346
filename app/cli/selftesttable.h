// SPDX-License-Identifier: GPL-3.0-or-later
// A self-test as tables and as JSON.
#pragma once

#include "app/cli/terminal.h"
#include "core/selftest/selftestreport.h"

#include <nlohmann/json.hpp>

#include <string>

namespace cudal1::cli {

/// Title, table and bound of one section. Of sections that passed, `brief` leaves out what is as it should be.
std::string sectionText(const Terminal& terminal, const selftest::SectionReport& section, bool brief);
/// What failed and what that means; empty when nothing did.
std::string meaningText(const Terminal& terminal, const selftest::Report& report);

nlohmann::json toJson(const selftest::SectionReport& section);

} // namespace cudal1::cli
