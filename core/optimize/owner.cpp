// SPDX-License-Identifier: GPL-3.0-or-later
// Process tokens from /proc.
#include "core/optimize/owner.h"

#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

namespace cudal1::optimize {

namespace {

std::string firstLine(const std::string& path)
{
    std::ifstream in(path);
    std::string line;
    std::getline(in, line);
    return line;
}

/// "HOST/BOOT/NAMESPACE": within it, a process has one number.
std::string ownPlace()
{
    char host[256] = {};
    ::gethostname(host, sizeof host - 1);
    std::error_code error;
    const std::string numbers = std::filesystem::read_symlink("/proc/self/ns/pid", error).string();
    return std::string(host) + "/" + firstLine("/proc/sys/kernel/random/boot_id") + "/" + numbers;
}

std::string token(long process)
{
    const std::string status = firstLine("/proc/" + std::to_string(process) + "/stat");
    // The program's name stands in parentheses and may contain anything; the fields after it are plain.
    const std::size_t close = status.rfind(')');
    if (close == std::string::npos)
        return {};
    std::istringstream fields(status.substr(close + 1));
    std::string state, field;
    fields >> state;
    if (state == "Z" || state == "X")
        return {};
    for (int number = 4; number <= 22; ++number)
        fields >> field; // ends with field 22: the start time in ticks since the boot
    return ownPlace() + " " + std::to_string(process) + " " + field;
}

} // namespace

std::string ownProcess()
{
    return token(::getpid());
}

std::int64_t heartbeatNow()
{
    return std::time(nullptr);
}

bool isAlive(const std::string& text, std::int64_t heartbeat_s)
{
    constexpr std::int64_t silence_s =
        180; // a clock may be wrong by a minute, and a heartbeat may have to wait for the project
    std::istringstream words(text);
    std::string place;
    long process = 0;
    if (!(words >> place >> process) || process <= 0)
        return false;
    if (place == ownPlace())
        return token(process) == text;
    if (place.find('/') == std::string::npos)
        return false; // as an earlier version wrote it, without the machine
    // Names of hosts and even machine ids are copied, so another boot may be another machine with the same name.
    return heartbeatNow() - heartbeat_s < silence_s;
}

} // namespace cudal1::optimize
