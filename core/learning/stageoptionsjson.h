// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of a stage as JSON, so that a training can be gone on with by who did not begin it.
#pragma once

#include "core/base/result.h"
#include "core/learning/stageoptions.h"

#include <nlohmann/json.hpp>

namespace cudal1::models {
class FieldReader;
}

namespace cudal1::learning {

/// Every setting.
nlohmann::json toJson(const StageOptions& options);
/// Unreadable for what is no such object; settings that are missing keep their defaults.
base::Result<StageOptions> stageOptionsFrom(const nlohmann::json& json);

/// Takes those settings of eachSetting() that the stage has.
void readSettings(models::FieldReader& reader, StageOptions& options);

} // namespace cudal1::learning
