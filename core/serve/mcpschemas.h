// SPDX-License-Identifier: GPL-3.0-or-later
// The tools that agents are offered: their names, what they are for, and the JSON schemas of what goes in and out.
#pragma once

#include <nlohmann/json.hpp>

namespace cudal1::serve {

/// As the answer to tools/list has them.
const nlohmann::json& toolList();

} // namespace cudal1::serve
