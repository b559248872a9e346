// SPDX-License-Identifier: GPL-3.0-or-later
// Words of error codes, and the fields of an error.
#include "core/protocol/wireerror.h"

#include <array>
#include <string>
#include <utility>

namespace cudal1::protocol {

using base::ErrorCode;

namespace {

constexpr std::array<std::pair<ErrorCode, std::string_view>, 11> words{{
    {ErrorCode::InvalidArgument, "invalid_argument"},
    {ErrorCode::NotFound, "not_found"},
    {ErrorCode::Unreadable, "unreadable"},
    {ErrorCode::Corrupt, "corrupt"},
    {ErrorCode::TooNew, "too_new"},
    {ErrorCode::Unavailable, "unavailable"},
    {ErrorCode::ProcessFailed, "process_failed"},
    {ErrorCode::TimedOut, "timed_out"},
    {ErrorCode::Cancelled, "cancelled"},
    {ErrorCode::LimitReached, "limit_reached"},
    {ErrorCode::Internal, "internal"},
}};

} // namespace

std::string_view errorWord(ErrorCode code)
{
    for (const auto& [value, word] : words)
        if (value == code)
            return word;
    return "internal";
}

ErrorCode errorCode(std::string_view word)
{
    for (const auto& [value, candidate] : words)
        if (candidate == word)
            return value;
    return ErrorCode::Internal;
}

nlohmann::json wireError(const base::Error& error)
{
    return {
        {"code", errorWord(error.code)}, {"message", error.message}, {"context", error.context}, {"hint", error.hint}};
}

base::Error errorFrom(const nlohmann::json& message, std::string_view silent)
{
    base::Error error;
    error.code = errorCode(message.value("code", std::string()));
    error.message = message.value("message", std::string());
    error.context = message.value("context", std::string());
    error.hint = message.value("hint", std::string());
    if (error.message.empty())
        error.message = silent;
    return error;
}

} // namespace cudal1::protocol
