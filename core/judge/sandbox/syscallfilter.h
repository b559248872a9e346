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
    bool connections = false; ///< refuse to connect: for a machine that cannot hide other programs' local sockets
    /// When not 0, for a machine that cannot hide other processes: refuse limits, priorities and owners of files for any
    /// process but this one …
    pid_t ownProcess = 0;
    bool signals = false; ///< … and signals; for kill its own group is allowed too. A helper can then not be ended by its parent.
};

/// For the calling thread and all that it starts; needs no_new_privs. Both subjects carry one, since a filter makes each
/// system call a little slower. False with errno where the kernel refuses.
bool filterSyscalls(const SyscallFilterPlan& plan);

} // namespace cudal1::judge
