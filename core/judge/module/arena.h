// SPDX-License-Identifier: GPL-3.0-or-later
// Memory that the reference and the candidate process share: the inputs of a call, then the region of its results.
//
// The reference subject makes it (a memory file on the CPU, an exported CUDA allocation on a GPU), the candidate opens
// it. Both see the same bytes, so an input is drawn once and a result is compared without passing through a pipe.
#pragma once

#include "core/judge/wire/tensorspec.h"

#include <cstddef>
#include <string>
#include <vector>

namespace cudal1::judge {

class Arena {
public:
    Arena() = default;
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    ~Arena();

    /// Makes an arena of `bytes` on "cpu" (in `memoryFile`, which is resized) or "cuda:N". Throws std::runtime_error,
    /// or c10::OutOfMemoryError when the device has too little memory.
    void create(const std::string& device, std::size_t bytes, int memoryFile);
    /// Opens what another process made; `handle` is what its `handle()` said.
    void open(const std::string& device, std::size_t bytes, int memoryFile, const std::string& handle);

    std::byte* data() const { return m_data; }
    std::size_t bytes() const { return m_bytes; }
    /// The CUDA inter-process handle as hex; empty on the CPU.
    const std::string& handle() const { return m_handle; }

    /// How much device memory lies from `start`, where an allocation begins, to its end. False where the driver knows
    /// of none.
    static bool rangeOf(void* start, std::size_t& bytes);

private:
    void release();

    std::byte* m_data = nullptr;
    std::size_t m_bytes = 0;
    std::string m_handle;
    enum class Kind { None, File, CudaOwner, CudaGuest } m_kind = Kind::None;
};

} // namespace cudal1::judge
