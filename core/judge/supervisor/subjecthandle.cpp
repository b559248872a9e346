// SPDX-License-Identifier: GPL-3.0-or-later
// The supervisor's end of a subject.
#include "core/judge/supervisor/subjecthandle.h"

#include "core/judge/wire/steadyclock.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace cudal1::judge {

SubjectHandle::~SubjectHandle()
{
    kill();
    ::close(m_socket);
    if (m_output >= 0)
        ::close(m_output);
    if (m_page >= 0)
        ::close(m_page);
}

void SubjectHandle::setProcess(pid_t process)
{
    m_process = process;
    if (m_freezer)
        m_freezer->setProcess(process, process != m_pid);
}

void SubjectHandle::freeze()
{
    if (m_freezer && m_process > 0 && !status && !m_freezer->freeze())
        kill(); // what cannot be stopped has no business here
}

void SubjectHandle::thaw()
{
    if (m_freezer && m_process > 0)
        m_freezer->thaw();
}

void SubjectHandle::handOver()
{
    if (m_freezer)
        m_freezer->handOver();
}

void SubjectHandle::kill()
{
    if (status || m_pid <= 0)
        return; // without its socket, one whose id is not known ends by itself
    ::kill(-m_pid, SIGKILL);
    ::kill(m_pid, SIGKILL);
    thaw(); // a stopped process does not die under every kind of freezing; the signal is there before it runs
}

void SubjectHandle::drain()
{
    char buffer[1 << 16];
    while (m_output >= 0) {
        const ssize_t size = ::read(m_output, buffer, sizeof buffer);
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0)
            return; // nothing more for now
        if (size == 0) {
            ::close(m_output);
            m_output = -1;
            return;
        }
        const auto bytes = static_cast<std::size_t>(size);
        m_bytes += bytes;
        m_printed.append(buffer, std::min(bytes, keptOutput - std::min(keptOutput, m_printed.size())));
        if (m_bytes > floodBytes)
            throw OutputFlood{};
    }
}

std::uint64_t SubjectHandle::nextNonce()
{
    static std::random_device source;
    m_nonce = (std::uint64_t{source()} << 32 | source()) >> 1; // JSON numbers stay within what every reader takes
    return m_nonce;
}

void SubjectHandle::trace(const std::string& request, double begun_s) const
{
    static const bool traced = std::getenv("CUDAL1_TRACE") != nullptr;
    if (traced)
        std::fprintf(stderr, "%.3f ms: %s to %d took %.3f ms\n", secondsNow() * 1e3, request.c_str(),
                     static_cast<int>(pid()), (secondsNow() - begun_s) * 1e3);
}

} // namespace cudal1::judge
