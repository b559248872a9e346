// SPDX-License-Identifier: GPL-3.0-or-later
// What a call of a candidate waits for, in one sentence, from what its evaluation measured.
#pragma once

#include "core/counters/kernelfacts.h"
#include "core/protocol/messages.h"
#include "core/timeline/timelinesummary.h"

#include <optional>
#include <string>

namespace cudal1::ablation {

/// "Launch-bound: the GPU works 14 % of a call (0.21 of 1.50 ms) and waits for the CPU otherwise". From the shares of a
/// call in which the device was busy and in which memory alone would take; of a recorded timeline (null: none) also its
/// kernels and the one that takes most, and of counters (null: none) what that one is held up by. Empty for what was
/// not timed.
std::string bottleneckText(const protocol::Evaluation& evaluation, const timeline::TimelineSummary* recorded = nullptr,
                           const counters::SideFacts* counted = nullptr);

/// The share of a candidate's call in which the GPU was busy; none where that was not measured.
std::optional<double> busyShare(const protocol::ClockSpeedup& wall, const protocol::ClockSpeedup& gpuBusy);

} // namespace cudal1::ablation
