// SPDX-License-Identifier: GPL-3.0-or-later
// The loop of every forked process that holds a module: reads the supervisor's requests, has its host answer them.
//
// Which requests there are, and what they carry, is in core/judge/wire/modulemessages.h. Each request gets one answer,
// {"ok": true, …} or {"ok": false, "code", "text", "evidence"}. The loop runs on the one thread that was forked, and
// ends when the socket closes.
#pragma once

#include "core/judge/module/modulehost.h"

#include <functional>
#include <memory>

namespace cudal1::judge {

/// Serves requests until the socket closes; returns the process's exit status. Python is up, and the caller holds the
/// GIL. `make` is called with the first request that needs a module.
int serveRequests(int socket, const std::function<std::unique_ptr<ModuleHost>()>& make);

} // namespace cudal1::judge
