// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON files of a model's folder.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace cudal1::decoder {

/// The object that a file holds. NotFound without the file, Unreadable where it holds anything else.
base::Result<nlohmann::json> readJsonObject(const std::filesystem::path& path);

} // namespace cudal1::decoder
