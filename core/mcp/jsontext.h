// SPDX-License-Identifier: GPL-3.0-or-later
// JSON that a stranger sent.
#pragma once

#include <nlohmann/json.hpp>

#include <string_view>

namespace cudal1::mcp {

/// Discarded (is_discarded()) for what is no JSON, and for what is nested deeper than any request is: writing such a
/// value out again would use up the stack.
nlohmann::json readJson(std::string_view text);

} // namespace cudal1::mcp
