// SPDX-License-Identifier: GPL-3.0-or-later
// An error as the processes of models and trainers send it.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

namespace cudal1::protocol {

/// {"code", "message", "context", "hint"}; codes are words such as "invalid_argument".
nlohmann::json wireError(const base::Error& error);

} // namespace cudal1::protocol
