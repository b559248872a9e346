// SPDX-License-Identifier: GPL-3.0-or-later
// Functions of the CUDA driver that the runtime has no name for, without linking the driver.
#pragma once

#include <cuda_runtime_api.h>

namespace cudal1::judge {

/// The driver's function of that name as of CUDA 12.0, or null where the driver has none. F must be a pointer to its
/// type. Keep the result: to look it up takes a while.
template<typename F> F driverFunction(const char* name)
{
    constexpr unsigned version = 12000;
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
    cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result);
    return reinterpret_cast<F>(result == cudaDriverEntryPointSuccess ? found : nullptr);
}

} // namespace cudal1::judge
