// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel of pagedattention.cu, compiled for one shape and one device.
#include "core/decoder/pagedattention.h"

#include "core/decoder/generated/pagedattention_cu.h"

#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#include <nvrtc.h>

#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

namespace cudal1::decoder {

namespace {

constexpr std::int64_t mostShared = 47 * 1024; ///< bytes of a block of threads, for all devices
constexpr std::int64_t mostQueries = 16;       ///< that share a head of keys; each takes registers

void checkRuntime(cudaError_t status, const char* what)
{
    if (status != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

void checkCompiler(nvrtcResult status, const char* what)
{
    if (status != NVRTC_SUCCESS)
        throw std::runtime_error(std::string(what) + ": " + nvrtcGetErrorString(status));
}

/// As many warps as their parts of the results have room for.
std::int64_t warpsFor(const PagedAttention::Shape& shape)
{
    const std::int64_t bytes = shape.heads / shape.keyHeads * (shape.size + 2) * 4; // of a warp
    for (std::int64_t warps = 16; warps >= 4; warps /= 2)
        if (warps * bytes <= mostShared)
            return warps;
    return 0;
}

std::string compiled(const std::vector<std::string>& options)
{
    std::vector<const char*> words;
    words.reserve(options.size());
    for (const std::string& option : options)
        words.push_back(option.c_str());
    nvrtcProgram program{};
    checkCompiler(nvrtcCreateProgram(&program, pagedattentionSource, "pagedattention.cu", 0, nullptr, nullptr),
                  "NVRTC");
    const nvrtcResult result = nvrtcCompileProgram(program, static_cast<int>(words.size()), words.data());
    std::size_t size = 0;
    if (result != NVRTC_SUCCESS) {
        nvrtcGetProgramLogSize(program, &size);
        std::string log(size, '\0');
        nvrtcGetProgramLog(program, log.data());
        nvrtcDestroyProgram(&program);
        throw std::runtime_error("NVRTC does not compile the attention of a decoder: " + log);
    }
    checkCompiler(nvrtcGetCUBINSize(program, &size), "NVRTC");
    std::string code(size, '\0');
    checkCompiler(nvrtcGetCUBIN(program, code.data()), "NVRTC");
    nvrtcDestroyProgram(&program);
    return code;
}

} // namespace

struct PagedAttention::Kernel {
    ~Kernel() { cudaLibraryUnload(library); }

    cudaLibrary_t library{};
    cudaKernel_t attend{};
    unsigned threads = 32;
};

PagedAttention::PagedAttention(const Shape& shape, std::unique_ptr<Kernel> kernel)
    : m_shape(shape), m_kernel(std::move(kernel))
{
}

PagedAttention::~PagedAttention() = default;

std::unique_ptr<PagedAttention> PagedAttention::make(const Shape& shape, const at::Device& device)
{
    const std::int64_t warps = warpsFor(shape);
    if (!device.is_cuda() || shape.size % 32 != 0 || shape.heads / shape.keyHeads > mostQueries || warps == 0 ||
        (shape.type != at::kBFloat16 && shape.type != at::kFloat))
        return nullptr;
    const c10::cuda::CUDAGuard guard(device);
    int major = 0, minor = 0;
    checkRuntime(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device.index()), "The GPU");
    checkRuntime(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device.index()), "The GPU");
    const auto defined = [](const char* name, std::int64_t value) {
        return "-D" + std::string(name) + "=" + std::to_string(value);
    };
    const std::string code = compiled({"--gpu-architecture=sm_" + std::to_string(major) + std::to_string(minor),
                                       "--std=c++17", defined("HEADS", shape.heads / shape.keyHeads),
                                       defined("KEY_HEADS", shape.keyHeads), defined("SIZE", shape.size),
                                       defined("BLOCK_TOKENS", shape.blockTokens),
                                       defined("BRAIN", shape.type == at::kBFloat16), defined("WARPS", warps)});
    auto kernel = std::make_unique<Kernel>();
    kernel->threads = static_cast<unsigned>(warps * 32);
    checkRuntime(cudaLibraryLoadData(&kernel->library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
                 "Loading the attention of a decoder");
    checkRuntime(cudaLibraryGetKernel(&kernel->attend, kernel->library, "attend"), "The attention of a decoder");
    return std::unique_ptr<PagedAttention>(new PagedAttention(shape, std::move(kernel)));
}

at::Tensor PagedAttention::attend(const at::Tensor& query, const at::Tensor& keys, const at::Tensor& values,
                                  const at::Tensor& tables, const at::Tensor& positions) const
{
    const at::Tensor asked = query.contiguous();
    at::Tensor out = at::empty_like(asked);
    const void* from[] = {asked.const_data_ptr(), keys.const_data_ptr(), values.const_data_ptr(),
                          tables.const_data_ptr(), positions.const_data_ptr()};
    auto width = static_cast<int>(tables.size(1));
    auto scale = static_cast<float>(std::numbers::log2e / std::sqrt(static_cast<double>(m_shape.size)));
    void* to = out.mutable_data_ptr();
    std::array<void*, 8> arguments{&from[0], &from[1], &from[2], &from[3], &from[4], &width, &scale, &to};
    const auto blocks = static_cast<unsigned>(asked.size(0) * m_shape.keyHeads);
    checkRuntime(cudaLaunchKernel(reinterpret_cast<const void*>(m_kernel->attend), dim3(blocks),
                                  dim3(m_kernel->threads), arguments.data(), 0,
                                  c10::cuda::getCurrentCUDAStream(asked.get_device()).stream()),
                 "The attention of a decoder");
    return out;
}

} // namespace cudal1::decoder
