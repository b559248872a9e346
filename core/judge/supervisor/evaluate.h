// SPDX-License-Identifier: GPL-3.0-or-later
// Judges one candidate: build, check, time, look at both clocks and the precision, give the verdict.
#pragma once

#include "core/judge/supervisor/supervisor.h"

namespace cudal1::judge {

/// Expected bad outcomes are verdicts. Throws RequestFailed for a device that is not there or rules that cannot be
/// followed, and Cancelled.
protocol::Evaluation evaluate(Supervisor& supervisor, const protocol::EvaluateRequest& request);

} // namespace cudal1::judge
