// SPDX-License-Identifier: GPL-3.0-or-later
// Names the running process so that a later one can tell whether it still lives, also when its number was used again.
#pragma once

#include <string>

namespace cudal1::optimize {

/// "BOOT PID START": the machine's boot, the process and when it started.
std::string ownProcess();

/// False for an empty or foreign token: a process of another boot or another machine does not run here.
bool isAlive(const std::string& token);

} // namespace cudal1::optimize
