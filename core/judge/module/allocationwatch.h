// SPDX-License-Identifier: GPL-3.0-or-later
// Tells whether an allocation on the CPU failed: to Python that is a RuntimeError like any other.
#pragma once

namespace cudal1::judge {

/// From now on failures of the framework's CPU allocator are noted. Once a process.
void watchAllocations();
/// Whether one failed since then.
bool ranOutOfMemory();

} // namespace cudal1::judge
