// SPDX-License-Identifier: GPL-3.0-or-later
// How long the thread that reads the clock ran, and had no core.
#pragma once

namespace cudal1::judge {

/// Nanoseconds since the calling thread was started; 0 where the kernel does not tell.
struct OwnSchedule {
    double ran_ns = 0;
    double waited_ns = 0; ///< it was ready to run and had no core
};
OwnSchedule ownSchedule();

} // namespace cudal1::judge
