// SPDX-License-Identifier: GPL-3.0-or-later
// Names the running process so that a later one can tell whether it still lives, also when its number was used again,
// and also when it runs on another machine.
#pragma once

#include <cstdint>
#include <string>

namespace cudal1::optimize {

/// "HOST/BOOT PID START": the machine and its boot, the process and when it started.
std::string ownProcess();

/// Seconds since 1970 by this machine's clock, which is written down every so often by who runs something.
std::int64_t heartbeatNow();
constexpr int heartbeatEvery_s = 30;

/// Whether the process lives that this token names. Of this machine the kernel is asked. Of another machine (or a
/// container with a host name of its own) it does when its last heartbeat is less than three minutes old. False for an
/// empty token.
bool isAlive(const std::string& token, std::int64_t heartbeat_s = 0);

} // namespace cudal1::optimize
