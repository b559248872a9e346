// SPDX-License-Identifier: GPL-3.0-or-later
// A process that holds one module, reference or candidate, and does what the supervisor asks over a socket.
//
// Requests are {"command": …}; each gets one answer, {"ok": true, …} or {"ok": false, "code", "text", "evidence"}.
// reference: load_task, prepare, draw, compare, round, busy, set_flags, trace, facts · candidate: open_arena, load_candidate, trial, round,
// busy, flags · timed_reference: open_arena, load_timed_reference, round, set_flags · any: machine, inspect. Runs on the one thread that forked it, and ends when the socket closes.
#pragma once

#include <string>

namespace cudal1::judge {

/// Serves requests until the socket closes; returns the process's exit status. Python is up and holds the GIL. `role` is
/// one of ZygoteHandle::Plan.
int serveSubject(int socket, int memoryFile, const std::string& folder, const std::string& role);

} // namespace cudal1::judge
