// SPDX-License-Identifier: GPL-3.0-or-later
// Compiles candidates that wait for the GPU, several at a time, in processes that see no GPU.
#pragma once

#include "core/judge/supervisor/candidatefolders.h"
#include "core/judge/supervisor/zygotehandle.h"
#include "core/protocol/messages.h"

#include <poll.h>

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::judge {

/// A build ahead decides nothing: whatever happens to it, the candidate's own process imports the source once more,
/// finds what was compiled in the source's folder, and gives the verdict.
class BuildLane {
public:
    BuildLane(ZygoteHandle& zygote, CandidateFolders& folders);

    /// Whether this source calls a compiler that takes long and needs no GPU. A guess from its text, for scheduling
    /// alone.
    static bool wanted(const std::string& source);

    bool full() const { return m_builds.size() >= m_most; }
    bool building(const std::string& source) const;
    /// Starts a build; `capability` of the device, and the source of the task, which has the constructor's arguments.
    void start(const std::string& source, const std::string& capability, const std::string& task, double limit_s);
    /// Whose end is worth waking up for.
    void addTo(std::vector<pollfd>& sources) const;
    /// Takes what has arrived, ends what is done or overdue. Call it where no subject is being waited for: ending one
    /// takes some milliseconds.
    void tend();
    void cancelAll();

private:
    struct Build {
        std::string source;
        std::shared_ptr<SubjectHandle> subject;
        double deadline_s = 0;
    };
    void finish(std::list<Build>::iterator build, bool complete);

    ZygoteHandle& m_zygote;
    CandidateFolders& m_folders;
    std::size_t m_most;
    std::list<Build> m_builds;
};

} // namespace cudal1::judge
