// SPDX-License-Identifier: GPL-3.0-or-later
// Statuses and targets.
#include "core/serve/httpmessage.h"

#include "core/serve/judgeanswer.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace cudal1::serve {

using base::ErrorCode;

namespace {

std::optional<std::string> decoded(const std::string& text, bool plusIsBlank)
{
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '%') {
            const auto digit = [&](std::size_t i) {
                const char c = i < text.size() ? text[i] : ' ';
                return c >= '0' && c <= '9'                         ? c - '0'
                     : std::isxdigit(static_cast<unsigned char>(c)) ? (c | 32) - 'a' + 10
                                                                    : -1;
            };
            const int high = digit(at + 1), low = digit(at + 2);
            if (high < 0 || low < 0)
                return {};
            out += char(high * 16 + low);
            at += 2;
        } else {
            out += plusIsBlank && text[at] == '+' ? ' ' : text[at];
        }
    }
    return out;
}

} // namespace

std::string HttpRequest::header(const std::string& lowerName) const
{
    const auto it = headers.find(lowerName);
    return it == headers.end() ? std::string() : it->second;
}

HttpResponse jsonResponse(int status, const nlohmann::json& body)
{
    HttpResponse out;
    out.status = status;
    out.body = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    return out;
}

int statusOf(const base::Error& error)
{
    switch (error.code) {
    case ErrorCode::InvalidArgument:
    case ErrorCode::Unreadable: return 400;
    case ErrorCode::NotFound: return 404;
    case ErrorCode::LimitReached: return 429;
    case ErrorCode::Unavailable:
    case ErrorCode::Cancelled: return 503;
    case ErrorCode::TimedOut: return 504;
    default: return 500;
    }
}

HttpResponse errorResponse(int status, const base::Error& error)
{
    return jsonResponse(status, errorJson(error));
}

HttpResponse errorResponse(const base::Error& error)
{
    return errorResponse(statusOf(error), error);
}

bool splitTarget(const std::string& target, std::string& path, std::map<std::string, std::string>& query)
{
    if (target.empty() || target.front() != '/')
        return false;
    const std::size_t mark = std::min(target.find('?'), target.size());
    const auto decodedPath = decoded(target.substr(0, mark), false);
    if (!decodedPath)
        return false;
    path = *decodedPath;
    for (std::size_t at = mark + 1; at < target.size();) {
        const std::size_t end = std::min(target.find('&', at), target.size());
        const std::string pair = target.substr(at, end - at);
        const std::size_t equals = std::min(pair.find('='), pair.size());
        const auto name = decoded(pair.substr(0, equals), true);
        const auto value = decoded(equals < pair.size() ? pair.substr(equals + 1) : std::string(), true);
        if (!name || !value)
            return false;
        query[*name] = *value;
        at = end + 1;
    }
    return true;
}

} // namespace cudal1::serve
