// SPDX-License-Identifier: GPL-3.0-or-later
// A filter that refuses, for good, system calls that reach other processes or the machine and that no subject needs.
//
// It refuses tracing and memory of other processes, mounts, namespaces, kernel settings, performance counters, kernel
// keyrings, what sends a signal to a process that is stopped (timer_create, timerfd_create, signals of descriptors and
// of ending processes), further filters, io_uring and sockets of rare families. A refused call returns EPERM as a rule.
// io_uring and clone3 return ENOSYS, so that libraries take their older way; a refused socket returns EACCES and a
// refused connection ECONNREFUSED.
#pragma once

#include <sys/types.h>

namespace cudal1::judge {

struct SyscallFilterPlan {
    /// Refuse all families of sockets but local ones and netlink: for a machine without network namespaces.
    bool sockets = false;
    /// Refuse to connect: for a machine that cannot hide other programs' local sockets.
    bool connections = false;
    /// When not 0, the number of this process. Limits, priorities and places in memory are then refused for any other
    /// process, and cores of any other thread stay as they are: for a machine that cannot hide other processes.
    pid_t ownProcess = 0;
    /// The number of its guard, whose priority and cores stay as they are, where no other process can be seen.
    pid_t guard = 0;
    /// With `ownProcess`: refuse signals to other processes too; kill() may still name the own group. A parent can then
    /// not end its helpers.
    bool signals = false;
};

/// Puts the filter on the calling thread and on all that it starts; needs no_new_privs. Both sides of a pair carry one,
/// since a filter makes each system call a little slower. Returns false with errno where the kernel refuses.
bool filterSyscalls(const SyscallFilterPlan& plan);

} // namespace cudal1::judge
