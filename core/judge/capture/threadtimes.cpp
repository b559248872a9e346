// SPDX-License-Identifier: GPL-3.0-or-later
// Processor time of each thread.
#include "core/judge/capture/threadtimes.h"

#include <time.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace cudal1::judge {

namespace {

/// The clock of another thread of this process, as the kernel numbers it. What /proc says instead may be a tick old,
/// which is longer than most windows.
clockid_t clockOf(std::int64_t thread)
{
    constexpr clockid_t perThread = 4, schedulerTime = 2;
    return (~static_cast<clockid_t>(thread)) * 8 | perThread | schedulerTime;
}

} // namespace

std::map<std::int64_t, ThreadTime> threadTimes()
{
    std::map<std::int64_t, ThreadTime> out;
    std::error_code error;
    for (std::filesystem::directory_iterator it("/proc/self/task", error), none; !error && it != none;
         it.increment(error)) {
        const std::filesystem::path folder = it->path();
        const std::int64_t thread = std::strtoll(folder.filename().c_str(), nullptr, 10);
        timespec spent{};
        if (::clock_gettime(clockOf(thread), &spent) != 0)
            continue; // ended meanwhile
        ThreadTime time;
        time.run_ns = std::int64_t{spent.tv_sec} * 1'000'000'000 + spent.tv_nsec;
        std::ifstream name(folder / "comm");
        std::getline(name, time.name);
        out.emplace(thread, std::move(time));
    }
    return out;
}

} // namespace cudal1::judge
