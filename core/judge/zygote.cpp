// SPDX-License-Identifier: GPL-3.0-or-later
// Forks subjects from one warm process.
#include "core/judge/zygote.h"

#include "core/judge/isolation.h"
#include "core/judge/pythonhost.h"
#include "core/judge/subject.h"
#include "core/judge/wire.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <stdexcept>

namespace cudal1::judge {

using nlohmann::json;

namespace {

/// Children of this process that it did not fork itself: what subjects left behind and the kernel handed to us.
std::vector<pid_t> strays(const std::set<pid_t>& subjects)
{
    std::vector<pid_t> out;
    std::ifstream file("/proc/self/task/" + std::to_string(::getpid()) + "/children");
    for (pid_t pid = 0; file >> pid;)
        if (!subjects.contains(pid))
            out.push_back(pid);
    return out;
}

[[noreturn]] void becomeSubject(const json& request, const std::vector<int>& descriptors)
{
    const int socket = descriptors[0], output = descriptors[1], memoryFile = descriptors[2];
    const std::string folder = request.at("folder");
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(nothing, 0);
    ::dup2(output, 1);
    ::dup2(output, 2);
    ::close(output);
    ::close(nothing);
    int status = 1;
    try {
        IsolationReport isolation;
        if (request.at("role") == "candidate")
            isolation = isolate(folder, request.at("memory_limit"));
        else
            ::setsid();
        if (::chdir(folder.c_str()) != 0)
            throw std::runtime_error("cannot enter " + folder);
        setEnvironment(request.at("environment"));
        sendMessage(socket, {{"pid", ::getpid()}, {"applied", isolation.applied}, {"missing", isolation.missing}});
        status = serveSubject(socket, memoryFile, folder);
    } catch (const std::exception& error) {
        ::dprintf(2, "%s\n", error.what());
    }
    ::_exit(status);
}

class Zygote {
public:
    Zygote(int control, int signals) : m_control(control), m_signals(signals) {}

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
    void fork()
    {
        std::vector<int> descriptors;
        const json request = receiveMessage(m_control, &descriptors);
        if (descriptors.size() != 3)
            throw WireClosed("a fork request without its descriptors");
        PyOS_BeforeFork();
        const pid_t pid = ::fork();
        if (pid == 0) {
            PyOS_AfterFork_Child();
            ::close(m_control);
            ::close(m_signals);
            sigset_t none;
            ::sigemptyset(&none);
            ::sigprocmask(SIG_SETMASK, &none, nullptr);
            becomeSubject(request, descriptors);
        }
        PyOS_AfterFork_Parent();
        for (const int descriptor : descriptors)
            ::close(descriptor);
        if (pid > 0)
            m_subjects.insert(pid);
        sendMessage(m_control, {{"forked", request.at("fork")}, {"pid", pid}});
    }

    void reap()
    {
        signalfd_siginfo info{};
        while (::read(m_signals, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
        }
        int status = 0;
        for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
            if (m_subjects.erase(pid) == 0)
                continue;
            ::kill(-pid, SIGKILL);
            for (const pid_t stray : strays(m_subjects))
                ::kill(stray, SIGKILL);
            sendMessage(m_control, {{"exited", pid}, {"status", status}});
        }
    }

    int m_control, m_signals;
    std::set<pid_t> m_subjects;
};

} // namespace

int runZygote(int control, const std::string& python)
{
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    ::fcntl(control, F_SETFD, FD_CLOEXEC);
    try {
        startPython(python);
        const PyRef torch = importModule("torch");
        const std::string version = strOf(attribute(torch, "__version__").get());
        const std::string pythonVersion = strOf(checked(PySys_GetObject("version") ? Py_NewRef(PySys_GetObject("version")) : nullptr).get());
        sigset_t children;
        ::sigemptyset(&children);
        ::sigaddset(&children, SIGCHLD);
        ::sigprocmask(SIG_BLOCK, &children, nullptr);
        const int signals = ::signalfd(-1, &children, SFD_NONBLOCK | SFD_CLOEXEC);
        sendMessage(control, {{"ready", true}, {"torch", version}, {"python", pythonVersion.substr(0, pythonVersion.find(' '))}});
        return Zygote(control, signals).run();
    } catch (const WireClosed&) {
        return 0; // the supervisor is gone; PR_SET_PDEATHSIG takes the subjects along
    } catch (const std::exception& error) {
        try {
            sendMessage(control, {{"ready", false}, {"message", error.what()}});
        } catch (const WireClosed&) {
        }
        return 3;
    }
}

} // namespace cudal1::judge
