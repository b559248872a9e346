// SPDX-License-Identifier: GPL-3.0-or-later
// A CUDA stream whose work waits until the witness lets it go.
//
// To start a copy takes the driver several microseconds, in which a kernel that is still running can end unseen. Work
// that was queued on this stream before begins sooner; how soon was not measured (docs/threats.md, L1).
#pragma once

#include <ATen/ATen.h>
#include <driver_types.h>

#include <cstdint>

namespace cudal1::judge {

/// Used from the witness's main thread, with the device current. While it is held, nothing may wait for the whole
/// device or allocate pinned memory: that would not come back.
class HeldStream {
public:
    /// Throws std::runtime_error where CUDA fails.
    HeldStream();
    HeldStream(const HeldStream&) = delete;
    HeldStream& operator=(const HeldStream&) = delete;
    ~HeldStream();

    /// What is queued from now on waits for release(). It must not be held already. False where the driver cannot do
    /// that; then nothing waits.
    bool hold();
    void release() noexcept; ///< lets go of what is queued. Does nothing where nothing is held.
    cudaStream_t get() const { return m_stream; }

private:
    cudaStream_t m_stream{};
    at::Tensor m_word; ///< pinned memory of this process: the number of times that the stream was released
    std::uint32_t m_number = 0;
    bool m_held = false;
};

} // namespace cudal1::judge
