// SPDX-License-Identifier: GPL-3.0-or-later
// Says where a call's results lie, so that the witness can read them there: nothing is copied while the clock runs.
#pragma once

#include "core/judge/module/arena.h"
#include "core/judge/module/devicekernels.h"
#include "core/judge/wire/handover.h"
#include "core/judge/wire/messages.h"

#include <map>
#include <vector>

namespace cudal1::judge {

class ResultPlaces {
public:
    ResultPlaces(const Arena& arena, const Layout& layout, const DeviceKernels& kernels) : m_arena(arena), m_layout(layout), m_kernels(kernels) {}

    /// Writes the places of `results` to the page. What no other process can read where it lies (overlapping elements, gaps,
    /// memory that cannot be shared), and what is memory of an input or of another result where the reference's is its own, is
    /// copied first, all of it where `copied` says so: that is part of the call. What was copied takes its place in `results`.
    void publish(std::vector<at::Tensor>& results, bool copied, HandoverPage& page);

private:
    bool inArena(const at::Tensor& result) const;
    bool find(const at::Tensor& result, ResultPlace& place);
    bool findOnDevice(const at::Tensor& result, ResultPlace& place);

    const Arena& m_arena;
    const Layout& m_layout;
    const DeviceKernels& m_kernels;
    std::map<std::uint64_t, ResultPlace> m_allocations; ///< of the device, by number; a kind other than Device: cannot be shared
};

} // namespace cudal1::judge
