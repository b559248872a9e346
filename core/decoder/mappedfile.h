// SPDX-License-Identifier: GPL-3.0-or-later
// A file's bytes, mapped into memory to be read.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace cudal1::decoder {

/// Read by any thread. The pages belong to the system's cache: what is not looked at takes no memory. A file that
/// somebody shortens while it is mapped ends the process when the lost part is read.
class MappedFile {
public:
    /// NotFound or Unreadable where the file cannot be opened or is empty.
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

} // namespace cudal1::decoder
