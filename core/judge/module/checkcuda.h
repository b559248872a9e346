// SPDX-License-Identifier: GPL-3.0-or-later
// Failed calls of the CUDA runtime as exceptions.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace cudal1::judge {

/// Throws std::runtime_error with `what` was tried and the runtime's own words.
inline void checkCuda(cudaError_t status, const char* what)
{
    if (status != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

} // namespace cudal1::judge
