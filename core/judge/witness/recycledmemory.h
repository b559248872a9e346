// SPDX-License-Identifier: GPL-3.0-or-later
// Large blocks that the framework frees on the CPU are used again.
#pragma once

#include <cstddef>

namespace cudal1::judge {

/// From now on this process keeps freed blocks of a megabyte and more, at most `most` bytes of them, for allocations of
/// the same size. The system clears each page that it hands out, which took two fifths of the witness's time where
/// results are of 64 MiB: it makes and frees tensors of the same few sizes for each trial. Once a process; any thread
/// may allocate and free afterwards. Not for subjects, whose time for this is part of a call.
void recycleMemory(std::size_t most);

/// While one lives, blocks are fresh, as in a subject: for what times operators.
class FreshMemory {
public:
    FreshMemory();
    FreshMemory(const FreshMemory&) = delete;
    FreshMemory& operator=(const FreshMemory&) = delete;
    ~FreshMemory();
};

} // namespace cudal1::judge
