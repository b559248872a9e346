// SPDX-License-Identifier: GPL-3.0-or-later
// Times calls of one subject.
#include "core/judge/callclock.h"

#include "core/judge/activity.h"

#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace cudal1::judge {

namespace {

std::int64_t now_ns()
{
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC_RAW, &t);
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
    if (m_device.is_cuda())
        cudaMemsetAsync(m_flush.data_ptr(), 0, static_cast<std::size_t>(m_flush.numel()),
                        c10::cuda::getCurrentCUDAStream(m_device.index()).stream());
    else
        std::memset(m_flush.data_ptr(), 0, static_cast<std::size_t>(m_flush.numel()));
}

RoundTimes CallClock::run(const RoundPlan& plan, const std::function<void()>& prepare, const std::function<PyRef()>& forward)
{
    const Pin pin(plan.core);
    RoundTimes times;
    const std::int64_t begun = now_ns();
    while (now_ns() - begun <= plan.warmup_ns) {
        prepare();
        at::manual_seed(plan.seed);
        times.last = forward();
        synchronise(m_device);
    }

    const std::int64_t timedFrom = now_ns();
    for (int i = 0; i < plan.maxCalls && (i < plan.minCalls || now_ns() - timedFrom < plan.duration_ns); ++i) {
        times.last = {}; // freed outside of the timed interval
        prepare();
        at::manual_seed(plan.seed);
        flushCaches();
        synchronise(m_device);
        const std::int64_t start = now_ns();
        if (m_events)
            cudaEventRecord(m_events->start, c10::cuda::getCurrentCUDAStream(m_device.index()).stream());
        times.last = forward();
        if (m_events)
            cudaEventRecord(m_events->end, c10::cuda::getCurrentCUDAStream(m_device.index()).stream());
        synchronise(m_device);
        times.wall_ns.push_back(static_cast<double>(now_ns() - start));
        if (m_events) {
            float milliseconds = 0;
            cudaEventElapsedTime(&milliseconds, m_events->start, m_events->end);
            times.event_ns.push_back(static_cast<double>(milliseconds) * 1e6);
        }
    }
    thin(times.wall_ns);
    thin(times.event_ns);
    return times;
}

std::vector<double> CallClock::gpuBusy(int calls, std::uint64_t seed, const std::function<void()>& prepare,
                                       const std::function<PyRef()>& forward)
{
    ActivityCollection activity;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> windows;
    activity.start();
    for (int i = 0; i < calls; ++i) {
        prepare();
        at::manual_seed(seed);
        flushCaches();
        synchronise(m_device);
        const std::uint64_t from = activity.now_ns();
        const PyRef result = forward();
        synchronise(m_device);
        windows.emplace_back(from, activity.now_ns());
    }
    const std::vector<ActivityRecord> records = activity.stop();
    std::vector<double> busy;
    for (const auto& [from, to] : windows)
        busy.push_back(static_cast<double>(busyTime(records, from, to)));
    return busy;
}

} // namespace cudal1::judge
