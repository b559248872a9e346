// SPDX-License-Identifier: GPL-3.0-or-later
// Answers a request for a timeline: the reference's and, where there is one, a candidate's.
#pragma once

#include "core/judge/supervisor/supervisor.h"
#include "core/protocol/counters.h"
#include "core/protocol/kernels.h"
#include "core/protocol/timeline.h"

namespace cudal1::judge {

/// The candidate is run and not judged: its result is not compared. Throws RequestFailed when a side cannot be run,
/// with what it said, and Cancelled.
protocol::TimelineAnswer traceTimeline(Supervisor& supervisor, const protocol::TimelineRequest& request);

/// The device code of the kernels that a candidate launches and its reference does not, the framework's left out, with
/// their SASS where this machine has a disassembler. Throws as traceTimeline does, and for a device that is no GPU.
protocol::Kernels traceKernels(Supervisor& supervisor, const protocol::KernelsRequest& request);

/// What the hardware counts in the kernels of a call of each side. Where it cannot be asked, launches and times alone,
/// with the reason. Throws as traceTimeline does, and for a device that is no GPU.
protocol::Counters traceCounters(Supervisor& supervisor, const protocol::CountersRequest& request);

} // namespace cudal1::judge
