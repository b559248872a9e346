// SPDX-License-Identifier: GPL-3.0-or-later
// Times calls of one subject: each from an idle device to an idle device, caches flushed before it.
#pragma once

#include "core/judge/torchsupport.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace cudal1::judge {

struct RoundPlan {
    std::int64_t warmup_ns = 5'000'000;  ///< calls that are thrown away: at least one, for at least so long; none when negative
    std::int64_t duration_ns = 30'000'000; ///< of the timed part, flushes included; at least `minCalls`
    int minCalls = 1;
    int maxCalls = 10'000;
    int core = -1;                       ///< pins the thread for the round; -1 leaves it alone
    std::uint64_t seed = 0;              ///< the framework's generators before each call
};

/// Samples in the order of the calls; at most 256, evenly chosen, of a longer round.
struct RoundTimes {
    std::vector<double> wall_ns;
    std::vector<double> event_ns; ///< on the caller's current stream; empty on the CPU
    PyRef last;                   ///< result of the last call
};

class CallClock {
public:
    explicit CallClock(c10::Device device);
    ~CallClock();

    /// `prepare` makes the arguments, outside of the timed interval; `forward` does one call and returns its result.
    /// What they throw passes through.
    RoundTimes run(const RoundPlan& plan, const std::function<void()>& prepare, const std::function<PyRef()>& forward);

    /// Busy time of each of `calls` calls (CUPTI), in nanoseconds; GPU only. Throws std::runtime_error without CUPTI.
    std::vector<double> gpuBusy(int calls, std::uint64_t seed, const std::function<void()>& prepare,
                                const std::function<PyRef()>& forward);

private:
    struct Events;
    void flushCaches();

    c10::Device m_device;
    at::Tensor m_flush; ///< larger than the last-level cache
    std::unique_ptr<Events> m_events;
};

} // namespace cudal1::judge
