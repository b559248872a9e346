// SPDX-License-Identifier: GPL-3.0-or-later
// The outcome of an operation that can fail for a reason a person can act on.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace cudal1::base {

/// What kind of failure it was; callers branch on this and never on text.
enum class ErrorCode {
    InvalidArgument, ///< the caller or the user asked for something that makes no sense
    NotFound,        ///< a file, task, variant or device that does not exist
    Unreadable,      ///< exists but cannot be read or parsed
    Corrupt,         ///< a project file that is damaged
    TooNew,          ///< written by a later version of this program
    Unavailable,     ///< this machine cannot do it (no GPU, no torch, no nvcc)
    ProcessFailed,   ///< a process of ours ended or answered nonsense
    TimedOut,
    Cancelled,
    LimitReached, ///< of time, tokens or money, as the user has set it
    Internal,
};

/// One failure: `message` says what happened in one sentence, `context` where (path, line, request), `hint` the next
/// step.
struct Error {
    ErrorCode code = ErrorCode::Internal;
    std::string message;
    std::string context;
    std::string hint;

    /// "message (context). hint", without the parts that are empty.
    std::string text() const
    {
        std::string out = message;
        if (!context.empty())
            out += " (" + context + ")";
        if (!hint.empty())
            out += (out.empty() || out.back() == '.' ? " " : ". ") + hint;
        return out;
    }
};

/// The error of a request that makes no sense.
inline Error wrong(std::string message, std::string hint = {})
{
    return {ErrorCode::InvalidArgument, std::move(message), {}, std::move(hint)};
}

/// A value or an Error. Reading the side that is not there is a programming error (std::bad_variant_access).
template<class T> class [[nodiscard]] Result {
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

    bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }

    const T& value() const& { return std::get<0>(m_state); }
    T& value() & { return std::get<0>(m_state); }
    T&& value() && { return std::get<0>(std::move(m_state)); }
    const T& operator*() const& { return value(); }
    T& operator*() & { return value(); }
    const T* operator->() const { return &value(); }
    T* operator->() { return &value(); }

    const Error& error() const { return std::get<1>(m_state); }

private:
    std::variant<T, Error> m_state;
};

/// Success without a value, or an Error.
template<> class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : m_error(std::move(error)) {}

    bool ok() const { return !m_error; }
    explicit operator bool() const { return ok(); }
    const Error& error() const { return m_error.value(); }

private:
    std::optional<Error> m_error;
};

using Status = Result<void>;

} // namespace cudal1::base
