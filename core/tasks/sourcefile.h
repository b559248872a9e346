// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a source text from disk, with everything checked that would make it no text.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace cudal1::tasks {

/// Larger files are refused unread: no task or candidate comes near, and a data file picked by mistake must not fill
/// the memory.
inline constexpr std::uintmax_t MaxSourceBytes = 4u << 20;

/// Why a file was not accepted, and where.
struct FileFlaw {
    base::ErrorCode code = base::ErrorCode::Unreadable;
    int line = 0; ///< 1-based; 0 for the whole file
    std::string message;
    std::string hint;
};

/// A text, or the flaw when `flaw.message` is not empty.
struct SourceFile {
    std::string text; ///< UTF-8 without byte order mark, line ends as on disk
    FileFlaw flaw;

    bool ok() const { return flaw.message.empty(); }
};

/// Reads a regular file (links are followed) of valid UTF-8 without NUL that holds more than white space.
SourceFile readSource(const std::filesystem::path& file);
/// The source of a candidate from a file that a person named, read in the same way.
base::Result<std::string> readCandidate(const std::filesystem::path& file);

} // namespace cudal1::tasks
