// SPDX-License-Identifier: GPL-3.0-or-later
// Exceptions as errors, where one that is let through would end the program.
#pragma once

#include "core/base/result.h"

#include <exception>
#include <type_traits>
#include <utility>

namespace cudal1::base {

/// What `body` returns, which is a Result. An exception that comes out of it is a mistake of the program, or a lack of
/// memory, and becomes the error of the Result.
template<class Body> auto caught(Body&& body) -> std::invoke_result_t<Body>
{
    try {
        return std::forward<Body>(body)();
    } catch (const std::exception& exception) {
        return Error{ErrorCode::Internal, "The program has made a mistake here", exception.what(),
                     "Try it again; if it fails again, report it with these words"};
    }
}

} // namespace cudal1::base
