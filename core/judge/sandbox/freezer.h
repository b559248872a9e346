// SPDX-License-Identifier: GPL-3.0-or-later
// Stops all processes of a subject from outside, so that none of them runs while the subject has no request.
//
// A control group of the kernel (version 2, else version 1) does that; it also holds what the subject forks. Where no
// group can be made, SIGSTOP is sent to the subject and all its descendants. weakness() says what that leaves open.
#pragma once

#include "core/judge/wire/modulemessages.h"

#include <sys/types.h>

#include <memory>
#include <optional>
#include <set>
#include <string>

namespace cudal1::judge {

/// Used from one thread. Two processes may each have a Freezer of the same subject.
class Freezer {
public:
    /// For a subject that is about to be forked: makes a control group of its own, which is removed with this object.
    /// Where no group can be made, the Freezer works by signals. Never null.
    static std::shared_ptr<Freezer> make();
    /// A Freezer for what another process has made. Never null.
    static std::shared_ptr<Freezer> open(const FreezerPlace& place);
    Freezer(const Freezer&) = delete;
    Freezer& operator=(const Freezer&) = delete;
    ~Freezer();

    /// The file into which the subject writes "0" to join the group; -1 with signals. It stays this object's.
    int joinFile() const { return m_join; }
    const FreezerPlace& place() const { return m_place; } ///< what open() needs
    /// Call it once the subject's process id is known (as the caller's namespace numbers it). `guarded`: the subject's
    /// parent is its guard (guard.h). A subject that has not joined its group is stopped by signals from then on.
    void setProcess(pid_t process, bool guarded);
    /// A sentence for the list of missing isolation when the subject is stopped by signals; empty for a control group.
    static std::string weakness(const FreezerPlace& place);

    /// Returns true when all processes have stopped, and false when some have not within two seconds. May be called
    /// again.
    bool freeze();
    /// By signals: the last freeze() has found more at work than the subject's own process, which it stops at once.
    bool foundOthers() const { return m_late; }
    /// CPU time that all processes of a group have taken since it was made, what the kernel did for them included;
    /// empty but for a group of version 2. Of processes that have stopped, or are about to.
    std::optional<double> used_ns() const;
    void thaw();     ///< lets them run, also when another process's Freezer has stopped them
    void handOver(); ///< from now on another process's Freezer stops them and lets them run; this one knows nothing

private:
    explicit Freezer(FreezerPlace place);

    FreezerPlace m_place;
    bool m_owner = false, m_frozen = false, m_late = false;
    int m_join = -1, m_state = -1, m_events = -1, m_used = -1;
    std::set<pid_t> m_stopped; ///< the processes that freeze() has stopped by signals
};

} // namespace cudal1::judge
