// SPDX-License-Identifier: GPL-3.0-or-later
// Session, namespaces, limits and privileges of a candidate's process.
#include "core/judge/sandbox/isolation.h"

#include "core/base/bytestext.h"
#include "core/judge/sandbox/guard.h"
#include "core/judge/sandbox/landlock.h"
#include "core/judge/sandbox/priority.h"
#include "core/judge/sandbox/privateview.h"
#include "core/judge/sandbox/syscallfilter.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>

namespace cudal1::judge {

namespace {

constexpr const char* ownDevices = "no devices but the standard ones and GPUs, own /dev/shm";
constexpr const char* neededFiles = "files that it does not need unreadable";

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
    const int error = errno;
    ::close(file);
    errno = error;
    return done;
}

bool mayMakeNamespaces()
{
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2]{};
    return ::syscall(SYS_capget, &header, data) == 0 && (data[0].effective & (1u << CAP_SYS_ADMIN)) != 0;
}

/// A user namespace in which this user is mapped to itself gives the rights that the other namespaces need.
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

/// For good, also across programs that it starts: root without capabilities is a user that owns system files, which the
/// read-only view then covers.
bool dropPrivileges()
{
    ::prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                                   SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE |
                                   SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED);
    for (unsigned long capability = 0; ::prctl(PR_CAPBSET_READ, capability) >= 0; ++capability)
        ::prctl(PR_CAPBSET_DROP, capability);
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    const __user_cap_data_struct none[2]{};
    return ::syscall(SYS_capset, &header, none) == 0 && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

