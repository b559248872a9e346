// SPDX-License-Identifier: GPL-3.0-or-later
// Times calls of one subject: each from an idle device to an idle device, on inputs that no call had before, caches
// flushed before it.
#pragma once

#include "core/judge/devicekernels.h"
#include "core/judge/torchsupport.h"

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace cudal1::judge {

struct RoundPlan {
    bool first = false;                  ///< of its subject and measurement: begins without free memory of the framework
    std::int64_t settle_ns = 0;          ///< calls thrown away until their time is steady, for at most so long
    std::int64_t warmup_ns = 5'000'000;  ///< calls that are thrown away: at least one, for at least so long; none when negative
    std::int64_t duration_ns = 30'000'000; ///< of the timed part, flushes included; at least `minCalls`
    int minCalls = 1;
    int maxCalls = 10'000;
    int core = -1;                       ///< pins the thread for the round; -1 leaves it alone
    std::uint64_t seed = 0;              ///< the framework's generators before each call
};

/// What happens around each call of a round. Indices count all calls of a round, thrown away or not.
class TimedCalls {
public:
    virtual ~TimedCalls() = default;
    /// New arguments, then fresh bytes in the inputs, after which nothing of the candidate's runs before the clock; outside of the timed interval.
    virtual void prepare(std::uint64_t index) = 0;
    /// The last change to the inputs before the clock starts, after caches were flushed.
    virtual void finishInputs(std::uint64_t index) = 0;
    virtual PyRef forward() = 0;
    /// forward has returned, the device may still work. True when this call serves a check and is no sample of time.
    virtual bool returned(std::uint64_t index, const PyRef& result, double lastCall_ns) = 0;
    /// The clock has stopped, the device is idle.
    virtual void drained(std::uint64_t index, const PyRef& result) = 0;
    /// The result is about to be freed.
    virtual void releasing(std::uint64_t index, const PyRef& result) = 0;
};

/// Samples in the order of the calls; at most 256, evenly chosen, of a longer round.
struct RoundTimes {
    std::vector<double> wall_ns;
    std::vector<double> event_ns; ///< on the caller's current stream; empty on the CPU
};

/// Seed of the framework's generators for one call of a sequence: no two calls have the same.
std::uint64_t callSeed(std::uint64_t seed, std::uint64_t index);

/// The device was said to be idle while the caller's stream was still at work.
struct NotDrained : std::runtime_error {
    NotDrained() : std::runtime_error("waiting for the device returned before its work was done") {}
};

class CallClock {
public:
    explicit CallClock(c10::Device device);
    ~CallClock();

    /// What the calls throw passes through.
    RoundTimes run(const RoundPlan& plan, TimedCalls& calls);

    struct Activity {
        std::vector<double> busy_ns;             ///< of each call
        std::map<std::string, int> kernels;      ///< launched in the last call, by name
    };
    /// What ran on the GPU in `count` calls (CUPTI). Launches of this process are slower ever after, so nothing is timed
    /// in it later. Throws std::runtime_error without CUPTI.
    Activity observe(int count, std::uint64_t seed, TimedCalls& calls);

    void flushCaches();

private:
    struct Events;
    void settle(const RoundPlan& plan, TimedCalls& calls, std::uint64_t& index);
    /// One call that is thrown away; its wall time.
    std::int64_t discarded(const RoundPlan& plan, TimedCalls& calls, std::uint64_t index);

    c10::Device m_device;
    at::Tensor m_flush; ///< larger than the last-level cache
    std::unique_ptr<Events> m_events;
};

} // namespace cudal1::judge
