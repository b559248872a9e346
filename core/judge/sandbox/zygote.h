// SPDX-License-Identifier: GPL-3.0-or-later
// The process that has loaded libtorch, CPython and torch once and forks subjects from there. It never touches CUDA.
//
// Over its control socket it gets {"fork": N, "role", "isolated", "folder", "memory_limit", "shared_processes", "machine_devices",
// "machine_files" (may be absent), "environment", "modules", "cores", "joins"} with five descriptors (the subject's socket, the pipe for its output, the arena's memory file,
// its handover page, and where it "joins" the file of its control group; the socket stands for what is not there) and answers {"forked": N, "pid"}; the subject itself says on its socket how it is isolated. Later comes
// {"exited": pid, "status", "cause"} once it is gone, together with all that it started. "cause" is "processes" or
// "memory" when the machine's limits ended it, else empty.
//
// "modules" are Python modules that are imported before the fork, for it and all later ones. One that cannot be imported
// is left to the candidate that wants it.
#pragma once

#include <functional>
#include <string>

namespace cudal1::judge {

/// What "cores" says: those of a subject when none of its calls is timed.
enum class SubjectCores {
    All,
    NotOfTiming, ///< none of the machine's timing cores
    Background,  ///< nor the others while anyone else wants them
};

/// What a forked process begins with. Descriptors are its own; `handover` is the file of its page (handover.h).
struct SubjectStart {
    int socket, memoryFile, handover;
    std::string folder, role;
};
/// What it does until it ends; its status.
using ServeSubject = std::function<int(const SubjectStart& start)>;

/// Runs until the control socket closes. `python` is the interpreter of the environment that has torch.
int runZygote(int control, const std::string& python, const ServeSubject& serve);

} // namespace cudal1::judge
