// SPDX-License-Identifier: GPL-3.0-or-later
// The subject's side of a round: does what the witness says on the page, step by step.
#include "core/judge/subject/callserver.h"

#include "core/judge/module/residentconstants.h"
#include "core/judge/subject/resultform.h"
#include "core/judge/subject/resultplaces.h"
#include "core/judge/wire/handover.h"
#include "core/judge/wire/steadyclock.h"

#include <ATen/EmptyTensor.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <memory>

namespace cudal1::judge {

namespace {

/// Writes a byte of every page, as it is, so that what is only made when it is looked at is made within the call, on
/// both sides alike, and lies in pages of its own: reading alone maps the kernel's one page of zeros.
void touch(const std::vector<at::Tensor>& tensors)
{
    constexpr std::size_t page = 4096;
    for (const at::Tensor& tensor : tensors) {
        const std::size_t bytes = at::detail::computeStorageNbytes(tensor.sizes(), tensor.strides(),
                                                                   tensor.element_size());
        // Not by mutable_data_ptr(), which copies what the framework copies when it is written.
        auto* const data = static_cast<volatile unsigned char*>(const_cast<void*>(tensor.const_data_ptr()));
        for (std::size_t at = 0; at < bytes; at += page)
            data[at] = data[at];
        if (bytes > 0)
            data[bytes - 1] = data[bytes - 1];
    }
}

/// What the framework keeps of freed memory when a round begins and when it ends. Blocks of many sizes, as trials leave
/// them behind, are worth per cents to a call bound by launches: the first round begins with none. Where memory lies is
/// worth half a per cent to a call bound by it, and the process that kept the better place would always be the faster:
/// what is more than the last-level cache goes back to the driver after each round, so that both sides take their
/// memory anew from the same. Less is left alone, since that takes milliseconds.
class FreeMemory {
public:
    FreeMemory(const c10::Device& device, bool first) : m_device(device)
    {
        if (m_device.is_cuda() && (first || large()))
            c10::cuda::CUDACachingAllocator::emptyCache();
    }
    FreeMemory(const FreeMemory&) = delete;
    FreeMemory& operator=(const FreeMemory&) = delete;
    ~FreeMemory()
    {
        try {
            if (m_device.is_cuda() && large())
                c10::cuda::CUDACachingAllocator::emptyCache();
        } catch (const std::exception&) { // the call has broken the device, and the next request will say so
        }
    }

private:
    bool large() const
    {
        const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(m_device.index());
        const auto current = [](const auto& array) { return array[0].current; }; // over all pools
        return current(stats.reserved_bytes) - current(stats.allocated_bytes) > lastLevelCacheBytes(m_device);
    }

    c10::Device m_device;
};

/// Pairs of events round calls, read when the device is idle.
class EventClock {
public:
    explicit EventClock(const c10::Device& device) : m_device(device)
    {
        cudaEventCreate(&m_start);
        cudaEventCreate(&m_end);
    }
    EventClock(const EventClock&) = delete;
    EventClock& operator=(const EventClock&) = delete;
    ~EventClock()
    {
        cudaEventDestroy(m_start);
        cudaEventDestroy(m_end);
    }
    void start() { cudaEventRecord(m_start, stream()); }
    void stop() { cudaEventRecord(m_end, stream()); }
    double elapsed_ns() const
    {
        float milliseconds = 0;
        cudaEventElapsedTime(&milliseconds, m_start, m_end);
        return static_cast<double>(milliseconds) * 1e6;
    }

private:
    cudaStream_t stream() const { return c10::cuda::getCurrentCUDAStream(m_device.index()).stream(); }

    c10::Device m_device;
    cudaEvent_t m_start{}, m_end{};
};

} // namespace

CallServer::CallServer(ModuleHost& host, int handover, bool exact)
    : m_host(host), m_handover(handover), m_exact(exact), m_held(host)
{
}

/// One round, from the first step to the last.
class CallServer::Round {
public:
    Round(CallServer& server, bool events)
        : m_server(server), m_host(server.m_host), m_turns(server.m_handover),
          m_form(m_host.layout(), m_host.device(), server.m_exact),
          m_places(m_host.arena(), m_host.layout(), m_host.kernels())
    {
        if (events && m_host.device().is_cuda())
            m_events = std::make_unique<EventClock>(m_host.device());
    }

