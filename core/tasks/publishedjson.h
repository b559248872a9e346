// SPDX-License-Identifier: GPL-3.0-or-later
// Published JSON as it is found: with NaN, with numbers as text, with the wrong type here and there.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace cudal1::tasks {

/// What Python writes where JSON has no number.
struct PythonNumbers {
    const char *nan = "null", *infinity = "null",
               *minusInfinity = "null"; ///< JSON that NaN, Infinity and -Infinity are read as
};

/// Discarded when `text` is no JSON even with such numbers.
nlohmann::json parsePublished(const std::string& text, const PythonNumbers& numbers = {});

/// A finite number that stands there as a number or as text.
std::optional<double> numberIn(const nlohmann::json& object, const char* name);
/// A whole number of 1 to 999999, as a number or as text; 0 otherwise.
int idIn(const nlohmann::json& object, const char* name);
/// A text; empty for anything else.
std::string textIn(const nlohmann::json& object, const char* name);

/// The whole file without a byte order mark; NotFound, Unreadable or InvalidArgument (too large, a folder).
base::Result<std::string> readPublished(const std::filesystem::path& file);

} // namespace cudal1::tasks
