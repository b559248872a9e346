// SPDX-License-Identifier: GPL-3.0-or-later
// Copies a project that others may have open, and changes nothing of it.
#pragma once

#include <filesystem>

namespace cudal1::store {

/// Writes all that was committed to the project at `path` as another file, which must not be there yet. Throws Failure
/// as inspect() does, and where the copy cannot be written.
void copyCommitted(const std::filesystem::path& path, const std::filesystem::path& copy, int newestSchema);

} // namespace cudal1::store
