// SPDX-License-Identifier: GPL-3.0-or-later
// Reads and writes lines.
#include "core/decoder/linechannel.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace cudal1::decoder {

/// Waits for more. False at the end.
bool LineChannel::read()
{
    constexpr int look_ms = 500; // whether another thread has given up
    while (!m_hasGivenUp) {
        pollfd sources[2] = {{m_input, POLLIN, 0}, {m_output, 0, 0}};
        if (::poll(sources, 2, look_ms) < 0 && errno != EINTR)
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
    return false;
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
        if (isTooLong() || !read())
            return {};
    }
}

void LineChannel::send(const std::string& line)
{
    const std::lock_guard lock(m_outputMutex);
    for (std::size_t sent = 0; sent < line.size() && !m_isOutputClosed;) {
        // A pipe that is ready takes a page without waiting. A client that asks to quit need not read before.
        constexpr std::size_t page = 4096;
        constexpr int look_ms = 200;
        pollfd ready{m_output, POLLOUT, 0};
        if (::poll(&ready, 1, look_ms) == 0) {
            if (m_hasGivenUp)
                return;
            continue;
        }
        const ssize_t size = ::write(m_output, line.data() + sent, std::min(page, line.size() - sent));
        if (size < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (size <= 0)
            m_isOutputClosed = true; // the client is gone
        else
            sent += static_cast<std::size_t>(size);
    }
}

bool LineChannel::isOutputClosed() const
{
    pollfd source{m_output, 0, 0};
    return m_isOutputClosed || (::poll(&source, 1, 0) > 0 && (source.revents & (POLLERR | POLLHUP)));
}

} // namespace cudal1::decoder
