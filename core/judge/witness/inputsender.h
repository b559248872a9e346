// SPDX-License-Identifier: GPL-3.0-or-later
// Lays the inputs of calls ready on the host, and sends them to a GPU at the last moment.
//
// The copy engine does that without taking the device from the subject, whose process has just made it its own: on an H200 any
// kernel, memset or copy within the device by another process costs the next call some 140 us, and a copy from or to the host nothing.
#pragma once

#include "core/judge/module/arena.h"
#include "core/judge/wire/messages.h"
#include "core/judge/witness/pinnedpool.h"

#include <ATen/ATen.h>

#include <vector>

namespace cudal1::judge {

class InputSender {
public:
    /// Takes pinned memory of the host: at most some 64 MiB. Throws c10::Error where there is none.
    InputSender(const c10::Device& device, const Arena& arena, const Layout& layout);

    /// Inputs go as a whole, and those of `slots()` calls can lie ready. Otherwise parts of them go, and there is one slot.
    bool whole() const { return m_whole; }
    std::size_t slots() const { return m_slots; }
    /// Lays the inputs of a call ready, enqueued on the current stream. Where they do not go as a whole this writes all of them to the shared
    /// memory but for some parts at random places; the subject must not run then.
    void lay(std::size_t slot, const std::vector<at::Tensor>& inputs);
    /// Sends what lay() has left, and waits until it is there.
    void send(std::size_t slot);
    /// The shared inputs as they are now, brought to the host by the copy engine; for inputs that go as a whole.
    at::Tensor readBack();
    /// Whether what was read back, or the shared inputs themselves where `back` is undefined, are other than these. Takes the device.
    bool changed(const at::Tensor& back, const std::vector<at::Tensor>& inputs) const;

private:
    struct Part {
        std::size_t offset = 0, bytes = 0;
    };
    void layParts(const std::vector<at::Tensor>& inputs);
    std::uint8_t* host(std::size_t slot) { return m_host.mutable_data_ptr<std::uint8_t>() + slot * m_slotBytes; }

    c10::Device m_device;
    const Arena& m_arena;
    const Layout& m_layout;
    bool m_whole;
    std::size_t m_slots = 1, m_slotBytes = 0;
    at::Tensor m_host; ///< pinned: the slots
    PinnedPool m_back;
    std::vector<Part> m_parts; ///< where inputs do not go as a whole
};

} // namespace cudal1::judge
