// SPDX-License-Identifier: GPL-3.0-or-later
// Forks subjects from one warm process.
#include "core/judge/sandbox/zygote.h"

#include "core/judge/generated/preload_py.h"
#include "core/judge/module/pythonhost.h"
#include "core/judge/sandbox/environment.h"
#include "core/judge/sandbox/guard.h"
#include "core/judge/sandbox/isolation.h"
#include "core/judge/sandbox/priority.h"
#include "core/judge/sandbox/timingcore.h"
#include "core/judge/wire/wire.h"
#include "core/judge/wire/zygotemessages.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <set>
#include <stdexcept>

namespace cudal1::judge {

namespace {

/// How often the kernel has ended a process of this machine because memory ran out.
std::uint64_t outOfMemoryKills()
{
    std::ifstream file("/proc/vmstat");
    std::uint64_t count = 0;
    for (std::string key; file >> key >> count;)
        if (key == "oom_kill")
            return count;
    return 0;
}

/// Away from the cores on which this evaluator or another times calls.
void leaveTimingCores()
{
    cpu_set_t cores;
    if (::sched_getaffinity(0, sizeof cores, &cores) == 0) {
        for (const Core& core : timingCores())
            for (const int thread : core)
                CPU_CLR(static_cast<std::size_t>(thread), &cores);
        if (CPU_COUNT(&cores) > 0)
            ::sched_setaffinity(0, sizeof cores, &cores);
    }
}

/// The folders of this interpreter's environment and of the one that it was made from, and torch where it lies
/// elsewhere.
std::vector<std::string> pythonPrefixes()
{
    std::vector<std::string> prefixes;
    const PyRef sys = importModule("sys");
    for (const char* name : {"prefix", "exec_prefix", "base_prefix", "base_exec_prefix"})
        prefixes.push_back(strOf(attribute(sys, name).get()));
    const PyRef packages = attribute(importModule("torch"), "__path__");
    prefixes.push_back(strOf(checked(PySequence_GetItem(packages.get(), 0)).get()));
    return prefixes;
}

IsolationPlan isolationPlan(const ForkSubject& request, int group, const ReadablePaths& readable)
{
    IsolationPlan plan;
    plan.folder = request.folder;
    plan.memoryLimit = request.memoryLimit;
    plan.sharedProcesses = request.sharedProcesses;
    plan.machineDevices = request.machineDevices;
    plan.machineFiles = request.machineFiles;
    plan.readable = plan.machineFiles.empty() ? readable : allPaths();
    plan.group = group;
    return plan;
}

[[noreturn]] void becomeSubject(const ForkSubject& request, const std::vector<int>& descriptors, int causePipe,
                                pid_t zygote, const ReadablePaths& readable, const ServeSubject& serveSubject)
{
    const int socket = descriptors[0], output = descriptors[1], memoryFile = descriptors[2], handover = descriptors[3];
    const int group = request.joins ? descriptors[4] : -1;
    if (request.cores != SubjectCores::All)
        leaveTimingCores();
    if (request.cores == SubjectCores::Background) {
        const sched_param none{};
        ::sched_setscheduler(0, SCHED_IDLE, &none);
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != zygote)
        ::_exit(1); // it ended before this took effect
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(nothing, 0);
    ::dup2(output, 1);
    ::dup2(output, 2);
    ::close(output);
    ::close(nothing);
    const auto serve = [&](const IsolationReport& isolation) {
        try {
            PyOS_AfterFork_Child();
            if (::chdir(request.folder.c_str()) != 0)
                throw std::runtime_error("cannot enter " + request.folder);
            setEnvironment(request.environment);
            sendMessage(socket, SubjectGreeting{isolation.applied, isolation.missing});
            return serveSubject({socket, memoryFile, handover, request.folder, request.role});
        } catch (const std::exception& error) {
            ::dprintf(2, "%s\n", error.what());
            return 1;
        }
    };
    const int kept[] = {socket, memoryFile, handover};
    if (request.isolated)
        runIsolated(isolationPlan(request, group, readable), causePipe, kept, serve);
    ::setsid();
    takePriority(timedNice);
    joinGroup(group);
    closeOthers(kept);
    if (request.role == "timed_reference")
        filterReference(); // as the candidate's calls are, so that it costs both sides the same
    ::_exit(serve({}));
}

/// What the zygote knows of a subject.
struct Child {
    int causePipe;
    std::uint64_t outOfMemoryKills; ///< when it was forked
};

class Zygote {
public:
    Zygote(int control, int signals, ReadablePaths readable, const ServeSubject& serve)
        : m_control(control), m_signals(signals), m_readable(std::move(readable)), m_serve(serve)
    {
    }

    int run()
    {
        for (;;) {
            pollfd sources[2] = {{m_control, POLLIN, 0}, {m_signals, POLLIN, 0}};
            if (::poll(sources, 2, -1) < 0)
                continue;
            if (sources[1].revents)
                reap();
            if (sources[0].revents)
                fork();
        }
    }

private:
    void preload(const std::string& module)
    {
        if (!m_preloaded.insert(module).second)
            return;
        if (!m_preload)
            m_preload = attribute(runModule("cudal1_preload", pythonPreload, "cudal1/preload.py"), "preload");
        const PyRef name(PyUnicode_FromString(module.c_str()));
        call(m_preload, checked(PyTuple_Pack(1, name.get())));
    }

