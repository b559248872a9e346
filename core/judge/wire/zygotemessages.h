// SPDX-License-Identifier: GPL-3.0-or-later
// Messages between the supervisor and the zygote, and the first message of a process that the zygote has forked. They
// travel as frames of JSON (wire.h).
#pragma once

#include "core/judge/wire/travels.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cudal1::judge {

/// The zygote's first message, when it has loaded everything or has failed to.
struct ZygoteReady {
    bool ready = false;
    std::string message;       ///< why it is not ready
    std::string torch, python; ///< versions
};
CUDAL1_TRAVELS(ZygoteReady)

/// Which processor cores a subject may use while none of its calls is timed.
enum class SubjectCores {
    All,
    NotOfTiming, ///< all but the machine's timing cores
    Background,  ///< the same cores, and only when no other process wants them
};

/// Asks for a subject. Five descriptors come with it: the subject's socket, the pipe for its output, the arena's memory
/// file, the file of its handover page, and the file by which it joins its control group. Where one of these does not
/// exist the socket is sent in its place.
struct ForkSubject {
    std::uint64_t fork = 0; ///< a number, which the answer repeats
    std::string role;       ///< of what it holds: "witness", "timed_reference", "candidate"
    bool isolated = false;  ///< since it runs what nobody has looked at
    std::string folder;
    std::uint64_t memoryLimit = 0;
    std::map<std::string, std::string> environment;
    /// Of Python, imported before the fork; they stay imported for all later forks. One that cannot be imported is left
    /// to the candidate that wants it.
    std::vector<std::string> modules;
    SubjectCores cores = SubjectCores::All;
    std::string sharedProcesses; ///< of an isolated one: why it may see other processes; empty when it may not
    std::string machineDevices;  ///< the same for all devices of the machine
    std::string machineFiles;    ///< the same for files that it has no use for
    bool joins = false;          ///< the last descriptor is that of a control group
};
CUDAL1_TRAVELS(ForkSubject)

/// The zygote's answer, in a message under its name.
struct Forked {
    static constexpr const char* name = "forked";
    std::uint64_t fork = 0;
    int pid = 0; ///< negative where the machine has no room for another process
};
CUDAL1_TRAVELS(Forked)

/// The subject and all that it started are gone; in a message under its name.
struct Exited {
    static constexpr const char* name = "exited";
    int pid = 0;
    int status = 0;    ///< of waitpid
    std::string cause; ///< "processes" or "memory" when a limit ended the subject, else empty
};
CUDAL1_TRAVELS(Exited)

/// What a subject says first on its own socket, before any code of a candidate runs: how it is isolated.
struct SubjectGreeting {
    std::vector<std::string> applied, missing;
};
CUDAL1_TRAVELS(SubjectGreeting)

} // namespace cudal1::judge
