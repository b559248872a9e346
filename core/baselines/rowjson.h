// SPDX-License-Identifier: GPL-3.0-or-later
// A baseline of a task as JSON.
#pragma once

#include "core/baselines/measured.h"

#include <nlohmann/json.hpp>

namespace cudal1::baselines {

nlohmann::json toJson(const Row& row);

} // namespace cudal1::baselines
