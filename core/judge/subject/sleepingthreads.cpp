// SPDX-License-Identifier: GPL-3.0-or-later
// Threads that wait for their end.
#include "core/judge/subject/sleepingthreads.h"

#include <system_error>

namespace cudal1::judge {

SleepingThreads::~SleepingThreads()
{
    keep(0);
}

void SleepingThreads::keep(std::size_t count)
{
    {
        const std::lock_guard lock(m_lock);
        m_wanted = count;
    }
    m_change.notify_all();
    for (; m_threads.size() > count; m_threads.pop_back())
        m_threads.back().join();
    try {
        while (m_threads.size() < count)
            m_threads.emplace_back([this, place = m_threads.size()] {
                std::unique_lock lock(m_lock);
                m_change.wait(lock, [&] { return m_wanted <= place; });
            });
    } catch (const std::system_error&) { // the limit of processes; the witness counts how many there are
    }
}

} // namespace cudal1::judge
