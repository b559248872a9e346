// SPDX-License-Identifier: GPL-3.0-or-later
// Isolates a candidate's process, as far as this kernel and this user's rights allow.
#pragma once

#include "core/judge/sandbox/readablepaths.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace cudal1::judge {

struct IsolationPlan {
    std::string folder; ///< the candidate's folder; beside a private /dev/shm it may write nowhere else
    /// Bytes of address space that each process may map beyond what is mapped now; 0 for no limit, as on a GPU, where
    /// CUDA reserves far more than it uses.
    std::uint64_t memoryLimit = 0;
    // Where one of the three texts below is not empty, the isolation is relaxed as it says, for the reason that it
    // gives.
    std::string sharedProcesses; ///< the candidate gets no process namespace of its own, so it sees other processes
    std::string machineDevices;  ///< it gets no /dev of its own
    ReadablePaths readable;      ///< what it sees of the file system besides its folder, /proc, /sys and /dev
    std::string machineFiles;    ///< `readable` holds more than it needs
    int group = -1;              ///< the file by which it joins its control group (freezer.h); -1 for none
};

struct IsolationReport {
    std::vector<std::string> applied; ///< "no network (own namespace)", …
    std::vector<std::string> missing; ///< each with its reason: "no network: Operation not permitted", …
};

/// Runs `work` in a descendant of the calling process, which must have one thread. The descendant has a session,
/// namespaces and limits of its own, no privileges, and only the descriptors 0 to 2 and `kept`. What the machine does
/// not allow is left out and listed in the report that `work` is given. A guard (guard.h) watches the descendant. The
/// caller ends as `work` does: with its return value as status, or by the signal that killed it. When the guard ended
/// it, the GuardCause is written to `causePipe` before that.
[[noreturn]] void runIsolated(const IsolationPlan& plan, int causePipe, std::span<const int> kept,
                              const std::function<int(const IsolationReport&)>& work);

/// Has the calling process join a control group; `file` is the group's list of members, and -1 stands for no group.
void joinGroup(int file);

/// Closes all descriptors from 3 on except these.
void closeOthers(std::span<const int> kept);

/// Puts the calling process, the timed reference, under the filter of system calls that candidates have too, so that
/// the filter costs both sides of a pair the same.
void filterReference();

} // namespace cudal1::judge
