// SPDX-License-Identifier: GPL-3.0-or-later
// Driving one call.
#include "core/judge/witness/driver.h"

#include "core/judge/witness/contents.h"
#include "core/judge/witness/witness.h"

#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <time.h>

#include <algorithm>

namespace cudal1::judge {

namespace {

/// Inputs up to this size are sent as a whole at the last moment; of larger ones parts are, at places that nobody knows before.
constexpr std::size_t wholeBytes = std::size_t{64} << 20;
constexpr std::size_t chunkBytes = std::size_t{1} << 20;
constexpr std::size_t chunkCount = 32;
/// Shorter copies from the host do not go through the copy engine (measured on an H200: 8 bytes took the device away).
constexpr std::size_t leastBytes = std::size_t{1} << 20;

void checkCuda(cudaError_t status, const char* what)
{
    if (status != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

} // namespace

double clock_ns()
{
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

Driver::Driver(const c10::Device& device, const Arena& arena, const Layout& layout, CacheFlush& flush)
    : m_device(device), m_arena(arena), m_layout(layout), m_flush(flush)
{
    if (device.is_cuda())
        m_staging = at::empty({static_cast<std::int64_t>(std::max(std::min(layout.inputBytes, wholeBytes), leastBytes))},
                              at::TensorOptions().dtype(at::kByte).pinned_memory(true));
}

std::vector<at::Tensor> Driver::views() const
{
    std::vector<at::Tensor> out;
    for (const TensorSpec& spec : m_layout.inputs)
        if (spec.isTensor())
            out.push_back(viewOf(m_arena.data(), spec, m_device));
    return out;
}

void Driver::write(const std::vector<at::Tensor>& inputs)
{
    m_chunks.clear();
    const std::vector<at::Tensor> live = views();
    if (m_device.is_cpu() || m_layout.inputBytes > wholeBytes)
        for (std::size_t i = 0; i < inputs.size(); ++i)
            live[i].copy_(inputs[i]);
    if (m_device.is_cpu())
        return;
    const auto stage = [&](std::size_t from, const void* source, std::size_t bytes) {
        checkCuda(cudaMemcpy(m_staging.mutable_data_ptr<std::uint8_t>() + from, source, bytes, cudaMemcpyDeviceToHost), "staging inputs");
    };
    if (m_layout.inputBytes <= wholeBytes) {
        std::size_t i = 0;
        for (const TensorSpec& spec : m_layout.inputs)
            if (spec.isTensor())
                stage(spec.offset, inputs[i++].const_data_ptr(), spec.bytes);
        m_chunks.push_back({0, static_cast<std::size_t>(m_staging.numel())});
        return;
    }
    // What is sent last is missing in what is written first.
    for (std::size_t c = 0; c < chunkCount; ++c) {
        const std::size_t at = secretNumber() % (m_layout.inputBytes / chunkBytes) * chunkBytes;
        if (std::any_of(m_chunks.begin(), m_chunks.end(), [&](const Chunk& chunk) { return chunk.offset == at; }))
            continue;
        stage(m_chunks.size() * chunkBytes, m_arena.data() + at, chunkBytes);
        m_chunks.push_back({at, chunkBytes});
    }
    for (const Chunk& chunk : m_chunks)
        checkCuda(cudaMemset(m_arena.data() + chunk.offset, 0, chunk.bytes), "writing inputs");
}

void Driver::send()
{
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream(m_device.index()).stream();
    std::size_t from = 0;
    for (const Chunk& chunk : m_chunks) {
        checkCuda(cudaMemcpyAsync(m_arena.data() + chunk.offset, m_staging.const_data_ptr<std::uint8_t>() + from, chunk.bytes, cudaMemcpyHostToDevice, stream),
                  "sending inputs");
        from += chunk.bytes;
    }
    checkCuda(cudaStreamSynchronize(stream), "sending inputs");
}

bool Driver::changed(const std::vector<at::Tensor>& inputs) const
{
    const std::vector<at::Tensor> live = views();
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (!sameBytes(live[i], inputs[i]))
            return true;
    return false;
}

double Driver::probe()
{
    if (m_device.is_cpu())
        return 0;
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream(m_device.index()).stream();
    const double begun = clock_ns();
    checkCuda(cudaMemsetAsync(m_arena.data() + m_arena.bytes() - 4, 0, 4, stream), "asking for the device");
    checkCuda(cudaStreamSynchronize(stream), "asking for the device");
    return clock_ns() - begun;
}

Ending Driver::await(DrivenSubject& subject, const Patience& patience)
{
    const double begun = clock_ns();
    Ending ending;
    const bool answered = subject.steps().await([&] {
        ending = patience((clock_ns() - begun) * 1e-9);
        return ending.empty();
    });
    if (!answered)
        return ending;
    return subject.steps().failed() ? "failed" : "";
}

Ending Driver::ready(DrivenSubject& subject, std::uint32_t flags, const Patience& patience)
{
    subject.steps().tell(Step::Ready, flags);
    subject.thaw();
    return await(subject, patience);
}

Ending Driver::run(DrivenSubject& subject, const Plan& plan, const std::vector<at::Tensor>& inputs, const Patience& patience, Call& out)
{
    const bool cuda = m_device.is_cuda();
    // A process that was stopped finds the caches of its core cold, which doubles a call of 15 us. Where inputs come as a whole at
    // the last moment there is nothing that it could do with the time: it stays awake, and what it does on the device shows.
    const bool stops = !cuda || m_layout.inputBytes > wholeBytes;
    const auto prepare = [&] {
        if (stops)
            subject.freeze();
        write(inputs);
        if (plan.flush)
            m_flush();
        synchronise(m_device);
    };
    if (cuda)
        prepare();
    const double asked = clock_ns();
    if (const Ending ending = ready(subject, plan.readyFlags, patience); !ending.empty())
        return ending;
    out.ready_ns = clock_ns() - asked;
    if (cuda) {
        for (int i = 0; i < plan.probes; ++i) {
            out.probe_ns.push_back(probe());
            if (const Ending ending = ready(subject, plan.readyFlags, patience); !ending.empty()) // the device is this process's now
                return ending;
        }
        send();
        if (plan.peek) {
            out.peek_ns = probe();
            return {};
        }
    } else {
        prepare();
    }
    double begun = 0;
    if (cuda) {
        begun = clock_ns();
        subject.steps().tell(Step::Call, plan.callFlags, plan.seed);
    } else {
        subject.steps().tell(Step::Call, plan.callFlags, plan.seed);
        begun = clock_ns();
        subject.thaw();
    }
    if (const Ending ending = await(subject, patience); !ending.empty())
        return ending;
    double ended = clock_ns();
    if (!cuda) {
        subject.freeze(); // the call is over when nothing can be added to it
        if (subject.freezesQuickly())
            ended = clock_ns();
    }
    out.wall_ns = ended - begun;
    if (plan.read || cuda)
        out.results = subject.results(m_layout.outputs, m_arena, out.opened);
    if (cuda) {
        synchronise(m_device);
        out.tail_ns = clock_ns() - ended;
    }
    if (plan.read)
        out.inputsChanged = changed(inputs);
    return {};
}

Ending Driver::runEmpty(DrivenSubject& subject, const Patience& patience, double& wall_ns)
{
    const bool cuda = m_device.is_cuda();
    if (!cuda)
        subject.freeze();
    double begun = clock_ns();
    subject.steps().tell(Step::Empty);
    if (!cuda) {
        begun = clock_ns();
        subject.thaw();
    }
    const Ending ending = await(subject, patience);
    wall_ns = clock_ns() - begun;
    if (!cuda) {
        subject.freeze();
        if (subject.freezesQuickly())
            wall_ns = clock_ns() - begun;
    }
    return ending;
}

void Driver::finish(DrivenSubject& subject) noexcept
{
    try {
        subject.forgetAllocations();
        subject.steps().tell(Step::End);
        subject.thaw();
    } catch (const std::exception&) {
        // it is ended by the supervisor
    }
}

} // namespace cudal1::judge
