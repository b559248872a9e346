// SPDX-License-Identifier: GPL-3.0-or-later
// Sending inputs by the copy engine.
#include "core/judge/witness/inputsender.h"

#include "core/judge/module/torchsupport.h"
#include "core/judge/witness/contents.h"
#include "core/judge/witness/witness.h"

#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstring>

namespace cudal1::judge {

namespace {

constexpr std::size_t wholeBytes = std::size_t{64} << 20; ///< up to this size inputs are sent as a whole
constexpr std::size_t partBytes = std::size_t{1} << 20;
constexpr std::size_t partCount = 32;
constexpr std::size_t mostSlots = 16;

void checkSending(cudaError_t status)
{
    if (status != cudaSuccess)
        throw std::runtime_error(std::string("sending inputs: ") + cudaGetErrorString(status));
}

/// What is sent at once is a multiple of this many bytes. Shorter copies may take the device from the subject: with
/// copies of 64 KiB or less, on an H100, the calls that followed a decoy took 120 us longer, and with copies of 128 KiB
/// none did.
constexpr std::size_t copyBytes = std::size_t{128} << 10;

} // namespace

std::size_t InputSender::roomFor(std::size_t inputBytes)
{
    return std::max((inputBytes + copyBytes - 1) / copyBytes, std::size_t{1}) * copyBytes;
}

InputSender::InputSender(const c10::Device& device, const Arena& arena, const ArenaLayout& layout)
    : m_device(device), m_arena(arena), m_layout(layout), m_whole(layout.inputBytes <= wholeBytes)
{
    m_slotBytes = m_whole ? roomFor(layout.inputBytes) : partBytes * partCount;
    if (m_whole)
        m_slots = std::clamp<std::size_t>(wholeBytes / m_slotBytes, 1, mostSlots);
    m_host = at::empty({static_cast<std::int64_t>(m_slots * m_slotBytes)},
                       at::TensorOptions().dtype(at::kByte).pinned_memory(true));
    m_decoy = at::empty({static_cast<std::int64_t>(std::min(m_slotBytes, partBytes))}, m_host.options());
}

void InputSender::lay(std::size_t slot, const std::vector<at::Tensor>& inputs)
{
    if (!m_whole) {
        layParts(inputs);
        return;
    }
    // What was staged here before is of a call that is over, so it tells nothing about those to come.
    const auto decoyBytes = static_cast<std::size_t>(m_decoy.numel());
    std::memcpy(m_decoy.mutable_data_ptr(), host(slot) + placeOfPart(decoyBytes), decoyBytes);
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream(m_device.index()).stream();
    std::size_t i = 0;
    for (const TensorSpec& spec : m_layout.inputs)
        if (spec.isTensor())
            checkSending(cudaMemcpyAsync(host(slot) + spec.offset, inputs[i++].const_data_ptr(), spec.bytes,
                                         cudaMemcpyDeviceToHost, stream));
}

void InputSender::layParts(const std::vector<at::Tensor>& inputs)
{
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream(m_device.index()).stream();
    std::size_t i = 0;
    for (const TensorSpec& spec : m_layout.inputs)
        if (spec.isTensor())
            viewOf(m_arena.data(), spec, m_device).copy_(inputs[i++]);
    // What is sent last is missing in what is written first.
    m_parts.clear();
    while (m_parts.size() < partCount) {
        const std::size_t at = secretNumber() % (m_layout.inputBytes / partBytes) * partBytes;
        if (std::any_of(m_parts.begin(), m_parts.end(), [&](const Part& part) { return part.offset == at; }))
            continue;
        checkSending(cudaMemcpyAsync(host(0) + m_parts.size() * partBytes, m_arena.data() + at, partBytes,
                                     cudaMemcpyDeviceToHost, stream));
        m_parts.push_back({at, partBytes});
    }
    for (const Part& part : m_parts)
        checkSending(cudaMemsetAsync(m_arena.data() + part.offset, 0, part.bytes, stream));
}

std::size_t InputSender::placeOfPart(std::size_t bytes) const
{
    return secretNumber() % ((m_slotBytes - bytes) / copyBytes + 1) * copyBytes;
}

void InputSender::sendDecoy(std::size_t slot)
{
    constexpr std::uint64_t mostBetween_ns = 20'000;
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream(m_device.index()).stream();
    const auto bytes = static_cast<std::size_t>(m_decoy.numel());
    const std::size_t at = placeOfPart(bytes), behind = at + bytes;
    const auto copy = [&](std::size_t to, const void* from, std::size_t count) {
        if (count > 0)
            checkSending(cudaMemcpyAsync(m_arena.data() + to, from, count, cudaMemcpyHostToDevice, stream));
    };
    copy(0, host(slot), at);
    copy(at, m_decoy.const_data_ptr(), bytes);
    copy(behind, host(slot) + behind, m_slotBytes - behind);
    checkSending(cudaStreamSynchronize(stream));
    const auto until = std::chrono::steady_clock::now() + std::chrono::nanoseconds(secretNumber() % mostBetween_ns);
    while (std::chrono::steady_clock::now() < until) {}
    copy(at, host(slot) + at, bytes);
    checkSending(cudaStreamSynchronize(stream));
}

void InputSender::send(std::size_t slot, bool decoy)
{
    if (m_whole && decoy) {
        sendDecoy(slot);
        return;
    }
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream(m_device.index()).stream();
    if (m_whole)
        checkSending(cudaMemcpyAsync(m_arena.data(), host(slot), m_slotBytes, cudaMemcpyHostToDevice, stream));
    for (std::size_t i = 0; i < m_parts.size(); ++i)
        checkSending(cudaMemcpyAsync(m_arena.data() + m_parts[i].offset, host(0) + i * partBytes, partBytes,
                                     cudaMemcpyHostToDevice, stream));
    checkSending(cudaStreamSynchronize(stream));
}

at::Tensor InputSender::readBack()
{
    const at::Tensor back = m_back.take(static_cast<std::int64_t>(m_layout.inputBytes));
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream(m_device.index()).stream();
    checkSending(
        cudaMemcpyAsync(back.mutable_data_ptr(), m_arena.data(), m_layout.inputBytes, cudaMemcpyDeviceToHost, stream));
    checkSending(cudaStreamSynchronize(stream));
    return back;
}

bool InputSender::changed(const at::Tensor& back, const std::vector<at::Tensor>& inputs) const
{
    const at::Tensor there = back.defined() ? back.to(m_device) : at::Tensor();
    std::size_t i = 0;
    return std::any_of(m_layout.inputs.begin(), m_layout.inputs.end(), [&](const TensorSpec& spec) {
        if (!spec.isTensor())
            return false;
        const at::Tensor& input = inputs[i++];
        return !sameBytes(there.defined() ? viewOf(static_cast<std::byte*>(there.data_ptr()), spec, m_device)
                                          : viewOf(m_arena.data(), spec, m_device),
                          input);
    });
}

} // namespace cudal1::judge
