// SPDX-License-Identifier: GPL-3.0-or-later
// Stages the inputs of calls in pinned host memory and sends them to a GPU at the last moment.
//
// The copy engine sends them, since that does not take the device from the subject. On an H200 a kernel, a memset or a
// copy within the device by another process makes the subject's next call some 140 us longer; a copy from or to the
// host costs it nothing.
#pragma once

#include "core/judge/module/arena.h"
#include "core/judge/wire/modulemessages.h"
#include "core/judge/witness/pinnedpool.h"

#include <ATen/ATen.h>

#include <vector>

namespace cudal1::judge {

/// Used from the witness's main thread. Members throw std::runtime_error where CUDA fails.
class InputSender {
public:
    /// How many bytes at the arena's start are written when inputs of so many bytes are sent.
    static std::size_t roomFor(std::size_t inputBytes);

    /// Takes at most 64 MiB of pinned host memory. Throws c10::Error where there is none. Keeps references to `arena`
    /// and `layout`.
    InputSender(const c10::Device& device, const Arena& arena, const ArenaLayout& layout);

    /// True for inputs of up to 64 MiB: all of them are sent at the last moment, and the inputs of slots() calls can be
    /// staged. False for larger ones: only 32 parts of 1 MiB are sent at the last moment, and there is one slot.
    bool whole() const { return m_whole; }
    std::size_t slots() const { return m_slots; }
    /// Stages the inputs of one call; the copies are enqueued on the current stream. Where whole() is false this writes
    /// the inputs to the arena and blanks 32 parts at random places, which it keeps on the host. The subject must be
    /// stopped then.
    void lay(std::size_t slot, const std::vector<at::Tensor>& inputs);
    /// Sends the staged inputs, or the parts, to the arena, and waits until they are there. With `decoy`, which needs
    /// whole(), up to 1 MiB of them are first sent with contents of an earlier call, and made right a moment later: who
    /// begins to compute as soon as inputs arrive has computed with the wrong ones.
    void send(std::size_t slot, bool decoy);
    /// The inputs as they lie in the arena now, copied to the host by the copy engine. Only where whole() is true.
    at::Tensor readBack();
    /// Whether `back`, which readBack() returned, differs from `inputs`. Where `back` is undefined the inputs in the
    /// arena are compared. This uses the device.
    bool changed(const at::Tensor& back, const std::vector<at::Tensor>& inputs) const;

private:
    struct Part {
        std::size_t offset = 0, bytes = 0;
    };
    void layParts(const std::vector<at::Tensor>& inputs);
    std::size_t placeOfPart(std::size_t bytes) const; ///< within a slot, drawn in secret
    void sendDecoy(std::size_t slot); ///< all of the inputs, but for the part that is not right yet; that one last
    std::uint8_t* host(std::size_t slot) { return m_host.mutable_data_ptr<std::uint8_t>() + slot * m_slotBytes; }

    c10::Device m_device;
    const Arena& m_arena;
    const ArenaLayout& m_layout;
    bool m_whole;
    std::size_t m_slots = 1, m_slotBytes = 0;
    at::Tensor m_host;  ///< pinned memory, divided into the slots
    at::Tensor m_decoy; ///< pinned memory: a part of the inputs of an earlier call
    PinnedPool m_back;
    std::vector<Part> m_parts; ///< still to be sent; empty where whole() is true
};

} // namespace cudal1::judge
