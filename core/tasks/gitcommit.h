// SPDX-License-Identifier: GPL-3.0-or-later
// Which commit of a git repository a folder has checked out, read from the files of .git without running git.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace cudal1::tasks {

/// The commit (40 or 64 lower-case hexadecimal digits) that the repository around `folder` has checked out; empty when
/// there is a repository whose commit cannot be told, none when `folder` is in no repository. Worktrees, submodules,
/// detached heads and packed references are read; files changed since that commit are not noticed.
std::optional<std::string> commitOf(const std::filesystem::path& folder);

} // namespace cudal1::tasks
