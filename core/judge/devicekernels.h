// SPDX-License-Identifier: GPL-3.0-or-later
// The judge's own work on a device: fresh bytes in the inputs, fingerprints of results, poison.
//
// Nothing here goes through the framework's dispatcher or its allocator, which a candidate can change: on a GPU it is
// kernels of our own (core/judge/cuda, compiled by NVRTC once a device), on the CPU loops.
#pragma once

#include "core/judge/torchsupport.h"

#include <cstdint>
#include <string>

namespace cudal1::judge {

/// A bijection of 64 bits without visible structure (splitmix64); for what a candidate must not foresee.
std::uint64_t mixed(std::uint64_t value);

class DeviceKernels {
public:
    /// On a GPU: loads `binary`, which another process's binary() gave, or compiles when it is empty (0.3 s).
    /// Throws std::runtime_error with the compiler's or the driver's words.
    explicit DeviceKernels(const c10::Device& device, const std::string& binary = {});
    DeviceKernels(const DeviceKernels&) = delete;
    DeviceKernels& operator=(const DeviceKernels&) = delete;
    ~DeviceKernels();

    /// The compiled kernels as hex, for the next process; empty on the CPU.
    const std::string& binary() const { return m_binary; }

    /// Writes into `live` what call `index` of the sequence `key` gets in place of `base`, by the tensor's refresh:
    /// Scale and Symmetric keep signs, zeros and the range, Roll keeps rows. Enqueued on the current stream.
    void refresh(const TensorSpec& spec, const std::byte* base, std::byte* live, std::uint64_t key, std::uint64_t index) const;

    /// Changes a part of what refresh() wrote, chosen by the key, once caches are flushed: who computed in the meantime
    /// computed something else. Enqueued on the current stream.
    void patch(const TensorSpec& spec, const std::byte* base, std::byte* live, std::uint64_t key, std::uint64_t index) const;

    /// Copies a tensor's elements to `memory`, one row after the other. Enqueued on the current stream.
    void copy(const at::Tensor& from, void* memory) const;

    /// A number of the tensor's bytes. Enqueued on the current stream after what is there; waits for it.
    std::uint64_t fingerprint(const at::Tensor& tensor) const;

    /// Fills memory with 0xff: NaN in every floating type. Enqueued on the current stream.
    void poison(void* memory, std::size_t bytes) const;

private:
    struct Loaded;
    void compile();
    void load();

    c10::Device m_device;
    std::string m_binary;
    std::unique_ptr<Loaded> m_loaded;
};

} // namespace cudal1::judge
