// SPDX-License-Identifier: GPL-3.0-or-later
// The zygote: the process that loads libtorch, CPython and torch once, and forks subjects from there. It never touches
// CUDA.
//
// The supervisor asks for them over the control socket (wire/zygotemessages.h), and learns there when a subject and all
// that it started are gone. The subject itself says on its own socket how it is isolated.
#pragma once

#include <functional>
#include <string>

namespace cudal1::judge {

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
