// SPDX-License-Identifier: GPL-3.0-or-later
// Landlock by its system calls: the C library has no functions for it.
#include "core/judge/sandbox/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace cudal1::judge {

namespace {

// Older kernel headers lack what newer kernels offer; these are the kernel's fixed numbers.
constexpr std::uint64_t truncateRight = 1ull << 14; // version 3
constexpr std::uint64_t signalScope = 1ull << 1;    // version 6
constexpr int truncateVersion = 3, signalVersion = 6;

/// The kernel's landlock_ruleset_attr as of version 6; a shorter size is taken as an older one.
struct RulesetAttributes {
    std::uint64_t files = 0;
    std::uint64_t network = 0;
    std::uint64_t scoped = 0;
};

constexpr std::uint64_t readRights = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR |
                                     LANDLOCK_ACCESS_FS_EXECUTE;

std::uint64_t writeRights(int version)
{
    std::uint64_t rights = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                           LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
                           LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                           LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
    if (version >= 2)
        rights |= LANDLOCK_ACCESS_FS_REFER;
    if (version >= truncateVersion)
        rights |= truncateRight;
    return rights;
}

bool allow(int ruleset, const std::string& path, std::uint64_t rights)
{
    const int file = ::open(path.c_str(), O_PATH | O_CLOEXEC);
    if (file < 0)
        return errno == ENOENT || errno == EACCES; // what this user cannot open needs no rule
    struct stat status {};
    // Rights over what a folder holds are refused for a single file.
    if (::fstat(file, &status) == 0 && !S_ISDIR(status.st_mode))
        rights &= LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                  truncateRight;
    const landlock_path_beneath_attr beneath{rights, file};
    const bool done = ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) == 0;
    const int error = errno;
    ::close(file);
    errno = error;
    return done;
}

} // namespace

int landlockVersion()
{
    const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return version > 0 ? static_cast<int>(version) : 0;
}

bool landlock(const LandlockPlan& plan)
{
    const int version = landlockVersion();
    if (version == 0 || (plan.signals && version < signalVersion)) {
        errno = ENOSYS;
        return false;
    }
    RulesetAttributes attributes;
    attributes.files = (plan.writable.empty() ? 0 : writeRights(version)) | (plan.readable.empty() ? 0 : readRights);
    attributes.scoped = plan.signals ? signalScope : 0;
    if (attributes.files == 0 && attributes.scoped == 0)
        attributes.files = LANDLOCK_ACCESS_FS_MAKE_BLOCK; // a domain without any rule is refused; it still bars tracing
    const std::size_t size = plan.signals ? sizeof attributes : sizeof attributes.files;
    const int ruleset = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, size, 0));
    if (ruleset < 0)
        return false;
    bool done = true;
    for (const std::string& path : plan.writable)
        done = done && allow(ruleset, path, attributes.files);
    for (const std::string& path : plan.readable)
        done = done && allow(ruleset, path, readRights);
    for (const std::string& path : plan.listable)
        done = done && allow(ruleset, path, LANDLOCK_ACCESS_FS_READ_DIR);
    done = done && ::syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
    const int error = errno;
    ::close(ruleset);
    errno = error;
    return done;
}

} // namespace cudal1::judge
