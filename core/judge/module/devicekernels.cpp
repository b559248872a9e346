// SPDX-License-Identifier: GPL-3.0-or-later
// The judge's own work on a device.
#include "core/judge/module/devicekernels.h"

#include "core/judge/generated/judge_cu.h"
#include "core/judge/module/checkcuda.h"

#include <ATen/Parallel.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#include <nvrtc.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

namespace cudal1::judge {

namespace {

constexpr std::int64_t grain = 1 << 15;
constexpr std::size_t mostBases = 4;

std::uint64_t numbered(std::uint64_t i, std::uint64_t columns)
{
    if (columns == 0)
        return i;
    const std::uint64_t row = i / columns, column = i % columns;
    return row > column ? column * columns + row : i;
}

/// Rounded to the type once.
template<typename Float> Float times(Float value, float factor)
{
    if constexpr (sizeof(Float) == sizeof(double))
        return value * static_cast<double>(factor);
    else
        return static_cast<Float>(static_cast<float>(value) * factor);
}

template<typename Float> void mixFloats(const DeviceKernels::Mixture& mixture, Float* live)
{
    std::array<const Float*, mostBases> bases{};
    for (std::size_t b = 0; b < mostBases; ++b)
        bases[b] = static_cast<const Float*>(mixture.bases[b % mixture.bases.size()]);
    const auto scale = static_cast<float>(mixture.scale);
    at::parallel_for(0, static_cast<std::int64_t>(mixture.count), grain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const std::uint64_t number = mixed(mixture.key ^ numbered(static_cast<std::uint64_t>(i), mixture.columns));
            float factor = scale * (1.0f - 0.5f * (static_cast<float>(number >> 40) * 5.9604645e-8f));
            if (mixture.signs && (number & 4))
                factor = -factor;
            live[i] = times(bases[number & 3][i], factor);
        }
    });
}

/// Types that the kernels compute in, by the names of the framework and of the kernels.
constexpr std::array kernelTypes{"float32", "float64", "float16", "bfloat16"};

std::size_t typeOf(const std::string& dtype)
{
    return static_cast<std::size_t>(std::find(kernelTypes.begin(), kernelTypes.end(), dtype) - kernelTypes.begin());
}

/// As the kernel takes it.
struct Strides {
    int dims;
    long long shape[8], stride[8];
};

void gatherOnHost(const std::byte* from, std::byte* to, std::int64_t count, int size, const Strides& strides)
{
    at::parallel_for(0, count, grain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            std::int64_t rest = i, offset = 0;
            for (int d = strides.dims - 1; d >= 0; --d) {
                offset += rest % strides.shape[d] * strides.stride[d];
                rest /= strides.shape[d];
            }
            std::memcpy(to + i * size, from + offset * size, static_cast<std::size_t>(size));
        }
    });
}

std::uint64_t fingerprintOnHost(const unsigned char* bytes, std::size_t count)
{
    const std::int64_t words = static_cast<std::int64_t>(count / 8);
    std::atomic<std::uint64_t> total{0};
    at::parallel_for(0, words, grain, [&](std::int64_t begin, std::int64_t end) {
        std::uint64_t sum = 0;
        for (std::int64_t i = begin; i < end; ++i) {
            std::uint64_t word;
            std::memcpy(&word, bytes + 8 * i, 8);
            sum += mixed(word ^ mixed(static_cast<std::uint64_t>(i)));
        }
        total += sum;
    });
    std::uint64_t sum = total;
    for (std::size_t i = static_cast<std::size_t>(words) * 8; i < count; ++i)
        sum += mixed(bytes[i] ^ mixed(~static_cast<std::uint64_t>(i)));
    return sum;
}

void checkNvrtc(nvrtcResult status, const char* what)
{
    if (status != NVRTC_SUCCESS)
        throw std::runtime_error(std::string(what) + ": " + nvrtcGetErrorString(status));
}

std::string toHex(const std::string& bytes)
{
    static const char digits[] = "0123456789abcdef";
    std::string out;
    out.reserve(2 * bytes.size());
    for (const char c : bytes) {
        out += digits[static_cast<unsigned char>(c) >> 4];
        out += digits[static_cast<unsigned char>(c) & 15];
    }
    return out;
}

std::string fromHex(const std::string& text)
{
    const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    std::string out;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2)
        out += static_cast<char>(digit(text[i]) << 4 | digit(text[i + 1]));
    return out;
}

} // namespace

