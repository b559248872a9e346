// SPDX-License-Identifier: GPL-3.0-or-later
// An error as JSON: in messages between our processes, and in every JSON answer of this program.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <string_view>

namespace cudal1::protocol {

/// "unavailable"; unknown words are read as Internal.
std::string_view errorWord(base::ErrorCode code);
base::ErrorCode errorCode(std::string_view word);

/// {"code", "message", "context", "hint"}, where the code is errorWord().
nlohmann::json wireError(const base::Error& error);
/// The error in such a message, other fields of which are ignored. `silent` is its text where the message has none.
base::Error errorFrom(const nlohmann::json& message, std::string_view silent = {});

} // namespace cudal1::protocol
