// SPDX-License-Identifier: GPL-3.0-or-later
// The parent of a candidate's process.
#include "core/judge/sandbox/guard.h"

#include "core/judge/sandbox/descendants.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <string>

namespace cudal1::judge {

namespace {

constexpr long period_ns = 100'000'000;
constexpr int tasksBeforeRefusal = 64; // ended at so many below the number at which the kernel refuses to start another

std::int64_t now_ns()
{
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

std::vector<pid_t> numbersIn(const std::string& folder)
{
    std::vector<pid_t> numbers;
    DIR* entries = ::opendir(folder.c_str());
    if (!entries)
        return numbers;
    while (const dirent* entry = ::readdir(entries))
        if (const int number = std::atoi(entry->d_name); number > 0)
            numbers.push_back(number);
    ::closedir(entries);
    return numbers;
}

int threadsOf(pid_t pid)
{
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    std::getline(file, text);
    const auto name = text.rfind(')');
    if (name == std::string::npos)
        return 1;
    std::istringstream fields(text.substr(name + 2));
    std::string field;
    for (int i = 3; i < 20; ++i) // the state is field 3, the number of threads field 20
        fields >> field;
    int threads = 1;
    fields >> threads;
    return threads;
}

/// Memory that is no file's. Pages that it shares with its parent since a fork count in each.
std::uint64_t residentBytes(pid_t pid)
{
    std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
    std::uint64_t size = 0, resident = 0, shared = 0;
    file >> size >> resident >> shared;
    return (resident - std::min(resident, shared)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t sharedMemoryBytes()
{
    struct statvfs space {};
    return ::statvfs("/dev/shm", &space) == 0 ? (space.f_blocks - space.f_bfree) * space.f_frsize : 0;
}

std::uint64_t numberIn(const std::string& path)
{
    std::ifstream file(path);
    std::uint64_t number = 0;
    return file >> number ? number : std::numeric_limits<std::uint64_t>::max(); // "max" is no number
}

std::uint64_t freeIn(const std::string& limit, const std::string& used)
{
    const std::uint64_t most = numberIn(limit), now = numberIn(used);
    return most == std::numeric_limits<std::uint64_t>::max() || now == std::numeric_limits<std::uint64_t>::max() ||
                   now > most
             ? std::numeric_limits<std::uint64_t>::max()
             : most - now;
}

} // namespace

std::uint64_t freeMemory()
{
    std::uint64_t bytes = 0;
    std::ifstream file("/proc/meminfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("MemAvailable:"))
            bytes = std::strtoull(line.c_str() + 13, nullptr, 10) * 1024;
    // A container sees its own group as the root.
    bytes = std::min(bytes, freeIn("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"));
    return std::min(
        bytes, freeIn("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"));
}

GuardLimits guardLimits()
{
    GuardLimits limits;
    const long cores = std::max(1l, ::sysconf(_SC_NPROCESSORS_ONLN));
    limits.processes += 4 * static_cast<int>(std::min(cores, 4096l));    // a parallel build may take them all
    limits.tasks = 1024 + 16 * static_cast<int>(std::min(cores, 4096l)); // pools of threads are as large as the machine
    const std::uint64_t free_bytes = freeMemory();
    limits.memory_bytes = free_bytes / 10 * 8;
    limits.free_bytes = free_bytes / 10 * 2;
    if (const char* chosen = std::getenv("CUDAL1_CANDIDATE_MEMORY_MIB"); chosen && std::atoll(chosen) > 0) {
        limits.memory_bytes = static_cast<std::uint64_t>(std::atoll(chosen)) << 20;
        limits.free_bytes = std::numeric_limits<std::uint64_t>::max();
    }
    return limits;
}

std::vector<pid_t> Guard::others() const
{
    if (!m_ownNamespace) {
        std::set<pid_t> descendants;
        addDescendants("/proc/self", descendants);
        return {descendants.begin(), descendants.end()};
    }
    std::vector<pid_t> pids = numbersIn("/proc");
    std::erase(pids, ::getpid());
    return pids;
}

void Guard::killAll()
{
    if (m_ownNamespace)
        ::kill(-1, SIGKILL);
    else
        for (const pid_t pid : others())
            ::kill(pid, SIGKILL);
}

void Guard::inspect()
{
    const std::vector<pid_t> pids = others();
    if (static_cast<int>(pids.size()) > m_limits.processes) {
        m_cause = GuardCause::Processes;
        return;
    }
    int threads = 0;
    std::uint64_t bytes = m_ownNamespace ? sharedMemoryBytes() : 0;
    for (const pid_t pid : pids) {
        threads += threadsOf(pid);
        // Each fork of the zygote shares its pages.
        bytes += std::max(residentBytes(pid), m_inherited_bytes) - m_inherited_bytes;
    }
    // The sum is too high by what the candidate's own forks share. Exact figures need locks that a candidate can hold,
    // so the machine's own shortage decides.
    if (threads > m_limits.tasks - tasksBeforeRefusal)
        m_cause = GuardCause::Processes;
    else if (m_limits.memory_bytes > 0 && bytes > m_limits.memory_bytes && freeMemory() < m_limits.free_bytes)
        m_cause = GuardCause::Memory;
}

int Guard::watch()
{
    m_inherited_bytes = residentBytes(::getpid());
    sigset_t children;
    ::sigemptyset(&children);
    ::sigaddset(&children, SIGCHLD);
    std::int64_t next_ns = now_ns() + period_ns;
    for (;;) {
        const std::int64_t left_ns = std::clamp<std::int64_t>(next_ns - now_ns(), 0, period_ns);
        const timespec wait{0, static_cast<long>(std::min(left_ns, std::int64_t{999'999'999}))};
        ::sigtimedwait(&children, nullptr, &wait);
        int status = 0;
        for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;)
            if (pid == m_candidate)
                return status;
        if (now_ns() < next_ns)
            continue;
        if (m_cause == GuardCause::None)
            inspect();
        if (m_cause != GuardCause::None)
            killAll(); // again each time: what was being started when the signal was sent may have got away
        next_ns = now_ns() + period_ns;
    }
}

void Guard::endRest()
{
    const std::int64_t until_ns = now_ns() + 5'000'000'000;
    while (now_ns() < until_ns) {
        killAll();
        int status = 0;
        pid_t pid = 0;
        while ((pid = ::waitpid(-1, &status, WNOHANG)) > 0) {}
        if (pid < 0)
            return; // no child is left
        const timespec pause{0, 2'000'000};
        ::nanosleep(&pause, nullptr);
    }
}

} // namespace cudal1::judge
