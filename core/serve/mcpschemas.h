// SPDX-License-Identifier: GPL-3.0-or-later
// The tools that agents are offered: their names, what they are for, and the JSON schemas of what goes in and out.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <string>

namespace cudal1::serve {

/// As the answer to tools/list has them.
const nlohmann::json& toolList();
/// Null for an unknown tool.
const nlohmann::json* toolNamed(const std::string& name);
/// Arguments against a tool's inputSchema: types, required and unknown fields, words, bounds. InvalidArgument with the
/// field and what it has to be.
base::Status checkArguments(const nlohmann::json& tool, const nlohmann::json& arguments);

} // namespace cudal1::serve
