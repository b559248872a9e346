// SPDX-License-Identifier: GPL-3.0-or-later
// Nice values of a process and of its session.
#include "core/judge/sandbox/priority.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <string>

namespace cudal1::judge {

namespace {

/// As in linux/sched/types.h, which clashes with <sched.h>.
struct SchedulingAttributes {
    std::uint32_t size = sizeof(SchedulingAttributes), policy = SCHED_OTHER;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime_ns = 0, deadline_ns = 0, period_ns = 0;
};

/// From Linux 6.12 on a process that asks for short turns gets one as soon as it wants to run; others wait until the
/// turn of the running process is over, which is some 3 ms. Needs no privilege. Earlier kernels take no notice.
void askForShortTurns()
{
    constexpr std::uint64_t shortest_ns = 100'000;
    SchedulingAttributes attributes;
    attributes.nice = ::getpriority(PRIO_PROCESS, 0);
    attributes.runtime_ns = shortest_ns;
    ::syscall(SYS_sched_setattr, 0, &attributes, 0);
}

} // namespace

void takePriority(int nice)
{
    if (::sched_getscheduler(0) != SCHED_OTHER || ::getpriority(PRIO_PROCESS, 0) > 0)
        return;
    const bool raised = ::setpriority(PRIO_PROCESS, 0, nice) == 0;
    askForShortTurns();
    if (!raised)
        return;
    const int file = ::open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return; // this kernel does not group by session
    const std::string text = std::to_string(nice);
    [[maybe_unused]] const ssize_t written = ::write(file, text.data(), text.size());
    ::close(file);
}

} // namespace cudal1::judge
