// SPDX-License-Identifier: GPL-3.0-or-later
// Outcomes as comma-separated values (RFC 4180), for spreadsheets and scripts.
#pragma once

#include "core/rejudge/claimoutcome.h"

#include <string>
#include <vector>

namespace cudal1::rejudge {

/// A line of column names, then a line a row; numbers with a decimal point, empty where there is none.
std::string csvOf(const std::vector<ClaimOutcome>& rows);

} // namespace cudal1::rejudge
