// SPDX-License-Identifier: GPL-3.0-or-later
// What a candidate's process is denied, as far as this kernel and user allow it.
#pragma once

#include "core/judge/sandbox/readablepaths.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace cudal1::judge {

struct IsolationPlan {
    std::string folder;            ///< all that it may write, but for a private /dev/shm
    std::uint64_t memoryLimit = 0; ///< bytes of address space a process beyond what is mapped now; 0 for none (CUDA reserves far more than it uses)
    /// Empty: other processes are out of its sight, in a process namespace of its own. Else why that is not to be.
    std::string sharedProcesses;
    std::string machineDevices; ///< the same for a /dev of its own
    ReadablePaths readable;     ///< what it sees of the file system besides its folder, /proc, /sys and /dev
    std::string machineFiles;   ///< not empty: why `readable` is more than it needs
    int group = -1;             ///< file of the control group that it joins (freezer.h); -1 for none
};

struct IsolationReport {
    std::vector<std::string> applied; ///< "no network (own namespace)", …
    std::vector<std::string> missing; ///< "no network: Operation not permitted", …
};

/// Runs `work` in a descendant of the calling, single-threaded process that has a session, namespaces, limits and no
/// privileges, and of all descriptors only 0 to 2 and `kept`. The caller becomes its guard (guard.h), and ends as `work`
/// does: with its return value as status or by the signal that killed it. A GuardCause goes to `causePipe` before that
/// where there is one. What the machine does not allow is reported and left out.
[[noreturn]] void runIsolated(const IsolationPlan& plan, int causePipe, std::span<const int> kept,
                              const std::function<int(const IsolationReport&)>& work);

/// Has the calling process join a control group by the file of its members; nothing for -1.
void joinGroup(int file);

/// Closes all descriptors from 3 but these.
void closeOthers(std::span<const int> kept);

/// Puts both sides of a pair under one filter of system calls, so that it costs them alike.
void filterReference();

} // namespace cudal1::judge
