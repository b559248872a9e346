// SPDX-License-Identifier: GPL-3.0-or-later
// Published claims as tables and JSON: of all publications, and of single variants.
#pragma once

#include "app/cli/terminal.h"
#include "core/rejudge/publishedclaims.h"

namespace cudal1::cli {

std::string claimsText(const Terminal& terminal, const rejudge::PublishedClaims& claims);
nlohmann::json toJson(const rejudge::PublishedClaims& claims);
/// A row for each: variant, device, speed-ups over each program, and where it was published.
std::string claimsTable(const std::vector<store::ClaimRecord>& claims);
nlohmann::json toJson(const std::vector<store::ClaimRecord>& claims);

} // namespace cudal1::cli
