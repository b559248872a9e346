// SPDX-License-Identifier: GPL-3.0-or-later
// Threads that share short loops.
#include "core/decoder/team.h"

#include <algorithm>
#include <chrono>

namespace cudal1::decoder {

namespace {

constexpr std::uint64_t field = (1u << 20) - 1;
constexpr auto awake = std::chrono::microseconds(200); ///< before a thread without work sleeps

std::uint64_t piecesOf(std::uint64_t state)
{
    return state >> 20 & field;
}

void pause()
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

} // namespace

Team::Team(int threads)
{
    for (int i = 1; i < threads; ++i)
        m_threads.emplace_back([this, i] { serve(i); });
}

Team::~Team()
{
    m_ends = true;
    m_state += std::uint64_t{1} << 40;
    m_state.notify_all();
    for (std::thread& thread : m_threads)
        thread.join();
}

void Team::share(std::size_t count, std::size_t grain, Function function, const void* context)
{
    const std::size_t pieces = std::min<std::size_t>((count + grain - 1) / grain, field);
    grain = (count + pieces - 1) / pieces;
    m_done.store(0, std::memory_order_relaxed);
    m_function.store(function, std::memory_order_relaxed);
    m_context.store(context, std::memory_order_relaxed);
    m_count.store(count, std::memory_order_relaxed);
    m_grain.store(grain, std::memory_order_relaxed);
    const std::uint64_t loop = (m_state.load(std::memory_order_relaxed) >> 40) + 1;
    m_state.store(loop << 40 | static_cast<std::uint64_t>(pieces) << 20, std::memory_order_seq_cst);
    if (m_asleep.load(std::memory_order_seq_cst) > 0)
        m_state.notify_all();
    while (takePiece(0)) {}
    for (int spins = 0; m_done.load(std::memory_order_acquire) < pieces; ++spins) {
        if (spins < 2000)
            pause();
        else
            std::this_thread::yield(); // who has the last piece may want this core
    }
}

bool Team::takePiece(int thread)
{
    std::uint64_t state = m_state.load(std::memory_order_acquire);
    if ((state & field) >= piecesOf(state))
        return false;
    if (!m_state.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel))
        return true;
    const std::size_t count = m_count.load(std::memory_order_relaxed), grain = m_grain.load(std::memory_order_relaxed);
    const std::size_t begin = static_cast<std::size_t>(state & field) * grain;
    if (begin < count)
        m_function.load(std::memory_order_relaxed)(m_context.load(std::memory_order_relaxed), begin,
                                                   std::min(count, begin + grain), thread);
    m_done.fetch_add(1, std::memory_order_release);
    return true;
}

void Team::serve(int thread)
{
    auto idle = std::chrono::steady_clock::now();
    for (int spins = 0; !m_ends.load(std::memory_order_relaxed);) {
        if (takePiece(thread)) {
            idle = std::chrono::steady_clock::now();
            continue;
        }
        pause();
        if (++spins % 64 != 0 || std::chrono::steady_clock::now() - idle < awake)
            continue;
        m_asleep.fetch_add(1, std::memory_order_seq_cst);
        const std::uint64_t state = m_state.load(std::memory_order_seq_cst);
        if ((state & field) >= piecesOf(state) && !m_ends)
            m_state.wait(state, std::memory_order_acquire);
        m_asleep.fetch_sub(1, std::memory_order_relaxed);
        idle = std::chrono::steady_clock::now();
    }
}

} // namespace cudal1::decoder
