// SPDX-License-Identifier: GPL-3.0-or-later
// Fields of comma-separated values (RFC 4180), for spreadsheets and scripts.
#pragma once

#include <string>

namespace cudal1::base {

/// Quoted where it has to be.
std::string csvField(const std::string& text);
/// The shortest text that reads back as the same number, in every locale.
std::string csvField(double value);

} // namespace cudal1::base
