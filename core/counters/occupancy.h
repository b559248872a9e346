// SPDX-License-Identifier: GPL-3.0-or-later
// How many warps of a kernel fit onto a multiprocessor, and what keeps more from fitting. Pure arithmetic of what is
// published of each architecture.
#pragma once

#include "core/protocol/timeline.h"

#include <optional>
#include <string>
#include <string_view>

namespace cudal1::counters {

enum class Limiter {
    Warps, ///< nothing else: as many warps as there can be
    Registers,
    SharedMemory,
    Blocks,    ///< so many blocks at most, and they are small
    BlockSize, ///< one block more would not fit, and a block is large
};

/// Of a kernel as it was launched, on one device.
struct Occupancy {
    int blocks = 0;   ///< of a multiprocessor at a time
    int warps = 0;    ///< of these blocks
    double share = 0; ///< of the warps that a multiprocessor can hold
    Limiter limiter = Limiter::Warps;
    double waves = 0; ///< how often all multiprocessors are filled; below 1 some have less to do or nothing
};

/// `capability` is the device's, "9.0", and `processors` its number of multiprocessors, 0 where it is not known. None
/// for an architecture that is not in the table, and for a launch that fits nowhere.
std::optional<Occupancy> occupancyOf(const protocol::KernelLaunch& launch, std::string_view capability, int processors);

/// "registers: 254 a thread": what limits, with its number.
std::string limiterText(const Occupancy& occupancy, const protocol::KernelLaunch& launch);
std::string_view limiterWord(Limiter limiter); ///< "registers", "shared_memory"

std::int64_t blocksOf(const protocol::KernelLaunch& launch);
std::int64_t threadsOf(const protocol::KernelLaunch& launch); ///< of a block

} // namespace cudal1::counters
