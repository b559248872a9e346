// SPDX-License-Identifier: GPL-3.0-or-later
// Records a few calls of the module in this process: operators, threads, and on a GPU what CUPTI tells.
#pragma once

#include "core/judge/callclock.h"

#include <nlohmann/json.hpp>

#include <functional>

namespace cudal1::judge {

/// Answers {"command": "timeline", "calls", "seed", …} with {"timeline": protocol::Timeline}. `prepare` makes the arguments
/// and `forward` does one call, as of TimedCalls; what they throw passes through. Where CUPTI refuses, the timeline
/// has the host's side alone and a note that says why.
nlohmann::json recordTimeline(const nlohmann::json& request, const c10::Device& device, CallClock& clock,
                              const std::function<void()>& prepare, const std::function<PyRef()>& forward);

} // namespace cudal1::judge
