// SPDX-License-Identifier: GPL-3.0-or-later
// A request and a response as values that need no HTTP library.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cudal1::serve {

struct HttpRequest {
    std::uint64_t id = 0; ///< respond() names it
    std::string method;   ///< "GET"
    std::string path;     ///< "/evaluations/7", with %XX decoded
    std::map<std::string, std::string> query;
    std::map<std::string, std::string> headers; ///< names in lower case; the last one of a name
    std::string body;
    std::string client; ///< as Access names it

    std::string header(const std::string& lowerName) const;
};

struct HttpResponse {
    int status = 200;
    std::string body;
    std::string type = "application/json";
    std::vector<std::pair<std::string, std::string>> headers;
};

HttpResponse jsonResponse(int status, const nlohmann::json& body);
/// {"error": …} with the status that goes with its code.
HttpResponse errorResponse(const base::Error& error);
HttpResponse errorResponse(int status, const base::Error& error);
int statusOf(const base::Error& error);

/// "/a%20b?c=d&e" as a path and its parameters. False for what is no target of a request.
bool splitTarget(const std::string& target, std::string& path, std::map<std::string, std::string>& query);

} // namespace cudal1::serve
