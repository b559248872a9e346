// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of a project and the steps that bring an older file up to them.
#pragma once

#include "core/store/database.h"

#include <span>
#include <vector>

namespace cudal1::store {

/// "CL1W": marks a SQLite file as a project.
inline constexpr std::int32_t applicationId = 0x434C3157;

/// The statements that lead from version `version - 1` to `version`.
struct Migration {
    int version = 0;
    std::vector<const char*> statements;
    void (*fill)(Database&) = nullptr; ///< what SQL cannot work out, after the statements
};

/// All steps, by ascending version, the last being Project::schemaVersion.
std::span<const Migration> migrations();

/// Runs the steps that the file still needs in one transaction; a step that fails leaves the file as it was.
/// Safe when two processes open the same new file at once. Throws Failure.
void migrate(Database& database, std::span<const Migration> steps);

} // namespace cudal1::store
