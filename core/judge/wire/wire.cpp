// SPDX-License-Identifier: GPL-3.0-or-later
// Framed JSON over a stream socket.
#include "core/judge/wire/wire.h"

#include "core/base/bytestext.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

namespace cudal1::judge {

namespace {

constexpr std::size_t maxDescriptors = 8;

[[noreturn]] void fail(const char* what)
{
    throw WireClosed(std::string(what) + ": " + std::strerror(errno));
}

void sendAll(int socket, const char* data, std::size_t size)
{
    while (size > 0) {
        const ssize_t sent = ::send(socket, data, size, MSG_NOSIGNAL);
        if (sent < 0) {
            if (errno == EINTR)
                continue;
            fail("send");
        }
        data += sent;
        size -= static_cast<std::size_t>(sent);
    }
}

using Deadline = std::chrono::steady_clock::time_point;

/// Waits until there is something to read. A socket with a receive timeout of its own keeps that.
void awaitData(int socket, Deadline deadline)
{
    while (deadline != Deadline::max()) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
        if (left <= 0)
            throw FrameRefused("a frame was not complete in time");
        pollfd source{socket, POLLIN, 0};
        const int ready = ::poll(&source, 1, static_cast<int>(std::min<long>(left, 60'000)));
        if (ready > 0)
            return;
        if (ready < 0 && errno != EINTR)
            fail("poll");
    }
}

void receiveAll(int socket, char* data, std::size_t size, Deadline deadline)
{
    while (size > 0) {
        awaitData(socket, deadline);
        const ssize_t received = ::recv(socket, data, size, 0);
        if (received < 0) {
            if (errno == EINTR)
                continue;
            fail("recv");
        }
        if (received == 0)
            throw WireClosed("the other side closed the connection");
        data += received;
        size -= static_cast<std::size_t>(received);
    }
}

} // namespace

void sendMessage(int socket, const nlohmann::json& message, std::span<const int> descriptors)
{
    const std::string text = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    const auto length = static_cast<std::uint32_t>(text.size());
    char header[sizeof length];
    std::memcpy(header, &length, sizeof length);
    if (descriptors.empty()) {
        sendAll(socket, header, sizeof header);
    } else {
        iovec part{header, sizeof header};
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * maxDescriptors)] = {};
        msghdr packet{};
        packet.msg_iov = &part;
        packet.msg_iovlen = 1;
        packet.msg_control = control;
        packet.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
        cmsghdr* rights = CMSG_FIRSTHDR(&packet);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(descriptors.size_bytes());
        std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size_bytes());
        const ssize_t sent = ::sendmsg(socket, &packet, MSG_NOSIGNAL);
        if (sent < 0)
            fail("sendmsg");
        sendAll(socket, header + sent, sizeof header - static_cast<std::size_t>(sent));
    }
    sendAll(socket, text.data(), text.size());
}

nlohmann::json receiveMessage(int socket, std::vector<int>* descriptors, std::size_t maxBytes,
                              std::chrono::steady_clock::time_point deadline, int* sender)
{
    char header[sizeof(std::uint32_t)];
    iovec part{header, sizeof header};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * maxDescriptors) + CMSG_SPACE(sizeof(ucred))];
    msghdr packet{};
    packet.msg_iov = &part;
    packet.msg_iovlen = 1;
    packet.msg_control = control;
    packet.msg_controllen = sizeof control;
    awaitData(socket, deadline);
    ssize_t received = 0;
    do {
        received = ::recvmsg(socket, &packet, MSG_CMSG_CLOEXEC);
    } while (received < 0 && errno == EINTR);
    if (received < 0)
        fail("recvmsg");
    if (received == 0)
        throw WireClosed("the other side closed the connection");
    for (cmsghdr* message = CMSG_FIRSTHDR(&packet); message; message = CMSG_NXTHDR(&packet, message)) {
        if (message->cmsg_level == SOL_SOCKET && message->cmsg_type == SCM_CREDENTIALS && sender) {
            ucred who{};
            std::memcpy(&who, CMSG_DATA(message), sizeof who);
            *sender = who.pid;
        }
        if (message->cmsg_level != SOL_SOCKET || message->cmsg_type != SCM_RIGHTS)
            continue;
        const std::size_t count = (message->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int descriptor = -1;
            std::memcpy(&descriptor, CMSG_DATA(message) + i * sizeof(int), sizeof(int));
            if (descriptors)
                descriptors->push_back(descriptor);
            else
                ::close(descriptor);
        }
    }
    receiveAll(socket, header + received, sizeof header - static_cast<std::size_t>(received), deadline);
    std::uint32_t length = 0;
    std::memcpy(&length, header, sizeof length);
    if (length > maxBytes)
        throw FrameRefused("a frame of " + base::bytesText(length) + " was refused");
    std::string text(length, '\0');
    receiveAll(socket, text.data(), length, deadline);
    nlohmann::json message = nlohmann::json::parse(text, nullptr, false);
    if (!message.is_object())
        throw FrameRefused("a frame that is no JSON object was refused");
    return message;
}

void passSender(int socket)
{
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes);
}

} // namespace cudal1::judge
