// SPDX-License-Identifier: GPL-3.0-or-later
// Writes to the handover page where a call's results lie, so that the witness can read them there and nothing need be
// copied while the clock runs.
#pragma once

#include "core/judge/module/arena.h"
#include "core/judge/module/devicekernels.h"
#include "core/judge/wire/handover.h"
#include "core/judge/wire/modulemessages.h"

#include <map>
#include <vector>

namespace cudal1::judge {

/// Used from the subject's main thread. Keeps references to its arguments.
class ResultPlaces {
public:
    ResultPlaces(const Arena& arena, const ArenaLayout& layout, const DeviceKernels& kernels)
        : m_arena(arena), m_layout(layout), m_kernels(kernels)
    {
    }

    /// Writes the places of `results` to the page. Copies that this takes are part of the call. A result is made dense
    /// first when its elements overlap or leave gaps, and when it shares memory with an input or with another result
    /// although the reference's does not; the dense copy replaces it in `results`. A result is copied to the arena when
    /// `copied` says so, or when no other process can read its memory.
    void publish(std::vector<at::Tensor>& results, bool copied, HandoverPage& page);

private:
    bool inArena(const at::Tensor& result) const;
    /// Fills in where a result lies. False when no other process can read it there.
    bool find(const at::Tensor& result, ResultPlace& place);
    bool findOnDevice(const at::Tensor& result, ResultPlace& place);

    const Arena& m_arena;
    const ArenaLayout& m_layout;
    const DeviceKernels& m_kernels;
    /// Allocations of the device by their number. Where the kind is not Device the allocation cannot be shared.
    std::map<std::uint64_t, ResultPlace> m_allocations;
};

} // namespace cudal1::judge
