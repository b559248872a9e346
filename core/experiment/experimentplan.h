// SPDX-License-Identifier: GPL-3.0-or-later
// An experiment as its file says it: which policies, asked by which methods, for which tasks, with which seeds.
//
//   {"policies": ["library", "endpoint:qwen3"],
//    "methods": ["vanilla", {"method": "contrastive", "samples": 4, "sampler": "random", "without": "costs"}],
//    "tasks": ["1/12", "3/41"],          or "level": 1, or "split": "held-out", or both of these
//    "seeds": [1, 2, 3], "rounds": 1, "budget": 600,
//    "limits": {"tokens": 200000, "cost": 5, "unit": "EUR", "seconds": 3600}}
//
// In place of policies and methods it may have rows, and models that it trains itself (docs/training.md):
//
//   {"models": [{"name": "base", "path": "smollm2"},
//               {"name": "sft", "from": "base", "stage": "sft", "data": "data.jsonl", "steps": 200}],
//    "rows": [{"name": "Stage 1", "policy": "model:sft", "method": "vanilla"}],
//    "sampling": {"temperature": 1, "max_tokens": 2048}, "prompts": "FOLDER", "out": "FOLDER", "held_out": ["4/1"]}
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
    std::string name{};                        ///< of its row; empty where policies and methods were combined

    /// Of a policy that is a model of the experiment's own ("model:sft"); empty for any other.
    std::string model() const;
    /// The method and those of its settings that differ from its own: "contrastive, random, 8 samples". Empty where
    /// there is no method.
    std::string methodName() const;
};

/// A model of the experiment's own: one that is there, or one that a stage of a training makes, once for each seed.
struct PlannedModel {
    std::string name;
    std::string path; ///< of one that is there: a Hugging Face folder, or the name of a model of `cudal1 models`
    std::string from; ///< else the model that the stage begins with
    /// The stage with its settings as a JSON object, as learning::stageOf() reads it; empty for one that is there.
    std::string stage;
};

struct ExperimentPlan {
    std::vector<std::string> policies; ///< of all rows, each once
    std::vector<language::AskMethod> methods;
    std::vector<Arm> rows;            ///< where they are given one by one; else policies by methods
    std::vector<PlannedModel> models; ///< each behind the one that it begins with
    std::string asking;               ///< how those models run, as a JSON object: "device", "dtype", "sampling", …
    std::string prompts;              ///< folder of templates for them; empty: the program's
    std::string folder;               ///< folder for what is trained; empty: beside the project
    std::vector<std::string> heldOut; ///< further tasks, from which nothing is learned
    std::vector<std::string> tasks;   ///< empty: those of `level` (0: all) in `split` (empty: both)
    int level = 0;
    std::string split;
    std::vector<std::uint64_t> seeds; ///< from 1
    int rounds = 1;
    double budget_s = 0;        ///< of a run; 0: no end
    double confirmsAbove = 0;   ///< as in optimize::SearchOptions
    models::RunLimits limits{}; ///< of what models take in all runs together

    /// InvalidArgument for a field that there is not, for values out of range, and for a list that is empty or says
    /// something twice; Unreadable for what is no JSON.
    static base::Result<ExperimentPlan> read(const std::string& text);
    /// The rows, or policy by policy; the technique library, which knows one way, once.
    std::vector<Arm> arms() const;
    /// The model of that name and all that it is made of, the first one first; empty where there is none.
    std::vector<PlannedModel> chainOf(const std::string& model) const;
};

} // namespace cudal1::experiment
