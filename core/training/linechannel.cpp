// SPDX-License-Identifier: GPL-3.0-or-later
// Reads and writes lines.
#include "core/training/linechannel.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace cudal1::training {

/// Waits for more. False at the end.
bool LineChannel::read()
{
    for (;;) {
        pollfd sources[2] = {{m_input, POLLIN, 0}, {m_output, 0, 0}};
        if (::poll(sources, 2, -1) < 0 && errno != EINTR)
            return false;
        if (sources[1].revents & (POLLERR | POLLHUP))
            m_isOutputClosed = true;
        if (m_isOutputClosed)
            return false;
        if (!sources[0].revents)
            continue;
        char part[1 << 16];
        const ssize_t size = ::read(m_input, part, sizeof part);
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return false;
        m_buffer.append(part, static_cast<std::size_t>(size));
        return true;
    }
}

std::optional<std::string> LineChannel::next()
{
    for (;;) {
        const std::size_t end = m_buffer.find('\n', m_searched);
        if (end != std::string::npos) {
            std::string line = m_buffer.substr(0, end);
            m_buffer.erase(0, end + 1);
            m_searched = 0;
            return line;
        }
        m_searched = m_buffer.size();
        if (m_buffer.size() > longest || !read())
            return {};
    }
}

bool LineChannel::comesWithin(int milliseconds)
{
    if (m_buffer.find('\n', m_searched) != std::string::npos)
        return true;
    pollfd source{m_input, POLLIN, 0};
    return ::poll(&source, 1, milliseconds) > 0;
}

void LineChannel::send(const std::string& line)
{
    const std::lock_guard lock(m_outputMutex);
    for (std::size_t sent = 0; sent < line.size() && !m_isOutputClosed;) {
        const ssize_t size = ::write(m_output, line.data() + sent, line.size() - sent);
        if (size < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (size <= 0)
            m_isOutputClosed = true; // the client is gone
        else
            sent += static_cast<std::size_t>(size);
    }
}

} // namespace cudal1::training
