// SPDX-License-Identifier: GPL-3.0-or-later
// How long the thread that reads the clock had no core.
#pragma once

namespace cudal1::judge {

/// Nanoseconds, since the calling thread was started, in which it was ready to run and had no core. 0 where the kernel
/// does not tell.
double ownWait_ns();

} // namespace cudal1::judge
