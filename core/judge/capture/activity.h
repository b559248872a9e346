// SPDX-License-Identifier: GPL-3.0-or-later
// What ran on the GPU and when, from CUPTI.
//
// One collection at a time a process; start() and stop() from the thread that launches. Timestamps are nanoseconds on
// CUPTI's clock. The collection costs some microseconds a launch, so timed rounds run without it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace cudal1::judge {

enum class ActivityLevel {
    Busy, ///< intervals of kernels, copies and memsets: what the busy clock needs
    Full, ///< all that a timeline shows; fills every field of a record
};

struct ActivityRecord {
    enum class Kind { Kernel, Copy, Memset, Runtime, Driver, Wait } kind = Kind::Kernel;
    std::uint64_t start_ns = 0, end_ns = 0;
    std::uint32_t stream = 0;
    std::string name; ///< of the kernel or call; at level Full also of the rest, and readable (demangled)

    // Level Full alone:
    std::uint32_t correlation = 0; ///< joins a call with what it put on the device
    std::uint32_t device = 0;
    std::uint32_t thread = 0; ///< Runtime and Driver: the system's id
    std::uint32_t graph = 0;  ///< CUDA graph that launched it; 0 for none
    std::uint64_t graphNode = 0;
    std::uint64_t bytes = 0; ///< Copy and Memset
    std::string detail;      ///< Copy: direction
    std::array<std::int32_t, 3> grid{}, block{};
    int registers = 0;
    std::int64_t staticShared_bytes = 0, dynamicShared_bytes = 0;
};

class ActivityCollection {
public:
    ActivityCollection() = default;
    ActivityCollection(const ActivityCollection&) = delete;
    ActivityCollection& operator=(const ActivityCollection&) = delete;
    ~ActivityCollection(); ///< ends a collection that was not stopped

    /// Throws std::runtime_error when CUPTI refuses (another profiler holds it, no permission).
    void start(ActivityLevel level = ActivityLevel::Busy);
    std::uint64_t now_ns() const; ///< on CUPTI's clock
    /// Waits for nothing: the device must be idle. Records come ordered by start.
    std::vector<ActivityRecord> stop();
    /// Records that found no room in CUPTI's buffers in the collection that was stopped last.
    std::size_t lost() const { return m_lost; }

private:
    void disable();

    ActivityLevel m_level = ActivityLevel::Busy;
    bool m_running = false;
    std::size_t m_lost = 0;
};

/// Nanoseconds within [from, to] in which at least one record ran. Records must be ordered by start, and be of kernels,
/// copies and memsets alone.
std::uint64_t busyTime(const std::vector<ActivityRecord>& records, std::uint64_t from, std::uint64_t to);

} // namespace cudal1::judge
