// SPDX-License-Identifier: GPL-3.0-or-later
// The exception that carries a failure up to the border of this library, and the guard that stops it there.
#pragma once

#include "core/base/result.h"

#include <exception>
#include <type_traits>
#include <utility>

namespace cudal1::store {

/// Thrown inside core/store only; every public function turns it into a Result.
class Failure : public std::exception {
public:
    explicit Failure(base::Error error) : m_error(std::move(error)) {}
    const base::Error& error() const { return m_error; }
    const char* what() const noexcept override { return m_error.message.c_str(); }

private:
    base::Error m_error;
};

/// Runs `body` and turns a Failure, or a bug's std::exception, into the error side of a Result.
template<class Body> auto guarded(Body&& body) -> base::Result<std::invoke_result_t<Body>>
{
    try {
        if constexpr (std::is_void_v<std::invoke_result_t<Body>>) {
            body();
            return {};
        } else {
            return body();
        }
    } catch (const Failure& failure) {
        return failure.error();
    } catch (const std::exception& exception) {
        return base::Error{base::ErrorCode::Internal, "The project could not be used", exception.what(), {}};
    }
}

} // namespace cudal1::store