    ServeCalls::Reply run()
    {
        for (;;) {
            const Step step = m_turns.next();
            if (step == Step::End)
                break;
            try {
                if (step == Step::Ready)
                    ready(m_turns.flags());
                else if (step == Step::Call || (step == Step::Launch && m_server.m_least))
                    call(step, m_turns.flags(), m_turns.seed());
                else if (step == Step::Launch)
                    launch();
            } catch (...) {
                m_turns.answer(true);
                throw;
            }
            m_turns.answer();
            if (step == Step::Call && m_events)
                m_out.event_ns.push_back(m_events->elapsed_ns());
        }
        m_turns.answer();
        return std::move(m_out);
    }

private:
    void ready(std::uint32_t flags)
    {
        if (!(flags & Hold))
            m_before.clear();
        else if (!m_results.empty())
            m_before = std::move(m_results);
        m_results.clear();
        m_result = {};
        if (flags & InOrder)
            m_server.poisonFreeMemory();
        m_host.makeArguments(m_host.arenaInputs());
        if (flags & Flush)
            m_server.flush();
        m_host.kernels().takeDevice();
    }

    void call(Step step, std::uint32_t flags, std::uint64_t seed)
    {
        if (flags & SeedFirst)
            at::manual_seed(seed);
        if (m_events)
            m_events->start();
        m_result = step == Step::Launch ? (*m_server.m_least)() : m_host.forward();
        if (m_events)
            m_events->stop();
        m_form.take(m_result, m_results);
        const bool inOrder = flags & InOrder;
        m_places.publish(m_results, inOrder || (flags & Copied), m_turns.page());
        if (m_host.device().is_cpu())
            touch(m_results);
        synchronise(m_host.device());
        if (inOrder)
            m_server.m_held.add(m_results);
    }

    /// Where the results are too large for the least call.
    void launch()
    {
        if (m_events)
            m_events->start();
        m_host.kernels().launchNothing();
        if (m_events)
            m_events->stop();
        synchronise(m_host.device());
    }

    CallServer& m_server;
    ModuleHost& m_host;
    Turns m_turns;
    ResultForm m_form;
    ResultPlaces m_places;
    std::unique_ptr<EventClock> m_events;
    PyRef m_result;
    std::vector<at::Tensor> m_results, m_before; ///< of the last call; of the one before, where it is held
    ServeCalls::Reply m_out;
};

void CallServer::poisonFreeMemory() const
{
    std::vector<at::Tensor> blocks;
    for (const TensorSpec& spec : m_host.layout().outputs)
        blocks.push_back(at::empty({static_cast<std::int64_t>(spec.bytes)},
                                   at::TensorOptions().dtype(at::kByte).device(m_host.device())));
    for (const at::Tensor& block : blocks)
        m_host.kernels().poison(block.data_ptr(), static_cast<std::size_t>(block.numel()));
}

void CallServer::flush()
{
    if (!m_flush)
        m_flush = std::make_unique<CacheFlush>(m_host.device());
    (*m_flush)();
}

void CallServer::hold(const HoldResults& request)
{
    const ResultForm form(m_host.layout(), m_host.device(), m_exact);
    const double begun = secondsNow();
    for (int i = 0; i < request.calls && secondsNow() - begun < request.most_s; ++i) {
        m_host.makeArguments(m_host.arenaInputs());
        std::vector<at::Tensor> results;
        form.take(m_host.forward(), results);
        synchronise(m_host.device());
        m_held.add(results);
    }
}

ServeCalls::Reply CallServer::serve(const ServeCalls& request)
{
    const bool first = !m_servedBefore;
    m_servedBefore = true;
    // Where calls are timed, what is held among free blocks of memory changes how long it takes to find one.
    if (request.events)
        m_held.clear();
    if (first && m_host.device().is_cpu())
        mapConstants();
    const FreeMemory memory(m_host.device(), first);
    if (request.events && m_host.device().is_cuda() && !m_least && !LeastCall::tooLarge(m_host))
        m_least = std::make_unique<LeastCall>(m_host);
    return Round(*this, request.events).run();
}

} // namespace cudal1::judge
