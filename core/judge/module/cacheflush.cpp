// SPDX-License-Identifier: GPL-3.0-or-later
// Writing more than caches hold.
#include "core/judge/module/cacheflush.h"

#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace cudal1::judge {

std::int64_t lastLevelCacheBytes(const c10::Device& device)
{
    if (device.is_cuda()) {
        int bytes = 0;
        cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device.index());
        return bytes;
    }
    const long bytes = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
    return bytes > 0 ? bytes : 32 << 20;
}

CacheFlush::CacheFlush(const c10::Device& device) : m_device(device)
{
    // A server's shared last-level cache can be hundreds of megabytes; more than 64 would make a short call's round
    // nothing but flushing, and the part that a call can keep warm across it is the private levels.
    constexpr std::int64_t cpuLimit = 64 << 20;
    std::int64_t bytes = 2 * lastLevelCacheBytes(device);
    if (device.is_cpu())
        bytes = std::min(bytes, cpuLimit);
    m_memory = at::empty({bytes}, at::TensorOptions().dtype(at::kByte).device(device));
}

void CacheFlush::operator()()
{
    if (m_device.is_cuda()) {
        cudaCtxResetPersistingL2Cache(); // lines that were set aside would outlast the rest
        cudaMemsetAsync(m_memory.data_ptr(), 0, static_cast<std::size_t>(m_memory.numel()),
                        c10::cuda::getCurrentCUDAStream(m_device.index()).stream());
    } else {
        std::memset(m_memory.data_ptr(), 0, static_cast<std::size_t>(m_memory.numel()));
    }
}

} // namespace cudal1::judge
