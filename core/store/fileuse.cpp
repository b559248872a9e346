// SPDX-License-Identifier: GPL-3.0-or-later
// Counts the connections to each file of this process.
#include "core/store/fileuse.h"

#include <map>

#include <sys/stat.h>

namespace cudal1::store {

struct FileUse::Table {
    std::mutex opening;
    std::mutex guard;
    struct Open {
        int connections = 0;
        bool readOnly = false;
    };
    std::map<Key, Open> files;
};

FileUse::Table& FileUse::table()
{
    static Table table;
    return table;
}

FileUse::Key FileUse::keyOf(const std::filesystem::path& path)
{
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0)
        return {};
    return {found.st_dev, found.st_ino};
}

FileUse::FileUse(const std::filesystem::path& path, bool readOnly) : m_key(keyOf(path))
{
    const std::lock_guard lock(table().guard);
    Table::Open& file = table().files[m_key];
    ++file.connections;
    file.readOnly = readOnly;
}

FileUse::~FileUse()
{
    const std::lock_guard lock(table().guard);
    if (const auto found = table().files.find(m_key); --found->second.connections == 0)
        table().files.erase(found);
}

std::unique_lock<std::mutex> FileUse::lockOpening()
{
    return std::unique_lock(table().opening);
}

std::optional<bool> FileUse::openReadOnly(const std::filesystem::path& path)
{
    const Key key = keyOf(path);
    const std::lock_guard lock(table().guard);
    const auto found = key == Key{} ? table().files.end() : table().files.find(key);
    return found == table().files.end() ? std::nullopt : std::optional(found->second.readOnly);
}

} // namespace cudal1::store
