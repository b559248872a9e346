// SPDX-License-Identifier: GPL-3.0-or-later
// A wrapper round the framework's CPU allocator.
#include "core/judge/witness/recycledmemory.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <mutex>

namespace cudal1::judge {

namespace {

constexpr std::size_t leastBytes = 1u << 20; // smaller blocks are the heap's own, which keeps them anyway

std::atomic<int> freshOnes{0}; // FreshMemory that lives

class RecyclingAllocator final : public c10::Allocator {
public:
    RecyclingAllocator(c10::Allocator* inner, std::size_t most) : m_inner(inner), m_most(most) {}

    c10::DataPtr allocate(std::size_t bytes) override
    {
        if (bytes < leastBytes || bytes > m_most || freshOnes > 0)
            return m_inner->allocate(bytes);
        void* data = take(bytes);
        if (!data)
            data = fresh(bytes);
        const std::lock_guard lock(m_mutex);
        m_sizes[data] = bytes;
        return {data, data, &release, c10::Device(c10::DeviceType::CPU)};
    }

    c10::DeleterFnPtr raw_deleter() const override { return &release; }
    void copy_data(void* to, const void* from, std::size_t bytes) const override { default_copy_data(to, from, bytes); }

    static RecyclingAllocator* theOne;

private:
    struct Kept {
        void* data;
        std::size_t bytes;
    };

    /// The block of this size that was freed last, whose pages may still be in a cache.
    void* take(std::size_t bytes)
    {
        const std::lock_guard lock(m_mutex);
        const auto found = std::find_if(m_kept.rbegin(), m_kept.rend(),
                                        [bytes](const Kept& kept) { return kept.bytes == bytes; });
        if (found == m_kept.rend())
            return nullptr;
        void* data = found->data;
        m_keptBytes -= bytes;
        m_kept.erase(std::next(found).base());
        return data;
    }

    void* fresh(std::size_t bytes)
    {
        try {
            return c10::alloc_cpu(bytes);
        } catch (const c10::Error&) {
            giveBack(0);
            return c10::alloc_cpu(bytes);
        }
    }

    /// To the system, the oldest first, until no more than this is kept.
    void giveBack(std::size_t most)
    {
        std::deque<Kept> gone;
        {
            const std::lock_guard lock(m_mutex);
            while (m_keptBytes > most) {
                m_keptBytes -= m_kept.front().bytes;
                gone.push_back(m_kept.front());
                m_kept.pop_front();
            }
        }
        for (const Kept& kept : gone)
            c10::free_cpu(kept.data);
    }

    static void release(void* data)
    {
        RecyclingAllocator& own = *theOne;
        {
            const std::lock_guard lock(own.m_mutex);
            const auto found = own.m_sizes.find(data);
            if (found != own.m_sizes.end()) {
                own.m_kept.push_back({data, found->second});
                own.m_keptBytes += found->second;
                own.m_sizes.erase(found);
                data = nullptr;
            }
        }
        if (data)
            own.m_inner->raw_deleter()(data);
        else
            own.giveBack(own.m_most);
    }

    c10::Allocator* m_inner;
    const std::size_t m_most;
    std::mutex m_mutex;
    std::map<void*, std::size_t> m_sizes; ///< of blocks that are in use
    std::deque<Kept> m_kept;              ///< freed, the oldest first
    std::size_t m_keptBytes = 0;
};

RecyclingAllocator* RecyclingAllocator::theOne = nullptr;

} // namespace

void recycleMemory(std::size_t most)
{
    if (RecyclingAllocator::theOne)
        return;
    // Never destroyed: tensors are freed until the process ends.
    RecyclingAllocator::theOne = new RecyclingAllocator(c10::GetCPUAllocator(), most);
    c10::SetCPUAllocator(RecyclingAllocator::theOne, 100);
}

FreshMemory::FreshMemory()
{
    ++freshOnes;
}

FreshMemory::~FreshMemory()
{
    --freshOnes;
}

} // namespace cudal1::judge
