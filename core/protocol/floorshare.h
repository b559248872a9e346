// SPDX-License-Identifier: GPL-3.0-or-later
// How near a variant is to what its device can do at best.
#pragma once

#include "core/protocol/messages.h"

namespace cudal1::protocol {

/// Floor time / time of a call by the wall clock: 1 where nothing is left to gain by moving bytes, 0 where the floor is
/// not known or the variant is not correct and timed. The evaluation's own floor counts; without one that of the task
/// on the same device, `taskFloor_ns`.
double floorShare(const Evaluation& evaluation, double taskFloor_ns = 0);
double floorShare(double floor_ns, double call_ns); ///< 0 where either is

} // namespace cudal1::protocol
