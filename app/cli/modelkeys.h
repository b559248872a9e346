// SPDX-License-Identifier: GPL-3.0-or-later
// Keys of language models in a terminal: whether they are there, and how they come into the keyring.
#pragma once

#include "core/base/result.h"
#include "core/models/endpointsettings.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace cudal1::cli {

class Context;

struct KeyState {
    std::string text;          ///< "in OPENAI_API_KEY", "OPENAI_API_KEY is not set", "none"
    std::optional<bool> there; ///< empty: none is needed, or nobody knows
};
/// Waits for the keyring, where the key is in it.
KeyState keyState(const models::EndpointSettings& model);
/// The model as `--json` shows it, with the state of its key.
nlohmann::json jsonOf(const models::EndpointSettings& model);

/// Reads the key from the terminal, without showing it, or the first line of the standard input, and keeps it in the
/// keyring.
base::Status askAndKeepKey(Context& context, const std::string& model);
base::Status dropKeyNow(const std::string& model);

} // namespace cudal1::cli
