// SPDX-License-Identifier: GPL-3.0-or-later
// What ran on the GPU and when, from CUPTI.
//
// One collection at a time a process; start() and stop() from the thread that launches. Timestamps are nanoseconds on
// CUPTI's clock. The collection costs some microseconds a launch, so timed rounds run without it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cudal1::judge {

struct ActivityRecord {
    enum class Kind { Kernel, Copy, Memset } kind = Kind::Kernel;
    std::uint64_t start_ns = 0, end_ns = 0;
    std::uint32_t stream = 0;
    std::string name; ///< of the kernel
};

class ActivityCollection {
public:
    /// Throws std::runtime_error when CUPTI refuses (another profiler holds it, no permission).
    void start();
    std::uint64_t now_ns() const; ///< on CUPTI's clock
    /// Waits for nothing: the device must be idle. Records come ordered by start.
    std::vector<ActivityRecord> stop();
};

/// Nanoseconds within [from, to] in which at least one record ran. Records must be ordered by start.
std::uint64_t busyTime(const std::vector<ActivityRecord>& records, std::uint64_t from, std::uint64_t to);

} // namespace cudal1::judge
