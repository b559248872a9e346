// SPDX-License-Identifier: GPL-3.0-or-later
// Empties a device's caches by writing more than they hold.
#pragma once

#include <ATen/ATen.h>

namespace cudal1::judge {

/// Of the device's last level, in bytes.
std::int64_t lastLevelCacheBytes(const c10::Device& device);

class CacheFlush {
public:
    /// Takes memory of twice the last level's size, on the CPU at most 64 MB of it.
    explicit CacheFlush(const c10::Device& device);

    /// On a GPU in the order of the current stream: wait for the device before anything is timed.
    void operator()();

private:
    c10::Device m_device;
    at::Tensor m_memory;
};

} // namespace cudal1::judge
