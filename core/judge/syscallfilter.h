// SPDX-License-Identifier: GPL-3.0-or-later
// System calls that no subject has a use for and that reach other processes or the machine, refused for good.
//
// Refused are tracing and memory of other processes, mounts, namespaces, kernel settings, performance counters, kernel
// keyrings, io_uring and sockets of rare families. A refused call returns EPERM (io_uring and clone3 ENOSYS, so that
// libraries take their older way).
#pragma once

#include <sys/types.h>

namespace cudal1::judge {

struct SyscallFilterPlan {
    bool sockets = false; ///< refuse all families but local ones and netlink: for a machine without network namespaces
    /// When not 0, refuse signals, limits and file owners for any process but this one (and, for kill, its own group):
    /// for a machine that can hide other processes in no other way. A helper can then not be ended by its parent.
    pid_t signalsOnlyTo = 0;
};

/// For the calling thread and all that it starts; needs no_new_privs. Both subjects carry one, since a filter makes each
/// system call a little slower. False with errno where the kernel refuses.
bool filterSyscalls(const SyscallFilterPlan& plan);

} // namespace cudal1::judge
