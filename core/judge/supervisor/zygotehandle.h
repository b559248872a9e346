// SPDX-License-Identifier: GPL-3.0-or-later
// The supervisor's end of the zygote: starts it, has subjects forked, learns how they ended.
#pragma once

#include "core/judge/supervisor/subjecthandle.h"
#include "core/judge/wire/zygotemessages.h"

#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <string>

namespace cudal1::judge {

class ZygoteHandle {
public:
    ZygoteHandle() = default;
    ZygoteHandle(const ZygoteHandle&) = delete;
    ZygoteHandle& operator=(const ZygoteHandle&) = delete;
    ~ZygoteHandle();

    /// Starts `program` and waits until it has loaded everything (seconds). It embeds the Python of $CUDAL1_PYTHON, or
    /// else the one that this program was built with. Throws std::runtime_error with its reason.
    void start(const std::string& program);
    bool running() const { return m_control >= 0; }
    int control() const { return m_control; }
    const std::string& torchVersion() const { return m_torch; }
    const std::string& pythonVersion() const { return m_python; }

    /// `fork` and `joins` are the handle's.
    struct Plan : ForkSubject {
        int memoryFile = -1; ///< the arena on the CPU; stays the caller's; -1 for a subject without one
    };
    /// Throws WireClosed when the zygote is gone.
    std::shared_ptr<SubjectHandle> fork(const Plan& plan);
    /// The same in two steps: it takes some 100 ms, which need not be waited for. Messages may be sent in between.
    std::shared_ptr<SubjectHandle> beginFork(const Plan& plan);
    void finishFork(SubjectHandle& subject);

    /// Reads one message that poll() announced. Throws WireClosed.
    void receive();
    /// Kills a subject and waits until all that it started is gone (at most some seconds).
    void end(SubjectHandle& subject);
    /// Waits, at most so long, until the zygote has told how this subject ended.
    void awaitStatus(SubjectHandle& subject, int milliseconds);

private:
    void note(const nlohmann::json& message);

    int m_control = -1;
    pid_t m_pid = -1;
    std::string m_torch, m_python;
    std::uint64_t m_lastFork = 0;
    std::map<std::uint64_t, std::weak_ptr<SubjectHandle>> m_begun; ///< by number, until their process ids are known
    std::map<pid_t, std::weak_ptr<SubjectHandle>> m_subjects;
};

} // namespace cudal1::judge
