// SPDX-License-Identifier: GPL-3.0-or-later
// Stops all processes of a subject from outside, so that nothing of it runs while nobody has asked it for anything.
//
// Best by a control group of the kernel's (version 2, else 1), which also holds what the subject forks. Where none can be made, by
// SIGSTOP to the subject and all its descendants; what is then left to it stands in `weakness()`.
#pragma once

#include "core/judge/wire/messages.h"

#include <sys/types.h>

#include <memory>
#include <set>
#include <string>

namespace cudal1::judge {

class Freezer {
public:
    /// A group of its own for a subject that is about to be forked; empty where there can be none. It goes with its owner.
    static std::shared_ptr<Freezer> make();
    /// Another process's view of what `make` made.
    static std::shared_ptr<Freezer> open(const FreezerPlace& place);
    Freezer(const Freezer&) = delete;
    Freezer& operator=(const Freezer&) = delete;
    ~Freezer();

    /// A file into which the subject writes "0" to join; -1 with signals. Stays this object's.
    int joinFile() const { return m_join; }
    const FreezerPlace& place() const { return m_place; }
    /// Once the subject is known, in the caller's numbers; `guarded`: its parent is its guard. A group that it has not joined is of no
    /// use: then it is stopped by signals.
    void setProcess(pid_t process, bool guarded);
    /// What a subject can still do against this kind of freezing; empty for a control group.
    static std::string weakness(const FreezerPlace& place);

    /// Returns when all have stopped; false when some have not in two seconds. Again is fine.
    bool freeze();
    void thaw(); ///< also what another process's Freezer of the same place has frozen

private:
    explicit Freezer(FreezerPlace place);

    FreezerPlace m_place;
    bool m_owner = false, m_frozen = false;
    int m_join = -1, m_state = -1, m_events = -1;
    std::set<pid_t> m_stopped; ///< by signals
};

} // namespace cudal1::judge
