// SPDX-License-Identifier: GPL-3.0-or-later
// The parent of a candidate's process: counts what the candidate starts and uses, reaps it, ends all of it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace cudal1::judge {

struct GuardLimits {
    int processes = 256;
    int tasks = 0;                  ///< processes and threads
    std::uint64_t memory_bytes = 0; ///< of all its processes and its /dev/shm together; 0 for none …
    std::uint64_t free_bytes = 0;   ///< … and only when less than this is left
};
/// For this machine as it is now: memory is four fifths of what is free here and in this process's control group. Or
/// what CUDAL1_CANDIDATE_MEMORY_MIB says. Read them where /proc still is the machine's.
GuardLimits guardLimits();

/// Why a guard ended its candidate, as the one byte that it reports.
enum class GuardCause : char { None = 0, Processes = 'p', Memory = 'm' };

class Guard {
public:
    /// The caller is either the first process of a process namespace of its own with a /proc of it, or the subreaper of
    /// its descendants. SIGCHLD must be blocked before `candidate` is forked.
    Guard(pid_t candidate, bool ownNamespace, const GuardLimits& limits)
        : m_candidate(candidate), m_ownNamespace(ownNamespace), m_limits(limits)
    {
    }

    /// Until the candidate has ended; its status as waitpid gives it.
    int watch();
    GuardCause cause() const { return m_cause; }
    /// All that is left of what it started. In an own namespace the kernel does that when the caller ends.
    void endRest();

private:
    std::vector<pid_t> others() const;
    void inspect();
    void killAll();

    pid_t m_candidate;
    bool m_ownNamespace;
    GuardLimits m_limits;
    std::uint64_t m_inherited_bytes = 0;
    GuardCause m_cause = GuardCause::None;
};

} // namespace cudal1::judge
