// SPDX-License-Identifier: GPL-3.0-or-later
// The message by which the supervisor has a witness look at a task that nobody has judged a candidate for.
#pragma once

#include "core/judge/wire/travels.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace cudal1::judge {

/// Traces a task by its shapes alone, then holds the null candidates against its results on the CPU.
struct ScreenTask {
    static constexpr const char* name = "screen";
    std::string source;
    std::uint64_t seed = 0;
    int trials = 0;   ///< 0: trace alone
    int maxNodes = 0; ///< a longer graph is cut off
    struct Reply {    // NOLINT(bugprone-exception-escape): to make a JSON value of another kind than null could throw
        nlohmann::json graph; ///< a protocol::OperatorGraph
        int trials = 0;       ///< that were made
        std::vector<std::string> nullsLeft;
        bool finite = true;
        double call_ns = 0; ///< the shortest of the reference's calls
    };
};
CUDAL1_TRAVELS(ScreenTask)
CUDAL1_TRAVELS(ScreenTask::Reply)

} // namespace cudal1::judge
