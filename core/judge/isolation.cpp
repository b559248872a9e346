// SPDX-License-Identifier: GPL-3.0-or-later
// Session, limits and namespaces of a candidate's process.
#include "core/judge/isolation.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace cudal1::judge {

namespace {

class Reporter {
public:
    explicit Reporter(IsolationReport& report) : m_report(report) {}
    bool note(const std::string& what, bool done)
    {
        if (done)
            m_report.applied.push_back(what);
        else
            m_report.missing.push_back(what + ": " + std::strerror(errno));
        return done;
    }

private:
    IsolationReport& m_report;
};

bool limit(__rlimit_resource resource, rlim_t value)
{
    const rlimit limits{value, value};
    return ::setrlimit(resource, &limits) == 0;
}

bool writeFile(const char* path, const std::string& text)
{
    const int file = ::open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    const bool done = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    ::close(file);
    return done;
}

/// Without rights of its own, a user namespace in which this user is mapped to itself gives those for the others.
bool enterUserNamespace()
{
    const uid_t user = ::geteuid();
    const gid_t group = ::getegid();
    if (::unshare(CLONE_NEWUSER) != 0)
        return false;
    writeFile("/proc/self/setgroups", "deny");
    return writeFile("/proc/self/uid_map", std::to_string(user) + " " + std::to_string(user) + " 1") &&
           writeFile("/proc/self/gid_map", std::to_string(group) + " " + std::to_string(group) + " 1");
}

bool setReadOnly(const char* path, bool readOnly, bool recursive)
{
    mount_attr attributes{};
    if (readOnly)
        attributes.attr_set = MOUNT_ATTR_RDONLY;
    else
        attributes.attr_clr = MOUNT_ATTR_RDONLY;
    return ::syscall(SYS_mount_setattr, AT_FDCWD, path, recursive ? AT_RECURSIVE : 0, &attributes, sizeof attributes) == 0;
}

bool restrictFiles(const std::string& folder)
{
    return ::unshare(CLONE_NEWNS) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           ::mount(folder.c_str(), folder.c_str(), nullptr, MS_BIND, nullptr) == 0 && setReadOnly("/", true, true) &&
           setReadOnly("/proc", false, false) && // CUDA names its threads there, and does not start when it cannot
           setReadOnly(folder.c_str(), false, false) && ::chdir(folder.c_str()) == 0;
}

std::uint64_t mappedBytes()
{
    std::ifstream file("/proc/self/statm");
    std::uint64_t pages = 0;
    file >> pages;
    return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

} // namespace

IsolationReport isolate(const std::string& folder, std::uint64_t memoryLimit)
{
    IsolationReport report;
    Reporter reporter(report);
    reporter.note("own session", ::setsid() >= 0 || ::getsid(0) == ::getpid());
    reporter.note("no core files", limit(RLIMIT_CORE, 0));
    reporter.note("files up to 8 GiB", limit(RLIMIT_FSIZE, rlim_t{8} << 30));
    reporter.note("up to 4096 descriptors", limit(RLIMIT_NOFILE, 4096));
    reporter.note("first to go when memory is short", writeFile("/proc/self/oom_score_adj", "1000"));
    if (memoryLimit > 0)
        reporter.note("memory limit of " + std::to_string(memoryLimit >> 20) + " MiB", limit(RLIMIT_AS, mappedBytes() + memoryLimit));
    if (::geteuid() != 0 && !reporter.note("own user namespace", enterUserNamespace())) {
        report.missing.push_back("no network: needs a user namespace");
        report.missing.push_back("files outside its folder read-only: needs a user namespace");
        return report;
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // a change of credentials clears it
    reporter.note("no network", ::unshare(CLONE_NEWNET) == 0);
    if (reporter.note("files outside its folder read-only", restrictFiles(folder)))
        reporter.note("own /dev/shm", ::mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "size=50%") == 0);
    return report;
}

} // namespace cudal1::judge
