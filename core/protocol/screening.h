// SPDX-License-Identifier: GPL-3.0-or-later
// Whether tasks are worth setting: what each computes, and whether results that take no work pass for its results.
#pragma once

#include "core/protocol/messages.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cudal1::protocol {

/// Each task is traced by its shapes alone. Then it is run on the CPU, and the null candidates are held against its
/// results by the judge's own comparison. No lease of a device is taken, since no time counts.
struct ScreenRequest {
    std::vector<TaskSource> tasks;
    int trials = 3;         ///< at most so many draws of inputs; 0: trace alone
    std::uint64_t seed = 1; ///< of weights and inputs: equal seeds give equal answers on one machine
    double limit_s = 60;    ///< for one task
};

/// The answer to a ScreenRequest, of type "screening".
struct Screening {
    struct Item {
        std::string name;
        OperatorGraph graph; ///< traced on "meta"
        int trials = 0;      ///< draws on which the null candidates were tried; fewer than asked once none is left
        std::vector<std::string> nulls; ///< that have passed on all of them: "zeros", "the result of other inputs"
        bool finite = true;             ///< no result had a NaN or an infinity
        double call_ns = 0;             ///< the shortest call on the CPU; 0 without trials
        std::string message;            ///< why the task does not run; empty where it does
        int line = 0;                   ///< in the file; 0 when unknown

        bool runs() const { return message.empty(); }
        /// Results that take no work pass for this task's, so `correct` says little of a candidate.
        bool degenerate() const { return trials > 0 && !nulls.empty(); }
    };
    std::vector<Item> items; ///< in the request's order
};

void to_json(nlohmann::json& j, const ScreenRequest& v);
void from_json(const nlohmann::json& j, ScreenRequest& v);
void to_json(nlohmann::json& j, const Screening& v);
void from_json(const nlohmann::json& j, Screening& v);

} // namespace cudal1::protocol
