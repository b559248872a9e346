// SPDX-License-Identifier: GPL-3.0-or-later
// What the floor of a call is made of: the bytes that it must move, and how fast the device can move them.
#pragma once

#include "core/judge/witness/referencehost.h"

namespace cudal1::judge {

/// Finds out by calls of the reference on which inputs its result depends as a whole. Throws what
/// ReferenceHost::runReference throws.
MeasureTraffic::Reply trafficOf(ReferenceHost& reference, const MeasureTraffic& request);

/// The bandwidth of a copy within the device, the best of five; 0 on the CPU. Takes 1 GiB of its memory meanwhile.
MeasureBandwidth::Reply bandwidthOf(const c10::Device& device);

} // namespace cudal1::judge
