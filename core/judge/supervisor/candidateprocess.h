// SPDX-License-Identifier: GPL-3.0-or-later
// Forks a candidate's process under the strictest isolation in which its device works.
#pragma once

#include "core/judge/supervisor/zygotehandle.h"
#include "core/judge/wire/modulemessages.h"
#include "core/protocol/messages.h"

namespace cudal1::judge {

class ReferenceSession;
class Supervisor;

/// What candidates on CUDA devices must be left on this machine, found by trying; each text is the reason, empty when
/// there is nothing to leave. Whether CUDA can share memory between process namespaces differs from driver to driver.
struct GpuIsolation {
    std::string sharedProcesses; ///< they see other processes
    std::string machineDevices;  ///< and all devices
    std::string machineFiles;    ///< and can read all files that this user can

    void applyTo(ZygoteHandle::Plan& plan) const;
    bool relax(const std::string& why); ///< one step; false when there is none left
};

/// Forks and, on a CUDA device, has the process open the arena before anything of the candidate is read. Where that
/// fails, tries again with less isolation, and remembers. Of `layout` the arena and the judge's
/// kernels count. Throws what Supervisor::ask throws, Refused when memory is short, RequestFailed when the device
/// cannot be used at all.
std::shared_ptr<SubjectHandle> forkCandidate(Supervisor& supervisor, ZygoteHandle::Plan plan, const std::string& device,
                                             const ArenaLayout& layout);

/// The same for a candidate of this reference, on whose device it works, with what it is allowed there; all that it
/// writes goes into `folder`.
std::shared_ptr<SubjectHandle> forkCandidate(Supervisor& supervisor, const ReferenceSession& reference,
                                             const std::string& source, const std::string& folder);

/// How such a process is forked, but for what GpuIsolation leaves it.
ZygoteHandle::Plan candidatePlan(Supervisor& supervisor, const ReferenceSession& reference, const std::string& source,
                                 const std::string& folder);
/// Python modules that this source will import, of those that take long. A guess from its text, to save time alone.
std::vector<std::string> slowImports(const std::string& source);
/// What it is asked first on a CUDA device: to open the arena.
OpenArena arenaRequest(const std::string& device, const ArenaLayout& layout);

/// What it is asked then: to become this candidate.
LoadModule loadRequest(const ReferenceSession& reference, const std::string& source);

/// Finds out what isolation a candidate on this CUDA device would get, and fills it in.
void tryIsolation(Supervisor& supervisor, const std::string& device, protocol::Environment& environment);

} // namespace cudal1::judge
