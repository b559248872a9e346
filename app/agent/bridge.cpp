// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes of the protocol, carried on.
#include "app/agent/bridge.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace cudal1::agent {

namespace {

using nlohmann::json;

int opened(const std::string& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) {
        std::fprintf(stderr, "cudal1-agent: the path of the socket is too long\n");
        return -1;
    }
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    const int file = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file >= 0 && ::connect(file, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0)
        return file;
    std::fprintf(stderr, "cudal1-agent: the judge does not answer at %s: %s. Its run is over, perhaps.\n", path.c_str(),
                 std::strerror(errno));
    if (file >= 0)
        ::close(file);
    return -1;
}

bool writeAll(int file, const char* data, std::size_t size)
{
    while (size > 0) {
        const ssize_t put = ::write(file, data, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        data += put;
        size -= std::size_t(put);
    }
    return true;
}

std::optional<std::string> readLine(int file, std::string& rest)
{
    for (;;) {
        if (const std::size_t end = rest.find('\n'); end != std::string::npos) {
            std::string line = rest.substr(0, end);
            rest.erase(0, end + 1);
            return line;
        }
        char chunk[65536];
        const ssize_t got = ::read(file, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return std::nullopt;
        rest.append(chunk, std::size_t(got));
    }
}

} // namespace

int connectTo(const std::string& path)
{
    const int file = opened(path);
    if (file < 0)
        return 1;
    pollfd both[] = {{STDIN_FILENO, POLLIN, 0}, {file, POLLIN, 0}};
    char chunk[65536];
    for (;;) {
        if (::poll(both, 2, -1) < 0) {
            if (errno == EINTR)
                continue;
            return 1;
        }
        if (both[1].revents) {
            const ssize_t got = ::read(file, chunk, sizeof chunk);
            if (got <= 0)
                return 0; // the run is over
            if (!writeAll(STDOUT_FILENO, chunk, std::size_t(got)))
                return 0; // nobody reads any more
        }
        if (both[0].revents) {
            const ssize_t got = ::read(STDIN_FILENO, chunk, sizeof chunk);
            if (got <= 0 || !writeAll(file, chunk, std::size_t(got)))
                return 0; // the client has ended its server
        }
    }
}

namespace {

/// Prints what a tool has answered, and returns the exit status. Throws json::exception where it is no such answer.
int printAnswer(const json& message)
{
    if (message.contains("error")) {
        std::fprintf(stderr, "cudal1-agent: %s\n", message["error"].at("message").get<std::string>().c_str());
        return 1;
    }
    const json& result = message.at("result");
    for (const json& one : result.value("content", json::array()))
        std::printf("%s\n", one.value("text", "").c_str());
    return result.value("isError", false) ? 1 : 0;
}

} // namespace

int callTool(const std::string& path, const std::string& tool, const std::string& arguments)
{
    const json given = json::parse(arguments.empty() ? "{}" : arguments, nullptr, false);
    if (!given.is_object()) {
        std::fprintf(stderr,
                     "cudal1-agent: the arguments of a tool are a JSON object, such as {\"file\": \"new.py\"}\n");
        return 2;
    }
    const int file = opened(path);
    if (file < 0)
        return 1;
    const json messages[] = {
        {{"jsonrpc", "2.0"},
         {"id", 1},
         {"method", "initialize"},
         {"params",
          {{"protocolVersion", "2025-06-18"},
           {"capabilities", json::object()},
           {"clientInfo", {{"name", "cudal1-agent call"}, {"version", CUDAL1_VERSION}}}}}},
        {{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}},
        {{"jsonrpc", "2.0"}, {"id", 2}, {"method", "tools/call"}, {"params", {{"name", tool}, {"arguments", given}}}}};
    for (const json& message : messages) {
        const std::string line = message.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
        if (!writeAll(file, line.data(), line.size()))
            return 1;
    }
    std::string rest;
    while (const auto line = readLine(file, rest)) {
        const json message = json::parse(*line, nullptr, false);
        if (!message.is_object() || message.value("id", json()) != 2)
            continue;
        try {
            return printAnswer(message);
        } catch (const json::exception& error) {
            std::fprintf(stderr, "cudal1-agent: the judge's answer cannot be read: %s\n", error.what());
            return 1;
        }
    }
    std::fprintf(stderr, "cudal1-agent: the judge has not answered; the run is over, perhaps\n");
    return 1;
}

} // namespace cudal1::agent
