// SPDX-License-Identifier: GPL-3.0-or-later
// Counts for people, the same on every page and in every report. Columns of CSV and fields of JSON keep their plain
// numbers instead.
#pragma once

#include <cstdint>
#include <string>

namespace cudal1::base {

/// "999", "12,345", "-1,000": groups of three digits.
std::string countText(std::int64_t count);

} // namespace cudal1::base
