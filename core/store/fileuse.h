// SPDX-License-Identifier: GPL-3.0-or-later
// Which database files this process has open, so that none of them is ever opened beside SQLite.
//
// A process loses all its locks on a file when it closes any descriptor of it. SQLite guards against that among its own
// connections; reading the file's head, or a connection without locks, would still take the locks of the others away.
// Another process that then closes the database believes itself alone and removes the log: commits would go to a
// deleted file.
#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>

namespace cudal1::store {

/// Held by a connection for as long as it lives; it must outlive the connection.
class FileUse {
public:
    FileUse(const std::filesystem::path& path, bool readOnly); ///< the file exists
    ~FileUse();
    FileUse(const FileUse&) = delete;
    FileUse& operator=(const FileUse&) = delete;

    /// Held while a file is inspected and opened, so that nobody opens it in between.
    static std::unique_lock<std::mutex> lockOpening();
    /// Empty when this process does not have it open; else whether it is open to be read only, as all its connections
    /// are then.
    static std::optional<bool> openReadOnly(const std::filesystem::path& path);

private:
    using Key = std::pair<unsigned long long, unsigned long long>; ///< device and inode
    static Key keyOf(const std::filesystem::path& path);
    struct Table;
    static Table& table();

    Key m_key;
};

} // namespace cudal1::store