    void fork()
    {
        std::vector<int> descriptors;
        const auto request = receiveMessage(m_control, &descriptors).get<ForkSubject>();
        if (descriptors.size() != 5)
            throw WireClosed("a fork request without its descriptors");
        for (const std::string& module : request.modules)
            preload(module);
        int cause[2];
        if (::pipe2(cause, O_CLOEXEC | O_NONBLOCK) != 0)
            throw WireClosed("the zygote has no descriptor left");
        const pid_t zygote = ::getpid();
        PyOS_BeforeFork();
        const pid_t pid = ::fork();
        if (pid == 0) {
            ::close(m_control);
            ::close(m_signals);
            sigset_t none;
            ::sigemptyset(&none);
            ::sigprocmask(SIG_SETMASK, &none, nullptr);
            becomeSubject(request, descriptors, cause[1], zygote, m_readable, m_serve);
        }
        PyOS_AfterFork_Parent();
        ::close(cause[1]);
        for (const int descriptor : descriptors)
            ::close(descriptor);
        if (pid > 0)
            m_subjects[pid] = {cause[0], outOfMemoryKills()};
        else
            ::close(cause[0]);
        sendMessage(m_control, {{Forked::name, Forked{request.fork, pid}}});
    }

    void reap()
    {
        signalfd_siginfo info{};
        while (::read(m_signals, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {}
        int status = 0;
        for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
            const auto found = m_subjects.find(pid);
            if (found == m_subjects.end())
                continue;
            const Child child = found->second;
            m_subjects.erase(found);
            ::kill(-pid, SIGKILL);
            endStrays();
            sendMessage(m_control, {{Exited::name, Exited{pid, status, causeOf(child, status)}}});
        }
    }

    /// What subjects left behind, and what that leaves behind: gone when this returns, memory of a device included.
    void endStrays()
    {
        constexpr int rounds = 2500; // of 2 ms
        std::vector<pid_t> left;
        for (int i = 0; i < rounds && !(left = strays()).empty(); ++i) {
            for (const pid_t stray : left) {
                ::kill(stray, SIGKILL);
                ::waitpid(stray, nullptr, WNOHANG);
            }
            if (i > 0)
                ::usleep(2000);
        }
    }

    /// Children of this process that it did not fork itself: the kernel handed them to it.
    std::vector<pid_t> strays() const
    {
        std::vector<pid_t> out;
        std::ifstream file("/proc/self/task/" + std::to_string(::getpid()) + "/children");
        for (pid_t pid = 0; file >> pid;)
            if (!m_subjects.contains(pid))
                out.push_back(pid);
        return out;
    }

    static std::string causeOf(const Child& child, int status)
    {
        char cause = 0;
        const bool known = ::read(child.causePipe, &cause, 1) == 1;
        ::close(child.causePipe);
        if (known)
            return cause == static_cast<char>(GuardCause::Processes) ? "processes" : "memory";
        return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && outOfMemoryKills() > child.outOfMemoryKills
                 ? "memory"
                 : "";
    }

    int m_control, m_signals;
    ReadablePaths m_readable;
    const ServeSubject& m_serve;
    PyRef m_preload; ///< the function, once it was wanted
    std::set<std::string> m_preloaded;
    std::map<pid_t, Child> m_subjects;
};

} // namespace

int runZygote(int control, const std::string& python, const ServeSubject& serve)
{
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    ::fcntl(control, F_SETFD, FD_CLOEXEC);
    keepNeededEnvironment();
    try {
        startPython(python);
        const PyRef torch = importModule("torch");
        ReadablePaths readable = readablePaths(pythonPrefixes());
        const std::string version = strOf(attribute(torch, "__version__").get());
        const std::string pythonVersion = strOf(
            checked(PySys_GetObject("version") ? Py_NewRef(PySys_GetObject("version")) : nullptr).get());
        sigset_t children;
        ::sigemptyset(&children);
        ::sigaddset(&children, SIGCHLD);
        ::sigprocmask(SIG_BLOCK, &children, nullptr);
        const int signals = ::signalfd(-1, &children, SFD_NONBLOCK | SFD_CLOEXEC);
        sendMessage(control, ZygoteReady{true, {}, version, pythonVersion.substr(0, pythonVersion.find(' '))});
        return Zygote(control, signals, std::move(readable), serve).run();
    } catch (const WireClosed&) {
        return 0; // the supervisor is gone; PR_SET_PDEATHSIG takes the subjects along
    } catch (const std::exception& error) {
        try {
            sendMessage(control, ZygoteReady{false, error.what(), {}, {}});
        } catch (const WireClosed&) {
        }
        return 3;
    }
}

} // namespace cudal1::judge
