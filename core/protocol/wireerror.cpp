// SPDX-License-Identifier: GPL-3.0-or-later
// Words of error codes.
#include "core/protocol/wireerror.h"

namespace cudal1::protocol {

namespace {

const char* wordOf(base::ErrorCode code)
{
    switch (code) {
    case base::ErrorCode::InvalidArgument: return "invalid_argument";
    case base::ErrorCode::NotFound: return "not_found";
    case base::ErrorCode::Unreadable: return "unreadable";
    case base::ErrorCode::Corrupt: return "corrupt";
    case base::ErrorCode::TooNew: return "too_new";
    case base::ErrorCode::Unavailable: return "unavailable";
    case base::ErrorCode::ProcessFailed: return "process_failed";
    case base::ErrorCode::TimedOut: return "timed_out";
    case base::ErrorCode::Cancelled: return "cancelled";
    case base::ErrorCode::LimitReached: return "limit_reached";
    case base::ErrorCode::Internal: break;
    }
    return "internal";
}

} // namespace

nlohmann::json wireError(const base::Error& error)
{
    return {{"code", wordOf(error.code)}, {"message", error.message}, {"context", error.context}, {"hint", error.hint}};
}

} // namespace cudal1::protocol
