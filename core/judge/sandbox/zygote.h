// SPDX-License-Identifier: GPL-3.0-or-later
// The zygote: the process that loads libtorch, CPython and torch once, and forks subjects from there. It never touches
// CUDA.
//
// The supervisor sends fork requests over the control socket, as frames of JSON (wire.h):
//   {"fork": N, "role", "isolated", "folder", "memory_limit", "shared_processes", "machine_devices", "machine_files",
//    "environment", "modules", "cores", "joins"}
//
// "machine_files" may be absent. Each request comes with five descriptors: the subject's socket, the pipe for its
// output, the arena's memory file, the file of its handover page, and the file by which it joins its control group.
// Where one of these does not exist the socket is sent in its place; "joins" says whether the last one is real.
//
// The zygote answers {"forked": N, "pid"}. The subject itself says on its own socket how it is isolated. When the
// subject and all that it started are gone, the zygote sends {"exited": pid, "status", "cause"}: the status is that of
// waitpid, and the cause is "processes" or "memory" when a limit ended the subject, else empty.
//
// "modules" names Python modules to import before the fork; they stay imported for all later forks. A module that
// cannot be imported is left to the candidate that wants it.
#pragma once

#include <functional>
#include <string>

namespace cudal1::judge {

/// The value of "cores": which processor cores a subject may use while none of its calls is timed.
enum class SubjectCores {
    All,
    NotOfTiming, ///< all but the machine's timing cores
    Background,  ///< the same cores, and only when no other process wants them
};

/// What a forked process begins with. The descriptors are its own. `handover` is the file of its handover page
/// (handover.h).
struct SubjectStart {
    int socket, memoryFile, handover;
    std::string folder, role;
};
/// What a subject does until it ends; the return value is its exit status.
using ServeSubject = std::function<int(const SubjectStart& start)>;

/// Runs until the control socket closes, and returns the exit status of the program. `python` is the interpreter of the
/// environment that has torch.
int runZygote(int control, const std::string& python, const ServeSubject& serve);

} // namespace cudal1::judge
