// SPDX-License-Identifier: GPL-3.0-or-later
// Threads that only sleep, so that the timed reference has as many as a candidate has.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace cudal1::judge {

/// Used from one thread. The destructor ends the threads.
class SleepingThreads {
public:
    SleepingThreads() = default;
    SleepingThreads(const SleepingThreads&) = delete;
    SleepingThreads& operator=(const SleepingThreads&) = delete;
    ~SleepingThreads();

    /// Starts or ends threads until there are `count`, or as many as the system allows. Returns when the others have
    /// ended.
    void keep(std::size_t count);

private:
    std::mutex m_lock;
    std::condition_variable m_change;
    std::size_t m_wanted = 0; ///< guarded by m_lock: the threads from this place on end
    std::vector<std::thread> m_threads;
};

} // namespace cudal1::judge
