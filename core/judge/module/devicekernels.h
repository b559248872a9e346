// SPDX-License-Identifier: GPL-3.0-or-later
// The judge's own work on a device: contents of inputs, copies and fingerprints of tensors, poison.
//
// Nothing here goes through the framework's dispatcher or its allocator, which a candidate can change: on a GPU it is
// kernels of our own (judge.cu, compiled by NVRTC once a device), on the CPU loops.
#pragma once

#include "core/judge/module/torchsupport.h"

#include <cstdint>
#include <string>
#include <vector>

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

    /// What contents are made of: up to four draws of one input, and how one is mixed from them.
    struct Mixture {
        std::vector<const void*> bases; ///< each of `count` elements, in the witness's own memory
        std::uint64_t count = 0;
        std::uint64_t key = 0;     ///< secret; another for each call and input
        double scale = 1;          ///< of the whole tensor
        bool signs = false;        ///< elements change their signs at random
        std::uint64_t columns = 0; ///< of a symmetric matrix, whose mirrored elements stay alike; 0 for any other
    };
    /// Writes into `live`, for each element, one of the draws at random times a factor of its own in (0.5, 1]: zeros
    /// that all draws share, the range and symmetry stay. For float32, float64, float16 and bfloat16. Enqueued on the
    /// current stream.
    void mix(const std::string& dtype, const Mixture& mixture, void* live) const;

    /// Copies a tensor's elements to `memory`, one row after the other. Enqueued on the current stream.
    void copy(const at::Tensor& from, void* memory) const;

    /// A number of the tensor's bytes. Enqueued on the current stream after what is there; waits for it.
    std::uint64_t fingerprint(const at::Tensor& tensor) const;

    /// Puts something on the current stream, and waits for it: after that the device is this process's. Nothing on the
    /// CPU.
    void takeDevice() const;

    /// Launches a kernel that does nothing, on the current stream of a GPU.
    void launchNothing() const;

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
