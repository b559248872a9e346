// SPDX-License-Identifier: GPL-3.0-or-later
// Temporary folders of an evaluator.
#include "core/judge/supervisor/temporaryfolder.h"

#include "core/judge/supervisor/reference.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <filesystem>

namespace cudal1::judge {

namespace fs = std::filesystem;

namespace {

constexpr const char* rootPrefix = "cudal1-evaluator-";
constexpr const char* lockName = "lock";
/// A root without a lock this long after it was made has lost its owner between the two.
constexpr time_t lockless_s = 600;

/// Also what a candidate has made unreadable for its owner.
void removeAll(const fs::path& path)
{
    std::error_code error;
    fs::remove_all(path, error);
    if (!error)
        return;
    for (fs::recursive_directory_iterator entry(path, fs::directory_options::skip_permission_denied, error), end;
         !error && entry != end; entry.increment(error)) {
        std::error_code ignored;
        if (entry->is_directory(ignored) && !entry->is_symlink(ignored))
            fs::permissions(entry->path(), fs::perms::owner_all, ignored); // before the iterator goes into it
    }
    fs::remove_all(path, error);
}

class Root {
public:
    Root()
    {
        constexpr int attempts = 3; // another evaluator may sweep a root in the moment before it is locked
        for (int i = 0; i < attempts && m_path.empty(); ++i) {
            std::error_code error;
            std::string pattern = (fs::temp_directory_path(error) / (std::string(rootPrefix) + "XXXXXX")).string();
            if (error || !::mkdtemp(pattern.data()))
                break;
            m_lock = ::open((pattern + "/" + lockName).c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
            if (::flock(m_lock, LOCK_EX | LOCK_NB) == 0 && ::access(pattern.c_str(), W_OK) == 0)
                m_path = pattern;
            else
                ::close(m_lock);
        }
        if (m_path.empty())
            throw RequestFailed("unavailable", "No temporary folder could be made",
                                "Set TMPDIR to a folder that can be written");
    }
    Root(const Root&) = delete;
    Root& operator=(const Root&) = delete;
    ~Root()
    {
        removeAll(m_path);
        ::close(m_lock);
    }
    const std::string& path() const { return m_path; }

private:
    std::string m_path;
    int m_lock = -1;
};

const std::string& rootPath()
{
    static const Root root;
    return root.path();
}

bool abandoned(const fs::path& root)
{
    struct stat status {};
    if (::lstat(root.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != ::geteuid())
        return false;
    const int lock = ::open((root / lockName).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (lock < 0)
        return ::time(nullptr) - status.st_mtime > lockless_s;
    const bool free = ::flock(lock, LOCK_EX | LOCK_NB) == 0;
    ::close(lock);
    return free;
}

} // namespace

TemporaryFolder::TemporaryFolder(const std::string& name)
{
    std::string pattern = rootPath() + "/" + name + "-XXXXXX";
    if (!::mkdtemp(pattern.data()))
        throw RequestFailed("unavailable", "No temporary folder could be made: " + pattern,
                            "Set TMPDIR to a folder that can be written");
    m_path = pattern;
}

TemporaryFolder::~TemporaryFolder()
{
    removeAll(m_path);
}

void sweepTemporaryFolders()
{
    std::error_code error;
    const fs::path folder = fs::temp_directory_path(error);
    if (error)
        return;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        if (entry->path().filename().string().starts_with(rootPrefix) && abandoned(entry->path()))
            removeAll(entry->path());
}

} // namespace cudal1::judge
