// SPDX-License-Identifier: GPL-3.0-or-later
// Process tokens from /proc.
#include "core/optimize/owner.h"

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
    return firstLine("/proc/sys/kernel/random/boot_id") + " " + std::to_string(process) + " " + field;
}

} // namespace

std::string ownProcess()
{
    return token(::getpid());
}

bool isAlive(const std::string& text)
{
    std::istringstream words(text);
    std::string boot;
    long process = 0;
    if (!(words >> boot >> process) || process <= 0)
        return false;
    return token(process) == text;
}

} // namespace cudal1::optimize
