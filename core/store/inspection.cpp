// SPDX-License-Identifier: GPL-3.0-or-later
// Looks at a project file before SQLite may write to it.
#include "core/store/inspection.h"

#include "core/store/database.h"
#include "core/store/failure.h"
#include "core/store/schema.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>

namespace cudal1::store {

using base::ErrorCode;
namespace fs = std::filesystem;

namespace {

/// The first 100 bytes of a SQLite file, as its file format documents them; numbers are big-endian.
class FileHead {
public:
    static constexpr std::size_t size = 100;

    /// False when the file is shorter than a head.
    bool read(std::istream& file)
    {
        return static_cast<bool>(file.read(reinterpret_cast<char*>(m_bytes.data()), size));
    }

    bool hasMagic() const { return std::memcmp(m_bytes.data(), "SQLite format 3", 16) == 0; }
    std::uint32_t pageSize() const
    {
        const std::uint32_t raw = (std::uint32_t(m_bytes[16]) << 8) | m_bytes[17];
        return raw == 1 ? 65536 : raw;
    }
    bool isSound() const
    {
        const std::uint32_t page = pageSize();
        return hasMagic() && page >= 512 && (page & (page - 1)) == 0 && m_bytes[21] == 64 && m_bytes[22] == 32 &&
               m_bytes[23] == 32;
    }
    /// Pages that the file claims to have; 0 when the claim is stale.
    std::uint32_t pages() const { return number(24) == number(92) ? number(28) : 0; }
    std::uint32_t userVersion() const { return number(60); }
    std::uint32_t applicationId() const { return number(68); }

private:
    std::uint32_t number(std::size_t at) const
    {
        return (std::uint32_t(m_bytes[at]) << 24) | (std::uint32_t(m_bytes[at + 1]) << 16) |
               (std::uint32_t(m_bytes[at + 2]) << 8) | m_bytes[at + 3];
    }

    std::array<unsigned char, size> m_bytes{};
};

[[noreturn]] void refuse(ErrorCode code, const char* message, const fs::path& path, const char* hint)
{
    throw Failure({code, message, path.string(), hint});
}

[[noreturn]] void refuseDamaged(const fs::path& path)
{
    refuse(ErrorCode::Corrupt, "The project file is damaged", path,
           "Restore it from a backup; the file has been left as it is.");
}

void checkVersion(std::int64_t version, int newest, const fs::path& path)
{
    if (version > newest)
        refuse(ErrorCode::TooNew, "The project was written by a later version of this program", path,
               "Update the program; the file has been left as it is.");
}

bool may(const fs::path& path, int what)
{
    return ::faccessat(AT_FDCWD, path.c_str(), what, AT_EACCESS) == 0;
}

bool mayWrite(const fs::path& path, bool exists)
{
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    std::error_code error;
    if (!fs::is_directory(folder, error))
        refuse(ErrorCode::NotFound, "The folder of the project does not exist", folder,
               "Create it, or choose another place.");
    if (exists && !may(path, R_OK))
        refuse(ErrorCode::Unreadable, "The project file may not be read", path, "Check its permissions.");
    // SQLite keeps its log beside the file, so that the folder counts even when the file may be written.
    if (may(folder, W_OK | X_OK))
        return !exists || may(path, W_OK);
    if (!exists)
        refuse(ErrorCode::Unavailable, "The folder of the project may not be written", folder,
               "Check its permissions, or name a file in a folder of your own.");
    return false;
}

/// A file that may only be read is read as it is: nothing can be brought to the present schema, or taken from a log.
void checkReadable(const fs::path& path, const FileHead& head, int newest, bool log, Purpose purpose)
{
    if (log)
        refuse(ErrorCode::Unavailable, "The project may not be written, and its newest changes lie in a log beside it",
               path, "Close the program that has it open, or check the permissions of the file and of its folder.");
    if (purpose == Purpose::Open && head.userVersion() != std::uint32_t(newest))
        refuse(ErrorCode::Unavailable, "The project is of an earlier version of this program and may not be written",
               path, "Open a copy of it, which is brought to the present version.");
}

/// Reads the schema and a row of every table through SQLite, which notices damage behind a sound head.
void checkContent(const fs::path& path, int newest, bool log)
{
    Database database(path, log ? Database::Mode::ReadOnly : Database::Mode::Immutable);
    checkVersion(database.scalar("PRAGMA user_version").toLongLong(), newest, path);
    std::vector<std::string> tables;
    database.each("SELECT name FROM sqlite_master WHERE type = 'table'", {},
                  [&](const QSqlQuery& row) { tables.push_back(text(row, 0)); });
    for (const std::string& table : tables)
        database.scalar(("SELECT * FROM \"" + table + "\" ORDER BY rowid DESC LIMIT 1").c_str());
}

} // namespace

bool hasLog(const fs::path& path)
{
    std::error_code error;
    for (const char* suffix : {"-wal", "-journal"})
        if (const auto size = fs::file_size(path.string() + suffix, error); !error && size > 0)
            return true;
    return false;
}

FileAccess inspect(const fs::path& path, int newest, Purpose purpose)
{
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status))
        refuse(ErrorCode::InvalidArgument, "A folder cannot be opened as a project", path, "Name a file in it.");
    const bool exists = fs::exists(status);
    const FileAccess access = mayWrite(path, exists) ? FileAccess::Write : FileAccess::Read;
    if (!exists)
        return access;

    const auto size = fs::file_size(path, error);
    if (error)
        refuse(ErrorCode::Unreadable, "The path is no file", path, "Name a file.");
    const bool log = hasLog(path);
    if (size == 0) {
        if (access == FileAccess::Read)
            refuse(ErrorCode::Unavailable, "The file is empty and may not be written", path,
                   "Check its permissions, or name another file.");
        return access;
    }
    FileHead head;
    if (std::ifstream file(path, std::ios::binary); !head.read(file) || !head.isSound())
        refuse(ErrorCode::Corrupt, "The file is damaged, or is no project at all", path,
               "Choose another file, or restore it from a backup; it has been left as it is.");
    if (head.applicationId() != static_cast<std::uint32_t>(applicationId))
        refuse(ErrorCode::Unreadable, "The file is a database of another program", path,
               "Choose a project file; this one has been left as it is.");
    checkVersion(head.userVersion(), newest, path);
    if (!log && size < std::uintmax_t(head.pages()) * head.pageSize())
        refuseDamaged(path);
    if (access == FileAccess::Read)
        checkReadable(path, head, newest, log, purpose);

    try {
        checkContent(path, newest, log);
    } catch (const Failure& failure) {
        // Another program may have begun to write while the file was read without locks: then its log is there now.
        if (failure.error().code != ErrorCode::Corrupt || log || !hasLog(path))
            throw;
        checkContent(path, newest, true);
    }
    return access;
}

base::Status hasContents(const fs::path& path)
{
    std::error_code error;
    if (fs::is_directory(path, error))
        return base::Error{base::ErrorCode::Unreadable, "This is a folder, not a project", path.string(),
                           "Name the file of a project"};
    if (!fs::is_regular_file(path, error))
        return base::Error{base::ErrorCode::NotFound, "There is no such project file", path.string(),
                           "Name the file of a project"};
    if (fs::file_size(path, error) == 0)
        return base::Error{base::ErrorCode::Unreadable, "There is nothing in this file", path.string(),
                           "Name the file of a project"};
    return {};
}

} // namespace cudal1::store
