// SPDX-License-Identifier: GPL-3.0-or-later
// Times calls of one subject.
#include "core/judge/callclock.h"

#include "core/base/statistics.h"
#include "core/judge/activity.h"
#include "core/judge/residentconstants.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace cudal1::judge {

namespace {

/// Asks the kernel itself where that is possible: a candidate can replace the C library's functions in its process.
std::int64_t now_ns()
{
    timespec t{};
#if defined(__x86_64__)
    long status;
    asm volatile("syscall" : "=a"(status) : "a"(SYS_clock_gettime), "D"(CLOCK_MONOTONIC_RAW), "S"(&t) : "rcx", "r11", "memory");
#else
    ::clock_gettime(CLOCK_MONOTONIC_RAW, &t);
#endif
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

/// Pins the calling thread while it lives.
class Pin {
public:
    explicit Pin(int core)
    {
        if (core < 0 || ::sched_getaffinity(0, sizeof m_before, &m_before) != 0)
            return;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<std::size_t>(core), &one);
        m_pinned = ::sched_setaffinity(0, sizeof one, &one) == 0;
    }
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;
    ~Pin()
    {
        if (m_pinned)
            ::sched_setaffinity(0, sizeof m_before, &m_before);
    }

private:
    cpu_set_t m_before{};
    bool m_pinned = false;
};

std::int64_t lastLevelCacheBytes(const c10::Device& device)
{
    if (device.is_cuda()) {
        int bytes = 0;
        cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device.index());
        return bytes;
    }
    const long bytes = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
    return bytes > 0 ? bytes : 32 << 20;
}

/// What the framework keeps of freed memory when a round begins and when it ends. Blocks of many sizes, as trials leave them
/// behind, are worth per cents to a call bound by launches: the first round begins with none. Where memory lies is worth
/// half a per cent to a call bound by it, and the process that kept the better place would always be the faster: what is
/// more than the last-level cache goes back to the driver after each round, so that both sides take their memory anew
/// from the same. Less is left alone, since that takes milliseconds.
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

/// Every n-th of many samples: a round of microsecond calls has thousands, and each is stored.
void thin(std::vector<double>& samples)
{
    constexpr std::size_t most = 256;
    if (samples.size() <= most)
        return;
    for (std::size_t i = 0; i < most; ++i)
        samples[i] = samples[i * samples.size() / most];
    samples.resize(most);
}

} // namespace

std::uint64_t callSeed(std::uint64_t seed, std::uint64_t index)
{
    return mixed(seed ^ mixed(index)) >> 1;
}

struct CallClock::Events {
    Events()
    {
        cudaEventCreate(&start);
        cudaEventCreate(&end);
    }
    ~Events()
    {
        cudaEventDestroy(start);
        cudaEventDestroy(end);
    }
    cudaEvent_t start{}, end{};
};

CallClock::CallClock(c10::Device device) : m_device(device)
{
    // A server's shared last-level cache can be hundreds of megabytes; more than 64 would make a short call's round
    // nothing but flushing, and the part that a call can keep warm across it is the private levels.
    constexpr std::int64_t cpuLimit = 64 << 20;
    std::int64_t bytes = 2 * lastLevelCacheBytes(device);
    if (device.is_cpu())
        bytes = std::min(bytes, cpuLimit);
    m_flush = at::empty({bytes}, at::TensorOptions().dtype(at::kByte).device(device));
    if (device.is_cuda())
        m_events = std::make_unique<Events>();
}

CallClock::~CallClock() = default;

void CallClock::flushCaches()
{
    if (m_device.is_cuda()) {
        cudaCtxResetPersistingL2Cache(); // lines that a call has set aside would outlast the rest
        cudaMemsetAsync(m_flush.data_ptr(), 0, static_cast<std::size_t>(m_flush.numel()),
                        c10::cuda::getCurrentCUDAStream(m_device.index()).stream());
    } else {
        std::memset(m_flush.data_ptr(), 0, static_cast<std::size_t>(m_flush.numel()));
    }
}

std::int64_t CallClock::discarded(const RoundPlan& plan, TimedCalls& calls, std::uint64_t index)
{
    at::manual_seed(callSeed(plan.seed, index));
    calls.prepare(index);
    calls.finishInputs(index);
    synchronise(m_device);
    const std::int64_t start = now_ns();
    const PyRef result = calls.forward();
    synchronise(m_device);
    return now_ns() - start;
}

