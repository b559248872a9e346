// SPDX-License-Identifier: GPL-3.0-or-later
// Shared memory of the two subjects.
#include "core/judge/module/arena.h"

#include "core/judge/module/checkcuda.h"
#include "core/judge/module/driverfunction.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>

namespace cudal1::judge {

namespace {

void checkMemory(cudaError_t status, const char* what)
{
    if (status == cudaErrorMemoryAllocation)
        throw std::bad_alloc();
    checkCuda(status, what);
}

std::string textOfHandle(const cudaIpcMemHandle_t& handle)
{
    static const char digits[] = "0123456789abcdef";
    std::string out;
    for (unsigned char byte : handle.reserved) {
        out += digits[byte >> 4];
        out += digits[byte & 15];
    }
    return out;
}

cudaIpcMemHandle_t handleOfText(const std::string& text)
{
    cudaIpcMemHandle_t handle{};
    if (text.size() != 2 * sizeof handle.reserved)
        throw std::runtime_error("the arena's handle has the wrong length");
    for (std::size_t i = 0; i < sizeof handle.reserved; ++i)
        handle.reserved[i] = static_cast<char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
    return handle;
}

std::byte* mapFile(int file, std::size_t bytes)
{
    void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (data == MAP_FAILED) {
        if (errno == ENOMEM)
            throw std::bad_alloc();
        throw std::runtime_error(std::string("mapping the arena: ") + std::strerror(errno));
    }
    return static_cast<std::byte*>(data);
}

} // namespace

Arena::~Arena()
{
    release();
}

void Arena::release()
{
    switch (m_kind) {
    case Kind::None: break;
    case Kind::File: ::munmap(m_data, m_bytes); break;
    case Kind::CudaOwner: cudaFree(m_data); break;
    case Kind::CudaGuest: cudaIpcCloseMemHandle(m_data); break;
    }
    m_kind = Kind::None;
}

void Arena::create(const std::string& device, std::size_t bytes, int memoryFile)
{
    release();
    m_bytes = bytes;
    if (device == "cpu") {
        if (::ftruncate(memoryFile, static_cast<off_t>(bytes)) != 0)
            throw std::runtime_error(std::string("growing the arena: ") + std::strerror(errno));
        m_data = mapFile(memoryFile, bytes);
        m_kind = Kind::File;
        return;
    }
    void* data = nullptr;
    checkMemory(cudaMalloc(&data, bytes), "allocating the arena");
    m_data = static_cast<std::byte*>(data);
    m_kind = Kind::CudaOwner;
    cudaIpcMemHandle_t handle{};
    checkMemory(cudaIpcGetMemHandle(&handle, data), "exporting the arena");
    m_handle = textOfHandle(handle);
}

bool Arena::rangeOf(void* start, std::size_t& bytes)
{
    using GetRange = CUresult (*)(CUdeviceptr*, std::size_t*, CUdeviceptr);
    static const auto get = driverFunction<GetRange>("cuMemGetAddressRange");
    CUdeviceptr base = 0;
    return get && get(&base, &bytes, reinterpret_cast<CUdeviceptr>(start)) == CUDA_SUCCESS;
}

void Arena::open(const std::string& device, std::size_t bytes, int memoryFile, const std::string& handle)
{
    release();
    m_bytes = bytes;
    m_handle = handle;
    if (device == "cpu") {
        m_data = mapFile(memoryFile, bytes);
        m_kind = Kind::File;
        return;
    }
    void* data = nullptr;
    checkMemory(cudaIpcOpenMemHandle(&data, handleOfText(handle), cudaIpcMemLazyEnablePeerAccess), "opening the arena");
    m_data = static_cast<std::byte*>(data);
    m_kind = Kind::CudaGuest;
}

} // namespace cudal1::judge
