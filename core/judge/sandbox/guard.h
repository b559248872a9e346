// SPDX-License-Identifier: GPL-3.0-or-later
// The guard: the parent of a candidate's process. It counts what the candidate starts and uses, reaps its processes,
// and ends all of them when a limit is passed or the candidate has ended.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace cudal1::judge {

struct GuardLimits {
    int processes = 256;
    int tasks = 0;                  ///< threads of all processes together
    std::uint64_t memory_bytes = 0; ///< of all processes and the own /dev/shm together; 0 for no limit
    std::uint64_t free_bytes = 0;   ///< the limit of memory counts only while less than this is free on the machine
};
/// The limits for this machine as it is now. The memory limit is four fifths of what is free on the machine and in this
/// process's control group, or what CUDAL1_CANDIDATE_MEMORY_MIB says. Call it while /proc is still that of the machine.
GuardLimits guardLimits();

/// Bytes that are free on the machine, and in this process's control group.
std::uint64_t freeMemory();

/// Why a guard ended its candidate, as the one byte that it reports.
enum class GuardCause : char { None = 0, Processes = 'p', Memory = 'm' };

class Guard {
public:
    /// `candidate` is a child of the caller. `ownNamespace`: the caller is the first process of a process namespace and
    /// sees that namespace's /proc; else it is the subreaper of its descendants. SIGCHLD must be blocked before
    /// `candidate` is forked.
    Guard(pid_t candidate, bool ownNamespace, const GuardLimits& limits)
        : m_candidate(candidate), m_ownNamespace(ownNamespace), m_limits(limits)
    {
    }

    /// Watches, ten times a second, until the candidate's process has ended. Returns its status as waitpid gives it.
    int watch();
    GuardCause cause() const { return m_cause; } ///< why watch() ended the candidate; None when it ended by itself
    /// Kills and reaps what the candidate has started and left behind, for at most five seconds.
    void endRest();

private:
    std::vector<pid_t> others() const;
    void inspect();
    void killAll();

    pid_t m_candidate;
    bool m_ownNamespace;
    GuardLimits m_limits;
    std::uint64_t m_inherited_bytes = 0; ///< what every fork of the zygote shares with it
    GuardCause m_cause = GuardCause::None;
};

} // namespace cudal1::judge
