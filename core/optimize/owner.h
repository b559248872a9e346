// SPDX-License-Identifier: GPL-3.0-or-later
// Names the running process so that a later one can tell whether it still lives, also when its number was used again,
// and also when it runs on another machine.
#pragma once

#include <cstdint>
#include <string>

namespace cudal1::optimize {

/// "HOST/BOOT/NAMESPACE PID START": the machine, its boot and the namespace of process numbers, the process and when it
/// started.
std::string ownProcess();

/// The time now, in seconds since 1970 by this machine's clock. Whoever runs something stores it every
/// `heartbeatEvery_s`.
std::int64_t heartbeatNow();
constexpr int heartbeatEvery_s = 30;

/// Returns whether the process named by this token is alive. If it is of this boot and namespace, the kernel is asked.
/// Otherwise, also after this machine was started anew, it counts as alive if its last heartbeat is less than three
/// minutes old. False for an empty token.
bool isAlive(const std::string& token, std::int64_t heartbeat_s = 0);

} // namespace cudal1::optimize
