// SPDX-License-Identifier: GPL-3.0-or-later
// An experiment as its file says it: which policies, asked by which methods, for which tasks, with which seeds.
//
//   {"policies": ["library", "endpoint:qwen3"],
//    "methods": ["vanilla", {"method": "contrastive", "samples": 4, "sampler": "random", "without": "costs"}],
//    "tasks": ["1/12", "3/41"],          or "level": 1, or "split": "held-out", or both of these
//    "seeds": [1, 2, 3], "rounds": 1, "budget": 600,
//    "limits": {"tokens": 200000, "cost": 5, "unit": "EUR", "seconds": 3600}}
#pragma once

#include "core/language/askmethod.h"
#include "core/models/endpointsettings.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::experiment {

/// A policy asked in one way.
struct Arm {
    std::string policy;                        ///< as --policy has it: "endpoint:qwen3"
    std::optional<language::AskMethod> method; ///< none for the technique library

    std::string
    methodName() const; ///< "contrastive, random, 8 samples": what differs from the method's own; empty for none
};

struct ExperimentPlan {
    std::vector<std::string> policies;
    std::vector<language::AskMethod> methods;
    std::vector<std::string> tasks; ///< empty: those of `level` (0: all) in `split` (empty: both)
    int level = 0;
    std::string split;
    std::vector<std::uint64_t> seeds; ///< from 1
    int rounds = 1;
    double budget_s = 0;        ///< of a run; 0: no end
    models::RunLimits limits{}; ///< of what models take in all runs together

    /// InvalidArgument for a field that there is not, for values out of range, and for a list that is empty or says
    /// something twice; Unreadable for what is no JSON.
    static base::Result<ExperimentPlan> read(const std::string& text);
    /// Policy by policy; the technique library, which knows one way, once.
    std::vector<Arm> arms() const;
};

} // namespace cudal1::experiment