std::uint64_t mixed(std::uint64_t z)
{
    z += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

struct DeviceKernels::Loaded {
    ~Loaded()
    {
        cudaFree(sum);
        cudaFreeHost(hostSum);
    }
    cudaKernel_t kernel(const char* name) const
    {
        cudaKernel_t found{};
        checkCuda(cudaLibraryGetKernel(&found, library, name), name);
        return found;
    }
    void launch(cudaKernel_t kernel, std::uint64_t threads, void** arguments, cudaStream_t stream) const
    {
        constexpr std::uint64_t block = 256;
        const std::uint64_t blocks = std::clamp<std::uint64_t>((threads + block - 1) / block, 1,
                                                               std::uint64_t(processors) * 8);
        checkCuda(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(static_cast<unsigned>(blocks)),
                                   dim3(block), arguments, 0, stream),
                  "launching a kernel of the judge");
    }

    cudaLibrary_t library{}; ///< unloading it would wait for the device; the process's end does it
    std::array<cudaKernel_t, kernelTypes.size()> mix{};
    cudaKernel_t gather{}, words{}, bytes{}, nothing{};
    std::uint64_t* sum = nullptr; ///< on the device, not of the framework's allocator
    std::uint64_t* hostSum = nullptr;
    int processors = 1;
};

DeviceKernels::DeviceKernels(const c10::Device& device, const std::string& binary) : m_device(device), m_binary(binary)
{
    if (m_device.is_cpu())
        return;
    if (m_binary.empty())
        compile();
    load();
}

DeviceKernels::~DeviceKernels() = default;

void DeviceKernels::compile()
{
    int major = 0, minor = 0;
    checkCuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, m_device.index()),
              "reading the compute capability");
    checkCuda(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, m_device.index()),
              "reading the compute capability");
    const std::string architecture = "--gpu-architecture=sm_" + std::to_string(major) + std::to_string(minor);
    const char* options[] = {architecture.c_str(), "--std=c++17"};
    nvrtcProgram program{};
    checkNvrtc(nvrtcCreateProgram(&program, cudaJudge, "judge.cu", 0, nullptr, nullptr), "NVRTC");
    const nvrtcResult compiled = nvrtcCompileProgram(program, 2, options);
    if (compiled != NVRTC_SUCCESS) {
        std::size_t size = 0;
        nvrtcGetProgramLogSize(program, &size);
        std::string log(size, '\0');
        nvrtcGetProgramLog(program, log.data());
        nvrtcDestroyProgram(&program);
        throw std::runtime_error("NVRTC does not compile the judge's kernels: " + log);
    }
    std::size_t size = 0;
    checkNvrtc(nvrtcGetCUBINSize(program, &size), "NVRTC");
    std::string code(size, '\0');
    checkNvrtc(nvrtcGetCUBIN(program, code.data()), "NVRTC");
    nvrtcDestroyProgram(&program);
    m_binary = toHex(code);
}

