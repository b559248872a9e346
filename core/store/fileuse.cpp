// SPDX-License-Identifier: GPL-3.0-or-later
// Counts the connections to each file of this process.
#include "core/store/fileuse.h"

#include <map>

#include <sys/stat.h>

namespace cudal1::store {

struct FileUse::Table {
    std::mutex opening;
    std::mutex guard;
    std::map<Key, int> connections;
};

FileUse::Table& FileUse::table()
{
    static Table table;
    return table;
}

FileUse::Key FileUse::keyOf(const std::filesystem::path& path)
{
    struct stat found{};
    if (::stat(path.c_str(), &found) != 0)
        return {};
    return {found.st_dev, found.st_ino};
}

FileUse::FileUse(const std::filesystem::path& path) : m_key(keyOf(path))
{
    const std::lock_guard lock(table().guard);
    ++table().connections[m_key];
}

FileUse::~FileUse()
{
    const std::lock_guard lock(table().guard);
    if (const auto found = table().connections.find(m_key); --found->second == 0)
        table().connections.erase(found);
}

std::unique_lock<std::mutex> FileUse::lockOpening()
{
    return std::unique_lock(table().opening);
}

bool FileUse::isOpen(const std::filesystem::path& path)
{
    const Key key = keyOf(path);
    const std::lock_guard lock(table().guard);
    return key != Key{} && table().connections.contains(key);
}

} // namespace cudal1::store
