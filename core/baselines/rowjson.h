// SPDX-License-Identifier: GPL-3.0-or-later
// A baseline of a task as JSON.
#pragma once

#include "core/baselines/baselinerows.h"

#include <nlohmann/json.hpp>

namespace cudal1::baselines {

nlohmann::json toJson(const BaselineRow& row);

} // namespace cudal1::baselines
