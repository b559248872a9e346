// SPDX-License-Identifier: GPL-3.0-or-later
// Threads and descendants of a process, as /proc has them. What ends while it is looked at is left out.
#pragma once

#include <sys/types.h>

#include <set>
#include <string>
#include <vector>

namespace cudal1::judge {

/// The folders in /proc of a process's threads. `process`: its own folder there, "/proc/self" or "/proc/42".
std::vector<std::string> threadFoldersOf(const std::string& process);
/// Adds the descendants of a process, which is itself not among them.
void addDescendants(const std::string& process, std::set<pid_t>& out);

} // namespace cudal1::judge
