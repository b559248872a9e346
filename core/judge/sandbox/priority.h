// SPDX-License-Identifier: GPL-3.0-or-later
// Asks the kernel to let the processes of a measurement run before other work on the machine.
#pragma once

namespace cudal1::judge {

/// Nice values of the judge's processes. Other programs of a machine usually have 0.
inline constexpr int timedNice = -15; ///< of a process that is timed, and of the one that times it
inline constexpr int guardNice = -19; ///< of a guard, which must get its turn among all that its subject has started

/// For a process with one thread that leads a session of its own; threads and processes that it starts inherit the
/// priority. Where the kernel groups processes by session, the session gets it too, since the nice value of a process
/// counts only within its group there. Needs CAP_SYS_NICE. Nothing changes without it, nor for a process that its user
/// has made wait for others (a nice value above 0, or SCHED_IDLE).
void takePriority(int nice);

} // namespace cudal1::judge
