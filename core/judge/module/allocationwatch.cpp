// SPDX-License-Identifier: GPL-3.0-or-later
// A wrapper round the framework's CPU allocator.
#include "core/judge/module/allocationwatch.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <atomic>

namespace cudal1::judge {

namespace {

std::atomic<bool> allocationFailed{false};

class WatchedAllocator final : public c10::Allocator {
public:
    explicit WatchedAllocator(c10::Allocator* inner) : m_inner(inner) {}
    c10::DataPtr allocate(std::size_t bytes) override
    {
        try {
            return m_inner->allocate(bytes);
        } catch (...) {
            allocationFailed = true;
            throw;
        }
    }
    c10::DeleterFnPtr raw_deleter() const override { return m_inner->raw_deleter(); }
    void copy_data(void* to, const void* from, std::size_t bytes) const override { default_copy_data(to, from, bytes); }

private:
    c10::Allocator* m_inner;
};

} // namespace

void watchAllocations()
{
    static WatchedAllocator allocator(c10::GetCPUAllocator());
    c10::SetCPUAllocator(&allocator, 100);
}

bool ranOutOfMemory()
{
    return allocationFailed;
}

} // namespace cudal1::judge
