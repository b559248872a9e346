// SPDX-License-Identifier: GPL-3.0-or-later
// A named model that `cudal1-model` runs, as the user has set it up.
#pragma once

#include "core/base/result.h"
#include "core/models/endpointsettings.h"
#include "core/policy/chatmodel.h"

#include <nlohmann/json_fwd.hpp>

#include <QStringList>

#include <string>

namespace cudal1::models {

/// Counts that are 0 are left to `cudal1-model`.
struct LocalSettings {
    std::string name;           ///< that the user gives it, as of an endpoint; no endpoint has the same
    std::string path;           ///< of a Hugging Face folder or a .gguf file, on the machine where it runs
    std::string device = "cpu"; ///< or "cuda:0"
    std::string dtype;          ///< that it computes with: "float32", "bfloat16"; empty: what the device is fast at
    int threads = 0;            ///< on the CPU
    int context = 0;            ///< tokens of the longest text
    int cache_mib = 0;          ///< for keys and values
    int parallel = 0;           ///< replies at work at once
    policy::SamplingSettings sampling; ///< where a request leaves one open
    RunLimits limits;                  ///< cost in deviceUnit()
};

/// InvalidArgument with the first thing that is wrong. Whether the path is there is not looked at.
base::Status check(const LocalSettings& settings);
/// What its replies cost: "CPU s", "GPU s".
std::string deviceUnit(const LocalSettings& settings);
/// Arguments of `cudal1-model`.
QStringList serveArguments(const LocalSettings& settings);

/// What is the default is left out.
nlohmann::json toJson(const LocalSettings& settings);
/// InvalidArgument, naming the field, for what is no such object; checked as by check().
base::Result<LocalSettings> localOf(const nlohmann::json& object);

} // namespace cudal1::models
