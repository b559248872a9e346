// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes as text that JSON can carry (RFC 4648).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cudal1::base {

std::string toBase64(std::string_view bytes);
/// Empty for what is no base64 with its padding.
std::optional<std::string> fromBase64(std::string_view text);

} // namespace cudal1::base