void DeviceKernels::load()
{
    const std::string code = fromHex(m_binary);
    m_loaded = std::make_unique<Loaded>();
    checkCuda(cudaLibraryLoadData(&m_loaded->library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
              "loading the judge's kernels");
    for (std::size_t i = 0; i < kernelTypes.size(); ++i)
        m_loaded->mix[i] = m_loaded->kernel(("mix_" + std::string(kernelTypes[i])).c_str());
    m_loaded->gather = m_loaded->kernel("gather");
    m_loaded->words = m_loaded->kernel("fingerprint_words");
    m_loaded->bytes = m_loaded->kernel("fingerprint_bytes");
    m_loaded->nothing = m_loaded->kernel("nothing");
    checkCuda(cudaMalloc(reinterpret_cast<void**>(&m_loaded->sum), sizeof(std::uint64_t)),
              "allocating for fingerprints");
    checkCuda(cudaMallocHost(reinterpret_cast<void**>(&m_loaded->hostSum), sizeof(std::uint64_t)),
              "allocating for fingerprints");
    checkCuda(cudaDeviceGetAttribute(&m_loaded->processors, cudaDevAttrMultiProcessorCount, m_device.index()),
              "reading the device");
}

void DeviceKernels::mix(const std::string& dtype, const Mixture& mixture, void* live) const
{
    if (mixture.count == 0)
        return;
    const std::size_t type = typeOf(dtype);
    if (m_device.is_cpu()) {
        switch (type) {
        case 0: return mixFloats(mixture, static_cast<float*>(live));
        case 1: return mixFloats(mixture, static_cast<double*>(live));
        case 2: return mixFloats(mixture, static_cast<c10::Half*>(live));
        default: return mixFloats(mixture, static_cast<c10::BFloat16*>(live));
        }
    }
    struct {
        const void* base[mostBases];
    } bases{};
    for (std::size_t b = 0; b < mostBases; ++b)
        bases.base[b] = mixture.bases[b % mixture.bases.size()];
    std::uint64_t count = mixture.count, key = mixture.key, columns = mixture.columns;
    float scale = static_cast<float>(mixture.scale);
    int signs = mixture.signs;
    void* arguments[] = {&bases, &live, &count, &key, &scale, &signs, &columns};
    m_loaded->launch(m_loaded->mix[type], count, arguments, c10::cuda::getCurrentCUDAStream(m_device.index()).stream());
}

void DeviceKernels::takeDevice() const
{
    if (m_device.is_cpu())
        return;
    checkCuda(cudaMemsetAsync(m_loaded->sum, 0, sizeof(std::uint64_t),
                              c10::cuda::getCurrentCUDAStream(m_device.index()).stream()),
              "reaching the device");
    synchronise(m_device);
}

void DeviceKernels::launchNothing() const
{
    m_loaded->launch(m_loaded->nothing, 1, nullptr, c10::cuda::getCurrentCUDAStream(m_device.index()).stream());
}

void DeviceKernels::copy(const at::Tensor& from, void* memory) const
{
    const auto* data = static_cast<const std::byte*>(from.const_data_ptr());
    const std::size_t bytes = static_cast<std::size_t>(from.numel()) * from.element_size();
    const cudaStream_t stream = m_device.is_cuda() ? c10::cuda::getCurrentCUDAStream(m_device.index()).stream()
                                                   : nullptr;
    if (bytes == 0)
        return;
    if (from.is_contiguous()) {
        if (m_device.is_cuda())
            checkCuda(cudaMemcpyAsync(memory, data, bytes, cudaMemcpyDeviceToDevice, stream), "copying a result");
        else
            std::memcpy(memory, data, bytes);
        return;
    }
    Strides strides{};
    if (from.dim() > 8)
        throw std::runtime_error("a result of more than eight dimensions that is not contiguous");
    strides.dims = static_cast<int>(from.dim());
    for (int d = 0; d < strides.dims; ++d) {
        strides.shape[d] = from.size(d);
        strides.stride[d] = from.stride(d);
    }
    int size = static_cast<int>(from.element_size());
    std::uint64_t count = static_cast<std::uint64_t>(from.numel());
    if (m_device.is_cuda()) {
        void* arguments[] = {&data, &memory, &count, &size, &strides};
        m_loaded->launch(m_loaded->gather, count, arguments, stream);
    } else {
        gatherOnHost(data, static_cast<std::byte*>(memory), static_cast<std::int64_t>(count), size, strides);
    }
}

std::uint64_t DeviceKernels::fingerprint(const at::Tensor& tensor) const
{
    const at::Tensor dense = tensor.is_non_overlapping_and_dense() ? tensor : tensor.contiguous();
    const auto* data = static_cast<const unsigned char*>(dense.const_data_ptr());
    const std::uint64_t size = static_cast<std::uint64_t>(dense.numel()) * dense.element_size();
    if (m_device.is_cpu())
        return fingerprintOnHost(data, size);
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream(m_device.index()).stream();
    checkCuda(cudaMemsetAsync(m_loaded->sum, 0, sizeof(std::uint64_t), stream), "taking a fingerprint");
    std::uint64_t words = size / 16;
    if (words > 0) {
        void* arguments[] = {&data, &words, &m_loaded->sum};
        m_loaded->launch(m_loaded->words, words, arguments, stream);
    }
    std::uint64_t from = words * 16, rest = size - from;
    if (rest > 0) {
        const unsigned char* tail = data + from;
        void* arguments[] = {&tail, &rest, &from, &m_loaded->sum};
        m_loaded->launch(m_loaded->bytes, rest, arguments, stream);
    }
    checkCuda(cudaMemcpyAsync(m_loaded->hostSum, m_loaded->sum, sizeof(std::uint64_t), cudaMemcpyDeviceToHost, stream),
              "taking a fingerprint");
    checkCuda(cudaStreamSynchronize(stream), "taking a fingerprint");
    return *m_loaded->hostSum;
}

void DeviceKernels::poison(void* memory, std::size_t bytes) const
{
    if (m_device.is_cpu())
        std::memset(memory, 0xff, bytes);
    else
        checkCuda(cudaMemsetAsync(memory, 0xff, bytes, c10::cuda::getCurrentCUDAStream(m_device.index()).stream()),
                  "poisoning memory");
}

} // namespace cudal1::judge
