// SPDX-License-Identifier: GPL-3.0-or-later
// Turns the lines of a client into requests, for the processes of models and of trainers.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace cudal1::decoder {

/// {"type": …, "id": …, …}. Ids are above 0, but for "quit", which needs none.
struct ClientRequest { // NOLINT(bugprone-exception-escape): to make a JSON value of another kind than null could throw
    std::string type;
    std::uint64_t id = 0; ///< that is answered to
    nlohmann::json body;  ///< the whole object
    std::optional<base::Error> wrong;
};
/// `page`: of the documentation, that lists the messages.
ClientRequest clientRequest(const std::string& line, const std::string& page);

/// InvalidArgument unless this first line greets with this version of the protocol.
base::Status checkGreeting(const std::string& line, int version, const std::string& page);

/// InvalidArgument with the hint that the page lists the messages.
base::Error refusedRequest(const std::string& message, const std::string& page);

} // namespace cudal1::decoder
