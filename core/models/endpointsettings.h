// SPDX-License-Identifier: GPL-3.0-or-later
// A named model behind an OpenAI-compatible server, as the user has set it up.
#pragma once

#include "core/base/result.h"
#include "core/policy/chatmodel.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>

class QUrl;

namespace cudal1::models {

/// What a million tokens cost.
struct TokenPrice {
    double prompt = 0;
    double reply = 0;
    std::string unit = "USD"; ///< of a currency or of anything else that is counted
};

/// What one run may take; empty: as much as it likes. Each is above 0.
struct RunLimits {
    std::optional<double> seconds;      ///< since its first question
    std::optional<std::int64_t> tokens; ///< of prompts and replies together
    std::optional<double> cost;         ///< in `costUnit`
    std::string costUnit = "USD";
};

/// What is set; "cost" is in `costUnit`, which is not among the fields.
nlohmann::json limitsJson(const RunLimits& limits);
/// What is wrong with the object, as a sentence; empty, and `out` filled, where nothing is.
std::string readLimits(const nlohmann::json& object, RunLimits& out);

/// How long a request is waited for, and how often it is tried.
struct Patience {
    double connect_s = 20;  ///< until the request has been sent
    double silence_s = 300; ///< from then on, between two pieces of the answer
    double reply_s = 1800;  ///< of one attempt, all in all
    int retries = 5; ///< after the first attempt, with growing pauses: 1, 2, 4, … s, and up to half of that less
    /// An answer that is longer is not read to its end. Not for users to set.
    std::int64_t longestAnswer_bytes = 64 << 20;
};

struct EndpointSettings {
    std::string name;                  ///< that the user gives it: letters, digits, '.', '_', '-'
    std::string url;                   ///< "http://127.0.0.1:8000/v1"; no key in it
    std::string model;                 ///< as the server calls it
    policy::SamplingSettings sampling; ///< where a request leaves one open
    std::optional<TokenPrice> price;   ///< of the owner's machine: none
    RunLimits limits;
    Patience patience;
    int parallel = 4; ///< requests at a time
    /// Name of the environment variable that holds the key, in capital letters; empty: none. A key in the system's
    /// keyring has the name of the model. At most one of the two.
    std::string keyVariable;
    bool keyInKeyring = false;
};

/// InvalidArgument where it is no name of a model.
base::Status checkName(const std::string& name);
/// InvalidArgument with the first thing that is wrong. No error repeats a value that may be a key by mistake.
base::Status check(const EndpointSettings& settings);
/// Where requests go: ".../chat/completions" is added where the URL does not end so, and "/v1" where it has no path.
QUrl requestUrl(const EndpointSettings& settings);
/// Whether others on the way could read what is sent: no TLS, and not this machine.
bool sentInClear(const EndpointSettings& settings);

/// What is the default is left out; there is no key in it.
nlohmann::json toJson(const EndpointSettings& settings);
/// InvalidArgument, naming the field, for what is no such object; checked as by check().
base::Result<EndpointSettings> endpointOf(const nlohmann::json& object);

} // namespace cudal1::models