void CallClock::settle(const RoundPlan& plan, TimedCalls& calls, std::uint64_t& index)
{
    constexpr std::int64_t block_ns = 5'000'000;
    constexpr double steady = 0.01;
    const std::int64_t begun = now_ns();
    int alike = 0;
    double before = 0;
    while (alike < 3 && now_ns() - begun < plan.settle_ns) {
        std::vector<double> block;
        for (const std::int64_t blockBegun = now_ns(); block.empty() || now_ns() - blockBegun < block_ns;)
            block.push_back(static_cast<double>(discarded(plan, calls, index++)));
        const double time = base::roundTime(block);
        alike = std::abs(time - before) <= steady * before ? alike + 1 : 0;
        before = time;
    }
}

RoundTimes CallClock::run(const RoundPlan& plan, TimedCalls& calls)
{
    if (plan.first && m_device.is_cpu())
        mapConstants();
    const FreeMemory free(m_device, plan.first);
    const Pin pin(plan.core);
    RoundTimes times;
    std::uint64_t index = 0;
    settle(plan, calls, index);
    for (const std::int64_t begun = now_ns(); now_ns() - begun <= plan.warmup_ns;)
        discarded(plan, calls, index++);

    PyRef last;
    double last_ns = 0;
    const std::int64_t timedFrom = now_ns();
    for (int i = 0; i < plan.maxCalls && (i < plan.minCalls || now_ns() - timedFrom < plan.duration_ns); ++i, ++index) {
        // Freeing and seeding may run code of the candidate's: all that comes before there is anything new to compute with.
        if (last)
            calls.releasing(index - 1, last);
        last = {};
        at::manual_seed(callSeed(plan.seed, index));
        calls.prepare(index);
        flushCaches();
        calls.finishInputs(index);
        synchronise(m_device);
        const std::int64_t start = now_ns();
        if (m_events)
            cudaEventRecord(m_events->start, c10::cuda::getCurrentCUDAStream(m_device.index()).stream());
        last = calls.forward();
        if (m_events)
            cudaEventRecord(m_events->end, c10::cuda::getCurrentCUDAStream(m_device.index()).stream());
        const bool checked = calls.returned(index, last, last_ns);
        synchronise(m_device);
        const std::int64_t end = now_ns();
        if (m_events && cudaEventQuery(m_events->end) == cudaErrorNotReady)
            throw NotDrained();
        calls.drained(index, last);
        if (checked) {
            --i; // not a sample
            continue;
        }
        last_ns = static_cast<double>(end - start);
        times.wall_ns.push_back(last_ns);
        if (m_events) {
            float milliseconds = 0;
            cudaEventElapsedTime(&milliseconds, m_events->start, m_events->end);
            times.event_ns.push_back(static_cast<double>(milliseconds) * 1e6);
        }
    }
    if (last)
        calls.releasing(index - 1, last);
    thin(times.wall_ns);
    thin(times.event_ns);
    return times;
}

CallClock::Activity CallClock::observe(int count, std::uint64_t seed, TimedCalls& calls)
{
    ActivityCollection activity;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> windows;
    activity.start();
    for (int i = 0; i < count; ++i) {
        at::manual_seed(callSeed(seed, static_cast<std::uint64_t>(i)));
        calls.prepare(static_cast<std::uint64_t>(i));
        flushCaches();
        calls.finishInputs(static_cast<std::uint64_t>(i));
        synchronise(m_device);
        const std::uint64_t from = activity.now_ns();
        const PyRef result = calls.forward();
        synchronise(m_device);
        windows.emplace_back(from, activity.now_ns());
    }
    const std::vector<ActivityRecord> records = activity.stop();
    Activity out;
    for (const auto& [from, to] : windows)
        out.busy_ns.push_back(static_cast<double>(busyTime(records, from, to)));
    for (const ActivityRecord& record : records)
        if (record.kind == ActivityRecord::Kind::Kernel && record.start_ns >= windows.back().first && record.start_ns <= windows.back().second)
            ++out.kernels[record.name];
    return out;
}

} // namespace cudal1::judge
