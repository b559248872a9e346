// SPDX-License-Identifier: GPL-3.0-or-later
// Handing over by words of shared memory, and by futexes where a side sleeps.
#include "core/judge/wire/handover.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>

namespace cudal1::judge {

namespace {

static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

/// Shared between processes, so none of the futex calls that are private to one.
void sleepWhile(std::atomic<std::uint32_t>& word, std::uint32_t value, long atMost_ns)
{
    const timespec limit{atMost_ns / 1'000'000'000, atMost_ns % 1'000'000'000};
    ::syscall(SYS_futex, &word, FUTEX_WAIT, value, &limit, nullptr, 0);
}

void wake(std::atomic<std::uint32_t>& word)
{
    ::syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void pause()
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/// Runs `over` until it says true, for at most so long. True when it did.
template<typename Over> bool spin(std::chrono::nanoseconds atMost, const Over& over)
{
    constexpr int between = 64; // looks at the clock
    const auto until = std::chrono::steady_clock::now() + atMost;
    for (;;) {
        for (int i = 0; i < between; ++i) {
            if (over())
                return true;
            pause();
        }
        if (std::chrono::steady_clock::now() > until)
            return false;
    }
}

} // namespace

int Handover::makeFile()
{
    const int file = ::memfd_create("cudal1-handover", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file >= 0 &&
        (::ftruncate(file, bytes) != 0 || ::fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)) {
        ::close(file);
        return -1;
    }
    return file;
}

Handover::Handover(int file)
{
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED)
        throw std::runtime_error(std::string("mapping a handover page: ") + std::strerror(errno));
    m_page = static_cast<HandoverPage*>(memory); // zeros are what an empty page is
}

Handover::~Handover()
{
    ::munmap(m_page, bytes);
}

void Steps::tell(Step step, std::uint32_t flags, std::uint64_t seed)
{
    HandoverPage& page = m_handover.page();
    page.step = step;
    page.flags = flags;
    page.seed = seed;
    page.witnessSleeps.store(m_spins ? 0 : 1, std::memory_order_relaxed);
    page.turn.store(++m_turn, std::memory_order_seq_cst);
    if (page.subjectSleeps.load(std::memory_order_seq_cst))
        wake(page.turn);
}

bool Steps::await(const std::function<bool()>& patience)
{
    constexpr std::chrono::milliseconds shortWait(1);
    constexpr long slice_ns = 20'000'000;
    HandoverPage& page = m_handover.page();
    const auto answered = [&] { return page.answered.load(std::memory_order_acquire) == m_turn; };
    if (m_spins) {
        while (!spin(shortWait, answered))
            if (!patience())
                return false;
        return true;
    }
    for (auto asked = std::chrono::steady_clock::now(); !answered();) {
        const std::uint32_t before = page.answered.load(std::memory_order_acquire);
        if (before == m_turn)
            break;
        sleepWhile(page.answered, before, slice_ns);
        if (const auto now = std::chrono::steady_clock::now(); now - asked > shortWait) {
            asked = now;
            if (!answered() && !patience())
                return false;
        }
    }
    return true;
}

Step Turns::next()
{
    constexpr std::chrono::milliseconds awake(2);
    constexpr long slice_ns = 1'000'000'000;
    HandoverPage& page = m_handover.page();
    const auto told = [&] { return page.turn.load(std::memory_order_acquire) != m_seen; };
    if (page.witnessSleeps.load(std::memory_order_relaxed) || !spin(awake, told)) {
        page.subjectSleeps.store(1, std::memory_order_seq_cst);
        while (!told())
            sleepWhile(page.turn, m_seen, slice_ns);
        page.subjectSleeps.store(0, std::memory_order_relaxed);
    }
    m_seen = page.turn.load(std::memory_order_acquire);
    return page.step;
}

void Turns::answer(bool failed)
{
    HandoverPage& page = m_handover.page();
    page.failed = failed ? 1 : 0;
    page.answered.store(m_seen, std::memory_order_release);
    if (page.witnessSleeps.load(std::memory_order_relaxed))
        wake(page.answered);
}

} // namespace cudal1::judge
