// SPDX-License-Identifier: GPL-3.0-or-later
// What the kernel's scheduler has counted for a thread.
#include "core/judge/witness/threadschedule.h"

#include <fstream>

namespace cudal1::judge {

std::optional<ThreadSchedule> scheduleIn(const std::filesystem::path& path)
{
    std::ifstream file(path);
    ThreadSchedule out;
    return file >> out.ran_ns >> out.waited_ns ? std::optional(out) : std::nullopt;
}

ThreadSchedule ownSchedule()
{
    return scheduleIn("/proc/thread-self/schedstat").value_or(ThreadSchedule{});
}

} // namespace cudal1::judge
