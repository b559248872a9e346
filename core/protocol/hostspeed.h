// SPDX-License-Identifier: GPL-3.0-or-later
// What a speed-up owes to the speed that the host had while it was measured.
//
// Two variants are measured against the same reference at different times. Where the reference waits for the host, its
// time r moves with the host's speed, by per cents to tens of them within minutes, and a variant that waits less does
// not follow: its speed-up moves though it did not change. Waiting for the host for the shares h_r and h_c of a call (1
// - GPU busy / wall time), both sides move by h_r and h_c times the same, so while the reference takes R
//
//     ln s' = ln s - (h_r - h_c) / h_r * (ln r - ln R)
//
// Without a busy clock, or where the reference hardly waits, nothing is known of the host and s' = s.
#pragma once

#include "core/protocol/messages.h"

namespace cudal1::protocol {

/// (h_r - h_c) / h_r, between -1 and 1. 0 where nothing is known.
double followsHost(const ClockSpeedup& wall, const ClockSpeedup& gpuBusy);

/// s' with its interval, by either clock.
base::Interval whileReferenceTakes(double reference_ns, const ClockSpeedup& measured, double follows);

/// first / second while the reference takes the geometric mean of what it took beside each.
base::Interval ratioAtOneSpeed(const ClockSpeedup& first, double firstFollows, const ClockSpeedup& second,
                               double secondFollows);

} // namespace cudal1::protocol
