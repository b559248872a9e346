// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a task is worth optimising: what measurements of its reference say against it.
#pragma once

#include "core/protocol/messages.h"

#include <filesystem>
#include <string>
#include <vector>

namespace cudal1::taskfacts {

/// A task's reference on one device.
struct Observation {
    std::string device;              ///< model
    std::string source;              ///< "an evaluation in this project", "recorded with the suite"
    double wall_ns = 0, busy_ns = 0; ///< of one call; 0 when it was not measured
    std::vector<std::string> nulls;  ///< null candidates that pass all trials: "zeros", "last operator left out"
    bool degenerate = false;         ///< the label degenerate_task, also where the nulls are not named
};

struct Flag {
    enum class Kind { Degenerate, ConstantOutput, LaunchBound };
    Kind kind = Kind::Degenerate;
    std::string text;   ///< "degenerate: the null candidate zeros passes"
    std::string source; ///< "recorded with the suite on NVIDIA H200"
};

/// In JSON: "degenerate", "constant_output", "launch_bound".
std::string_view toString(Flag::Kind kind);

/// A call is launch bound when the GPU is idle for at least this share of it.
inline constexpr double launchBoundShare = 0.5;

Observation observationOf(const protocol::Evaluation& evaluation);

/// Rows of kernelbench/quality.jsonl for a task: level, id, device, wall_ns, busy_ns, nulls, labels. tests/tasks/
/// quality_from_project.py writes the file. Empty when there is no file; rows that cannot be read are passed over.
std::vector<Observation> recordedObservations(const std::filesystem::path& suite, int level, int number);

/// Each kind once, from the first observation that shows it.
std::vector<Flag> flagsOf(const std::vector<Observation>& observations);

} // namespace cudal1::taskfacts
