// SPDX-License-Identifier: GPL-3.0-or-later
// Addresses and handles of results.
#include "core/judge/subject/resultplaces.h"

#include "core/judge/module/driverfunction.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>

namespace cudal1::judge {

namespace {

/// What the driver knows of an address: the number of its allocation, where that starts. False when it knows nothing.
bool allocationOf(const void* address, std::uint64_t& number, std::byte*& start)
{
    using GetAttributes = CUresult (*)(unsigned, CUpointer_attribute*, void**, CUdeviceptr);
    static const auto get = driverFunction<GetAttributes>("cuPointerGetAttributes");
    unsigned long long id = 0;
    std::byte* base = nullptr; // of the device; the driver writes the number that it is
    static_assert(sizeof base == sizeof(CUdeviceptr));
    CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_BUFFER_ID, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR};
    void* values[] = {&id, &base};
    if (!get || get(2, wanted, values, reinterpret_cast<CUdeviceptr>(address)) != CUDA_SUCCESS || !base)
        return false;
    number = id;
    start = base;
    return true;
}

} // namespace

bool ResultPlaces::inArena(const at::Tensor& result) const
{
    const auto* data = static_cast<const std::byte*>(result.const_data_ptr());
    return data >= m_arena.data() && data < m_arena.data() + m_arena.bytes();
}

bool ResultPlaces::findOnDevice(const at::Tensor& result, ResultPlace& place)
{
    constexpr std::size_t most = 4096; // allocations are numbered on and on
    std::uint64_t number = 0;
    std::byte* start = nullptr;
    if (!allocationOf(result.const_data_ptr(), number, start))
        return false;
    if (m_allocations.size() > most)
        m_allocations.clear();
    auto known = m_allocations.find(number);
    if (known == m_allocations.end()) {
        ResultPlace found;
        cudaIpcMemHandle_t handle{};
        static_assert(sizeof handle.reserved == sizeof found.handle);
        if (cudaIpcGetMemHandle(&handle, start) == cudaSuccess) {
            found.kind = ResultPlace::Kind::Device;
            found.allocation = number;
            std::memcpy(found.handle.data(), handle.reserved, sizeof handle.reserved);
        } else {
            cudaGetLastError(); // memory of a pool, which cannot be shared that way
        }
        known = m_allocations.emplace(number, found).first;
    }
    if (known->second.kind != ResultPlace::Kind::Device)
        return false;
    place = known->second;
    place.offset = static_cast<std::uint64_t>(static_cast<const std::byte*>(result.const_data_ptr()) - start);
    return true;
}

bool ResultPlaces::find(const at::Tensor& result, ResultPlace& place)
{
    if (result.dim() > static_cast<std::int64_t>(place.strides.size()))
        return false;
    const auto* data = static_cast<const std::byte*>(result.const_data_ptr());
    if (inArena(result)) {
        place.kind = ResultPlace::Kind::Arena;
        place.offset = static_cast<std::uint64_t>(data - m_arena.data());
    } else if (result.is_cpu()) {
        place.kind = ResultPlace::Kind::Memory;
        place.offset = reinterpret_cast<std::uint64_t>(data);
    } else if (result.numel() == 0) {
        place.kind = ResultPlace::Kind::Arena;
        place.offset = 0;
    } else if (!findOnDevice(result, place)) {
        return false;
    }
    place.dense = result.is_contiguous() ? 1 : 0;
    if (!place.dense)
        for (std::int64_t d = 0; d < result.dim(); ++d)
            place.strides[static_cast<std::size_t>(d)] = result.stride(d);
    return true;
}

void ResultPlaces::publish(std::vector<at::Tensor>& results, bool copied, HandoverPage& page)
{
    page.places = static_cast<std::uint32_t>(std::min(results.size(), mostPlaces));
    for (std::size_t i = 0; i < results.size(); ++i) {
        at::Tensor& result = results[i];
        const TensorSpec& spec = m_layout.outputs[i];
        const bool borrowed = (spec.fresh() && inArena(result)) ||
                              (spec.own() &&
                               std::any_of(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(i),
                                           [&](const at::Tensor& earlier) {
                                               return earlier.storage().data() == result.storage().data();
                                           }));
        if (borrowed || result.is_conj() || result.is_neg() || !result.is_non_overlapping_and_dense())
            result = result.resolve_conj().resolve_neg().clone(at::MemoryFormat::Contiguous);
        // Written where it stands, and no more of it than is read: the caches are cold, and the page is another
        // process's too.
        if (!copied && i < mostPlaces && find(result, page.place[i]))
            continue;
        m_kernels.copy(result, m_arena.data() + spec.offset);
        if (i < mostPlaces) {
            page.place[i].kind = ResultPlace::Kind::Arena;
            page.place[i].dense = 1;
            page.place[i].offset = spec.offset;
        }
    }
}

} // namespace cudal1::judge