std::uint64_t mappedBytes()
{
    std::ifstream file("/proc/self/statm");
    std::uint64_t pages = 0;
    file >> pages;
    return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

[[noreturn]] void endLike(int status)
{
    if (WIFSIGNALED(status)) {
        limit(RLIMIT_CORE, 0);
        const int number = WTERMSIG(status);
        ::signal(number, SIG_DFL);
        sigset_t all;
        ::sigfillset(&all);
        ::sigprocmask(SIG_UNBLOCK, &all, nullptr);
        ::kill(::getpid(), number);
        ::_exit(128 + number);
    }
    ::_exit(WEXITSTATUS(status));
}

class Isolation {
public:
    Isolation(const IsolationPlan& plan, int causePipe, std::span<const int> kept,
              const std::function<int(const IsolationReport&)>& work)
        : m_plan(plan), m_limits(guardLimits()), m_causePipe(causePipe), m_kept(kept), m_work(work),
          m_view(plan.folder, plan.readable)
    {
    }

    [[noreturn]] void run()
    {
        ::setsid();
        ::prctl(PR_SET_DUMPABLE, 1);
        enterNamespaces();
        if (!m_ownProcesses)
            endLike(guardWork());
        // Only children of this process are in the new namespace. The first of them is its reaper, and all end with it.
        int statuses[2];
        if (::pipe2(statuses, O_CLOEXEC) != 0)
            ::_exit(1);
        const pid_t first = ::fork();
        if (first == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            pollfd reader{statuses[1], 0, 0};
            ::close(statuses[0]);
            if (::poll(&reader, 1, 0) > 0 && (reader.revents & POLLERR))
                ::_exit(1); // the caller ended before it could be watched
            m_statusPipe = statuses[1];
            const int status = guardWork();
            const ssize_t written = ::write(statuses[1], &status, sizeof status);
            ::_exit(written == static_cast<ssize_t>(sizeof status) ? 0 : 1);
        }
        const int kept[] = {statuses[0]};
        closeStandard();
        closeOthers(kept);
        int status = SIGKILL; // of a reaper that was killed
        if (first < 0 || ::read(statuses[0], &status, sizeof status) != static_cast<ssize_t>(sizeof status))
            status = first < 0 ? 1 << 8 : SIGKILL;
        while (first > 0 && ::waitpid(first, nullptr, 0) < 0 && errno == EINTR) {}
        endLike(status);
    }

private:
    bool note(const std::string& what, bool done)
    {
        const int error = errno;
        if (done)
            m_report.applied.push_back(what);
        else
            m_report.missing.push_back(what + ": " + std::strerror(error));
        return done;
    }

    void enterNamespaces()
    {
        if (!mayMakeNamespaces())
            m_ownUser = note("own user namespace", enterUserNamespace());
        ::prctl(PR_SET_PDEATHSIG, SIGKILL); // a change of credentials clears it
        m_ownNetwork = ::unshare(CLONE_NEWNET) == 0;
        m_ownMounts = ::unshare(CLONE_NEWNS) == 0;
        m_mountError = errno;
        if (!m_plan.sharedProcesses.empty())
            return;
        m_ownProcesses = m_ownMounts && ::unshare(CLONE_NEWPID | CLONE_NEWIPC) == 0;
        m_processError = errno;
    }

    /// The caller forks `work` and stays with it; its status.
    int guardWork()
    {
        if (!m_ownProcesses)
            ::prctl(PR_SET_CHILD_SUBREAPER, 1);
        protectFiles();
        takePriority(guardNice);
        sigset_t children;
        ::sigemptyset(&children);
        ::sigaddset(&children, SIGCHLD);
        ::sigprocmask(SIG_BLOCK, &children, nullptr);
        const pid_t guardian = ::getpid();
        const pid_t pid = ::fork();
        if (pid == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (::getppid() != guardian)
                ::_exit(1);
            ::sigprocmask(SIG_UNBLOCK, &children, nullptr);
            ::setsid();
            takePriority(timedNice);
            joinGroup(m_plan.group);
            restrictSelf();
            closeOthers(m_kept);
            ::_exit(m_work(m_report));
        }
        if (pid < 0)
            return 1 << 8;
        dropPrivileges();
        ::prctl(PR_SET_DUMPABLE, 0);
        const int kept[] = {m_causePipe, m_statusPipe};
        closeStandard();
        closeOthers(kept);
        Guard guard(pid, m_ownProcesses, m_limits);
        const int status = guard.watch();
        if (guard.cause() != GuardCause::None) {
            const char cause = static_cast<char>(guard.cause());
            if (::write(m_causePipe, &cause, 1) != 1)
                return status; // the zygote is gone, and nobody is left to read a cause
        }
        guard.endRest();
        return status;
    }

    void protectFiles()
    {
        errno = m_mountError;
        m_ownRoot = m_ownMounts && m_view.enterRoot();
        m_mountError = errno;
        if (m_ownProcesses) {
            note("other processes out of sight", true);
            note("own /proc", m_view.mountProc(m_limits.tasks));
        }
        if (m_ownRoot) {
            note("kernel settings read-only", m_view.protectKernelSettings());
            if (m_plan.machineDevices.empty()) {
                note(ownDevices, m_view.mountDevices());
            } else {
                m_report.missing.push_back(ownDevices + (": " + m_plan.machineDevices));
                note("own /dev/shm", m_view.mountSharedMemory());
            }
        }
    }

    void restrictSelf()
    {
        note("own session", ::getsid(0) == ::getpid());
        note("no core files", limit(RLIMIT_CORE, 0));
        note("files up to 8 GiB", limit(RLIMIT_FSIZE, rlim_t{8} << 30));
        note("up to 4096 descriptors", limit(RLIMIT_NOFILE, 4096));
        note("first to go when memory is short", writeFile("/proc/self/oom_score_adj", "1000"));
        // Counted by user, and by user namespace within one: outside of one it would count the user's other programs.
        if (m_ownUser)
            limit(RLIMIT_NPROC, static_cast<rlim_t>(m_limits.tasks));
        note("up to " + std::to_string(m_limits.processes) + " processes, " +
                 base::bytesText(static_cast<double>(m_limits.memory_bytes)) + " together",
             true);
        if (m_plan.memoryLimit > 0)
            note("memory limit of " + base::bytesText(static_cast<double>(m_plan.memoryLimit)) + " a process",
                 limit(RLIMIT_AS, mappedBytes() + m_plan.memoryLimit));
        note("no privileges", dropPrivileges());
        ::prctl(PR_SET_DUMPABLE, 1);
        ::prctl(PR_SET_PTRACER,
                PR_SET_PTRACER_ANY); // the witness reads results in this process, which it did not start

        LandlockPlan own;
        if (!m_ownRoot) {
            own.writable = PrivateView::devices();
            // Not /dev/shm, which is the machine's here: what one candidate left there would be missing to the next.
            own.writable.insert(own.writable.end(), {m_plan.folder, "/proc/self"});
            own.readable = m_plan.readable.trees;
            own.readable.insert(own.readable.end(), {"/proc", "/sys"});
            own.listable = {"/dev"}; // drivers look for their devices
        } else if (!m_ownProcesses) {
            own.writable = {m_plan.folder, "/dev", "/proc/self"}; // other processes' settings are in /proc too
        }
        own.signals = !m_ownProcesses;
        const int version = landlockVersion();
        const bool scoped = own.signals && landlock(own);
        bool confined = scoped;
        if (!scoped && (!own.writable.empty() || own.signals)) {
            own.signals = false;
            confined = landlock(own);
        }
        noteFiles(confined);
        SyscallFilterPlan calls;
        calls.sockets = !m_ownNetwork;
        calls.connections = !socketsOutOfSight() && m_plan.machineFiles.empty();
        calls.ownProcess = m_ownProcesses ? 0 : ::getpid();
        calls.guard = ::getppid();
        calls.signals = !m_ownProcesses && !scoped;
        const bool filtered = note("no tracing, mounting and other rare system calls", filterSyscalls(calls));
        const int filterError = errno;
        if (!m_ownNetwork && filtered) {
            note("no network (system call filter)", true);
        } else {
            errno = filterError;
            note("no network", m_ownNetwork);
        }
        noteSockets(calls.connections && filtered);
        if (!m_ownProcesses)
            noteSharedProcesses(scoped, confined, filtered, version);
    }

    void noteFiles(bool confined)
    {
        const std::string why = std::string("mount namespaces cannot be used here (") + std::strerror(m_mountError) +
                                ")";
        const std::string how = m_ownRoot ? "" : " (Landlock)";
        if (m_ownRoot || confined) {
            note("files outside its folder read-only" + how, true);
            if (m_plan.machineFiles.empty())
                note(neededFiles + how, true);
            else
                m_report.missing.push_back(neededFiles + (": " + m_plan.machineFiles));
        } else {
            m_report.missing.push_back("files outside its folder read-only: " + why +
                                       " and the kernel has no Landlock.");
            m_report.missing.push_back(
                std::string(neededFiles) + ": " + why +
                " and the kernel has no Landlock, so a candidate can read every file that this user can read.");
        }
        if (m_ownRoot || !confined)
            return;
        m_report.missing.push_back("modes of files that this user owns read-only: " + why + ".");
        m_report.missing.push_back(
            "names of other files out of sight: " + why +
            ", so a candidate that guesses a path learns whether it exists, its size and its times, but not what is "
            "in it.");
    }

    /// Those that are files are hidden with the files, those that are names in the kernel with the network.
    bool socketsOutOfSight() const { return m_ownRoot && m_ownNetwork; }

    void noteSockets(bool refused)
    {
        const std::string what = "no connections to sockets of other programs";
        if (!m_plan.machineFiles.empty())
            m_report.missing.push_back(what + ": " + m_plan.machineFiles);
        else if (socketsOutOfSight() || refused)
            note(what + (refused ? " (system call filter)" : ""), true);
        else
            m_report.missing.push_back(
                what + ": needs mount and network namespaces or system call filters, and this machine refuses both.");
    }

    void noteSharedProcesses(bool scoped, bool confined, bool filtered, int version)
    {
        m_report.missing.push_back("other processes out of sight: " + (m_plan.sharedProcesses.empty()
                                                                           ? std::strerror(m_processError)
                                                                           : m_plan.sharedProcesses));
        if (scoped || filtered)
            note(std::string("no signals to other processes (") + (scoped ? "Landlock)" : "system call filter)"), true);
        else
            m_report.missing.push_back(
                "no signals to other processes: needs Landlock 6 or system call filters, here is Landlock " +
                std::to_string(version));
        if (!confined)
            m_report.missing.push_back("settings of this user's other processes in /proc: needs Landlock");
        // Root gave up what the others still have; a user namespace's rights end at its border; Landlock's domain as
        // well.
        if (confined || m_ownUser || ::geteuid() == 0)
            note("memory of other processes out of reach", true);
        else
            m_report.missing.push_back("memory of other processes out of reach: needs user namespaces or Landlock");
    }

    /// Guards print nothing, and must not hold the pipe of the candidate's output open.
    static void closeStandard()
    {
        for (int descriptor = 0; descriptor < 3; ++descriptor)
            ::close(descriptor);
    }

    const IsolationPlan& m_plan;
    GuardLimits m_limits;
    int m_causePipe, m_statusPipe = -1;
    std::span<const int> m_kept;
    const std::function<int(const IsolationReport&)>& m_work;
    PrivateView m_view;
    IsolationReport m_report;
    bool m_ownUser = false, m_ownNetwork = false, m_ownMounts = false, m_ownProcesses = false, m_ownRoot = false;
    int m_mountError = 0, m_processError = 0;
};

} // namespace

void runIsolated(const IsolationPlan& plan, int causePipe, std::span<const int> kept,
                 const std::function<int(const IsolationReport&)>& work)
{
    Isolation(plan, causePipe, kept, work).run();
}

void joinGroup(int file)
{
    if (file >= 0 && ::write(file, "0", 1) != 1)
        ::dprintf(2, "a process cannot join its control group: %s\n", std::strerror(errno));
}

void closeOthers(std::span<const int> kept)
{
    std::vector<int> sorted(kept.begin(), kept.end());
    std::sort(sorted.begin(), sorted.end());
    unsigned from = 3;
    for (const int descriptor : sorted) {
        if (descriptor < static_cast<int>(from))
            continue;
        if (static_cast<unsigned>(descriptor) > from)
            ::syscall(SYS_close_range, from, static_cast<unsigned>(descriptor) - 1, 0);
        from = static_cast<unsigned>(descriptor) + 1;
    }
    ::syscall(SYS_close_range, from, std::numeric_limits<unsigned>::max(), 0);
}

void filterReference()
{
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        filterSyscalls({});
}

} // namespace cudal1::judge
