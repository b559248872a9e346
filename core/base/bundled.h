// SPDX-License-Identifier: GPL-3.0-or-later
// Where files that come with the program lie, installed or in a build folder.
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <functional>
#include <string>

namespace cudal1::base {

struct Bundled {
    const char* variable;         ///< of the environment, which overrides the rest
    std::string name;             ///< below share/cudal1 of an installation
    std::filesystem::path source; ///< in the source tree
    const char* what;             ///< "the bundled tasks are", for the error
    const char* hint;             ///< next step when they are nowhere
    std::function<bool(const std::filesystem::path&)> usable;
};

/// What the variable names, whatever is in it; else the first usable one of the installed data beside `programFolder`
/// and the source tree. NotFound when there is none, or nothing where the variable points.
Result<std::filesystem::path> findBundled(const Bundled& wanted, const std::filesystem::path& programFolder);

} // namespace cudal1::base
