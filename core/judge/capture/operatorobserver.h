// SPDX-License-Identifier: GPL-3.0-or-later
// Which operators of the framework ran when, on every thread of this process, from the framework's own observers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cudal1::judge {

/// The clock of every host time in a timeline: CLOCK_MONOTONIC, in nanoseconds.
std::int64_t hostNow_ns();
std::int64_t hostThread(); ///< the system's id of the calling thread

struct OperatorRecord {
    std::int64_t start_ns = 0, end_ns = 0;
    std::int64_t thread = 0;
    bool userScope = false; ///< named by the module's own code (record_function)
    std::string name;
    std::string shapes;           ///< of the first tensors among the inputs: "[64, 256] [256]"
    std::int64_t moved_bytes = 0; ///< of the tensors on a GPU that it reads and of those that it writes, each once;
                                  ///< lists of tensors are left out
};

/// Records from its construction to its end; one at a time a process.
class OperatorObserver {
public:
    static constexpr std::size_t maxRecords = 500'000;

    OperatorObserver();
    OperatorObserver(const OperatorObserver&) = delete;
    OperatorObserver& operator=(const OperatorObserver&) = delete;
    ~OperatorObserver();

    /// What has ended so far, of all threads, in no order.
    std::vector<OperatorRecord> take();
    std::size_t lost() const; ///< beyond maxRecords

    /// The judge's own work on this thread: not recorded while one lives.
    class Pause {
    public:
        Pause();
        Pause(const Pause&) = delete;
        Pause& operator=(const Pause&) = delete;
        ~Pause();

    private:
        bool m_before;
    };

private:
    std::uint64_t m_handle;
};

} // namespace cudal1::judge
