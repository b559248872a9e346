// SPDX-License-Identifier: GPL-3.0-or-later
// Files mapped into memory.
#include "core/modelfiles/mappedfile.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace cudal1::modelfiles {

base::Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path)
{
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        const auto code = errno == ENOENT || errno == ENOTDIR ? base::ErrorCode::NotFound : base::ErrorCode::Unreadable;
        return base::Error{code, "The file cannot be opened: " + std::string(std::strerror(errno)), path,
                           "Check the path of the model"};
    }
    struct stat status {};
    const bool isFile = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    const auto size = static_cast<std::size_t>(status.st_size);
    void* data = isFile && size > 0 ? ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    ::close(file);
    if (!isFile)
        return base::Error{base::ErrorCode::Unreadable, "This is no regular file", path, "Check the path of the model"};
    if (size == 0)
        return base::Error{base::ErrorCode::Unreadable, "The file is empty", path, "Fetch it again"};
    if (data == MAP_FAILED)
        return base::Error{base::ErrorCode::Unreadable, "The file cannot be mapped into memory", path, ""};
    return std::shared_ptr<const MappedFile>(new MappedFile(path, static_cast<const std::byte*>(data), size));
}

MappedFile::MappedFile(std::string path, const std::byte* data, std::size_t size)
    : m_path(std::move(path)), m_data(data), m_size(size)
{
}

MappedFile::~MappedFile()
{
    ::munmap(const_cast<std::byte*>(m_data), m_size);
}

} // namespace cudal1::modelfiles
