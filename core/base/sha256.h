// SPDX-License-Identifier: GPL-3.0-or-later
// SHA-256 (FIPS 180-4) of a text, for naming sources by their content.
#pragma once

#include <string>
#include <string_view>

namespace cudal1::base {

/// The digest of `bytes` as 64 lower-case hexadecimal digits.
std::string sha256Hex(std::string_view bytes);

} // namespace cudal1::base
