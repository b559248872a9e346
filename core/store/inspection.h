// SPDX-License-Identifier: GPL-3.0-or-later
// Decides whether a file may be opened as a project, without changing a byte of it.
#pragma once

#include "core/base/result.h"

#include <filesystem>

namespace cudal1::store {

/// Whether `path` is a file with something in it: NotFound for none, Unreadable for a folder or an empty file.
base::Status hasContents(const std::filesystem::path& path);

enum class FileAccess { Write, Read };
enum class Purpose { Open, Copy };

/// What may be done with `path`: Write when it does not exist but can be made, is empty, or is a project of this or an
/// earlier version; Read when it, or the folder that its log would be in, may not be written and it is a whole project
/// of this version. Throws Failure otherwise. `newest` is the newest schema that this program knows. The file is
/// neither written nor locked, and nothing is left beside it, unless a log of a killed program lies there already. This
/// process must not have it open: see FileUse.
/// To copy it, a project of an earlier version may be read as well.
FileAccess inspect(const std::filesystem::path& path, int newest, Purpose purpose = Purpose::Open);

/// Whether changes lie in a log beside the file: SQLite has to read them from there.
bool hasLog(const std::filesystem::path& path);

} // namespace cudal1::store
