// SPDX-License-Identifier: GPL-3.0-or-later
// Saves time between two candidates: the process of the next is started, CUDA with it, while this one is built and
// checked, and the last one ends while the next is built. Nothing of either is left to do while calls are timed.
#pragma once

#include "core/judge/supervisor/zygotehandle.h"

#include <memory>
#include <string>

namespace cudal1::judge {

class ReferenceSession;
class Supervisor;

class NextCandidate {
public:
    explicit NextCandidate(Supervisor& supervisor) : m_supervisor(supervisor) {}

    /// Forks the process for a candidate of this reference and has it open the arena; does not wait for that. For CUDA
    /// devices, whose start is worth it.
    void start(const ReferenceSession& reference, const std::string& source, const std::string& folder);
    /// The process for this folder, with its arena open; null when there is none, or it did not come up.
    std::shared_ptr<SubjectHandle> take(const std::string& folder);
    /// Ends what was started and not taken. Throws nothing.
    void drop();
    void forget() noexcept; ///< the zygote is gone, and all that it forked

    /// Ends a process that is of no more use, without waiting until it is gone.
    void retire(std::shared_ptr<SubjectHandle> subject, const std::string& folder);
    /// Waits until a retired process of this folder is gone; of any when it is empty.
    void awaitRetired(const std::string& folder = {});

    /// Waits until nothing of all this is at work.
    void settle();

private:
    bool awaitArena();

    Supervisor& m_supervisor;
    std::shared_ptr<SubjectHandle> m_subject, m_retired;
    std::string m_folder, m_retiredFolder;
    std::uint64_t m_nonce = 0; ///< of the request to open the arena; 0 once it is answered
};

} // namespace cudal1::judge
