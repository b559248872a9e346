// SPDX-License-Identifier: GPL-3.0-or-later
// A file that is mapped into memory, to be read only.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace cudal1::modelfiles {

/// Any thread may read it. The pages belong to the system's page cache, so parts of the file that nobody reads take no
/// memory. If somebody shortens the file while it is mapped, reading the lost part ends the process (SIGBUS).
class MappedFile {
public:
    /// Fails with NotFound when there is no such file, and with Unreadable when it cannot be opened or mapped, is no
    /// regular file, or is empty.
    static base::Result<std::shared_ptr<const MappedFile>> open(const std::string& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    std::span<const std::byte> bytes() const { return {m_data, m_size}; }
    const std::string& path() const { return m_path; }

private:
    MappedFile(std::string path, const std::byte* data, std::size_t size);

    std::string m_path;
    const std::byte* m_data;
    std::size_t m_size;
};

} // namespace cudal1::modelfiles
