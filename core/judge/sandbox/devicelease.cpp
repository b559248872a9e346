// SPDX-License-Identifier: GPL-3.0-or-later
// A lease is a local socket's name in the kernel, which has one owner: no file to clean up, none that another user
// owns.
#include "core/judge/sandbox/devicelease.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <system_error>

namespace cudal1::judge {

namespace {

/// A socket that owns the name, -1 while another does.
int own(const std::string& name)
{
    const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket < 0)
        throw std::system_error(errno, std::generic_category(), "a local socket");
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::size_t length = std::min(name.size(), sizeof address.sun_path - 1);
    std::copy_n(name.data(), length, address.sun_path + 1); // after a zero byte: no file
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
    if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), size) == 0)
        return socket;
    const int error = errno;
    ::close(socket);
    if (error != EADDRINUSE)
        throw std::system_error(error, std::generic_category(), "the local socket " + name);
    return -1;
}

void giveUp(int& socket)
{
    if (socket >= 0)
        ::close(socket);
    socket = -1;
}

} // namespace

bool DeviceLease::take()
{
    if (m_held >= 0)
        return true;
    const char* others = std::getenv("CUDAL1_LEASES");
    const std::string kind = others ? std::string("cudal1-") + others : "cudal1";
    if (m_turn < 0)
        m_turn = own(kind + "-next-" + m_device);
    if (m_turn >= 0)
        m_held = own(kind + "-device-" + m_device);
    if (m_held >= 0)
        giveUp(m_turn);
    return m_held >= 0;
}

DeviceLease::~DeviceLease()
{
    giveUp(m_held);
    giveUp(m_turn);
}

} // namespace cudal1::judge
