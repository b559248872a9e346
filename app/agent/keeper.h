// SPDX-License-Identifier: GPL-3.0-or-later
// The keeper of an agent: runs its command, and ends everything that the command has started.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace cudal1::agent {

struct Keeping {
    pid_t parent = 0;                ///< the agent ends when this process does; 0: nobody's end matters
    double grace_s = 3;              ///< between asking to end and killing
    std::vector<std::string> hidden; ///< files that the agent finds empty, where the kernel allows that
    std::vector<std::string> command;
};

/// Runs the command as the leader of a session of its own and gives its exit status, or 128 and its signal. All that it
/// has started and left is killed then, also what has left its group. SIGTERM and the parent's end ask it to end, and
/// kill after the grace; SIGINT kills at once. 127 with a sentence on the standard error: it could not be started.
///
/// The command gets a user namespace of its own where the kernel allows it. There it may read neither the environment
/// nor the open files of this program's processes, though it is the same user's.
int keep(const Keeping& keeping);

} // namespace cudal1::agent
