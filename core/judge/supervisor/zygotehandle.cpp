// SPDX-License-Identifier: GPL-3.0-or-later
// The supervisor's end of the zygote.
#include "core/judge/supervisor/zygotehandle.h"

#include "core/judge/wire/handover.h"
#include "core/judge/wire/wire.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace cudal1::judge {

using nlohmann::json;

namespace {

std::string pythonProgram()
{
    const char* chosen = std::getenv("CUDAL1_PYTHON");
    return chosen && *chosen ? chosen : CUDAL1_PYTHON;
}

/// A subject that sends half a message must not hold the supervisor.
void limitWaits(int socket)
{
    const timeval limit{10, 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

} // namespace

ZygoteHandle::~ZygoteHandle()
{
    if (m_control >= 0)
        ::close(m_control);
    if (m_pid > 0) {
        ::kill(m_pid, SIGKILL);
        ::waitpid(m_pid, nullptr, 0);
    }
}

void ZygoteHandle::start(const std::string& program)
{
    const std::string python = pythonProgram();
    if (m_control >= 0)
        ::close(m_control);
    m_control = -1;
    m_begun.clear();
    if (m_pid > 0) {
        ::kill(m_pid, SIGKILL);
        ::waitpid(m_pid, nullptr, 0);
        m_pid = -1;
    }
    int sockets[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
        throw std::runtime_error(std::string("socketpair: ") + std::strerror(errno));
    // Threads of a parallel region that wait for one another spin for some microseconds at most, and then sleep. The
    // default, milliseconds, makes a short call take a whole time slice where another process wants the core; with few
    // cores that is so in most calls (on two, those of a virtual machine, calls took 0.3 ms without and 1.2 ms with
    // half a millisecond of it).
    const std::string spins = std::thread::hardware_concurrency() <= 4 ? "0" : "1000";
    m_pid = ::fork();
    if (m_pid == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::fcntl(sockets[1], F_SETFD, 0);
        const int nothing = ::open("/dev/null", O_RDWR);
        ::dup2(nothing, 0); // standard input and output belong to the protocol
        ::dup2(nothing, 1);
        ::setenv("GOMP_SPINCOUNT", spins.c_str(), 0);
        const std::string control = std::to_string(sockets[1]);
        ::execl(program.c_str(), program.c_str(), control.c_str(), python.c_str(), nullptr);
        ::dprintf(2, "%s: %s\n", program.c_str(), std::strerror(errno));
        ::_exit(127);
    }
    ::close(sockets[1]);
    m_control = sockets[0];
    ZygoteReady ready;
    try {
        ready = receiveMessage(m_control).get<ZygoteReady>();
    } catch (const WireClosed&) {
        ::close(m_control);
        m_control = -1;
        throw std::runtime_error(program + " did not start; its message is on standard error");
    }
    if (!ready.ready) {
        ::close(m_control);
        m_control = -1;
        throw std::runtime_error(ready.message);
    }
    m_torch = ready.torch;
    m_python = ready.python;
}

std::shared_ptr<SubjectHandle> ZygoteHandle::fork(const Plan& plan)
{
    auto subject = beginFork(plan);
    finishFork(*subject);
    return subject;
}

void ZygoteHandle::finishFork(SubjectHandle& subject)
{
    while (subject.pid() == 0)
        receive();
    if (subject.pid() < 0)
        throw WireClosed("the machine has no room for another process");
    int process = 0;
    const auto greeting = receiveMessage(subject.socket(), nullptr, 256u << 20,
                                         std::chrono::steady_clock::time_point::max(), &process)
                              .get<SubjectGreeting>();
    subject.setProcess(process); // as the kernel says it, before any code of a candidate has run
    subject.isolation = greeting.applied;
    subject.isolationMissing = greeting.missing;
    if (const std::string weakness = Freezer::weakness(subject.freezerPlace()); !weakness.empty())
        subject.isolationMissing.push_back(weakness);
    else if (!subject.freezerPlace().kind.empty())
        subject.isolation.push_back("stopped while it has no request (control group)");
}

std::shared_ptr<SubjectHandle> ZygoteHandle::beginFork(const Plan& plan)
{
    int sockets[2], output[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
        throw WireClosed(std::string("socketpair: ") + std::strerror(errno));
    if (::pipe2(output, O_CLOEXEC) != 0) {
        ::close(sockets[0]);
        ::close(sockets[1]);
        throw WireClosed(std::string("pipe: ") + std::strerror(errno));
    }
    ::fcntl(output[0], F_SETFL, O_NONBLOCK);
    limitWaits(sockets[0]);
    passSender(sockets[0]);
    const bool driven = plan.role != "witness"; // by the witness, who stops it meanwhile
    const int page = driven ? Handover::makeFile() : -1;
    const auto freezer = driven ? Freezer::make() : nullptr;
    const int group = freezer ? freezer->joinFile() : -1;
    auto subject = std::make_shared<SubjectHandle>(sockets[0], output[0], page, freezer);
    try {
        const auto orSocket = [&](int descriptor) { return descriptor >= 0 ? descriptor : sockets[1]; };
        const int descriptors[] = {sockets[1], output[1], orSocket(plan.memoryFile), orSocket(page), orSocket(group)};
        m_begun[++m_lastFork] = subject;
        auto request = static_cast<const ForkSubject&>(plan);
        request.fork = m_lastFork;
        request.joins = group >= 0;
        sendMessage(m_control, request, descriptors);
    } catch (...) {
        ::close(sockets[1]);
        ::close(output[1]);
        throw;
    }
    ::close(sockets[1]);
    ::close(output[1]);
    return subject;
}

void ZygoteHandle::note(const json& message)
{
    if (message.contains(Forked::name)) {
        const auto forked = message.at(Forked::name).get<Forked>();
        const auto begun = m_begun.find(forked.fork);
        if (begun == m_begun.end())
            return;
        if (const auto subject = begun->second.lock()) {
            subject->setPid(forked.pid);
            if (forked.pid > 0)
                m_subjects[forked.pid] = subject;
        }
        m_begun.erase(begun);
        return;
    }
    if (!message.contains(Exited::name))
        return;
    const auto exited = message.at(Exited::name).get<Exited>();
    const auto found = m_subjects.find(exited.pid);
    if (found == m_subjects.end())
        return;
    if (const auto subject = found->second.lock()) {
        subject->status = exited.status;
        subject->cause = exited.cause;
    }
    m_subjects.erase(found);
}

void ZygoteHandle::receive()
{
    note(receiveMessage(m_control));
}

void ZygoteHandle::awaitStatus(SubjectHandle& subject, int milliseconds)
{
    while (!subject.status && milliseconds > 0) {
        pollfd source{m_control, POLLIN, 0};
        constexpr int slice = 50;
        if (::poll(&source, 1, slice) > 0)
            receive();
        else
            milliseconds -= slice;
    }
}

void ZygoteHandle::end(SubjectHandle& subject)
{
    while (subject.pid() == 0)
        receive();
    if (subject.pid() < 0)
        return; // it was never there
    subject.kill();
    awaitStatus(subject, 5000);
}

} // namespace cudal1::judge
