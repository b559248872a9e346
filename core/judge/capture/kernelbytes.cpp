// SPDX-License-Identifier: GPL-3.0-or-later
// Joins kernels with the operators that launched them.
#include "core/judge/capture/kernelbytes.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace cudal1::judge {

namespace {

/// Kernels of the framework's iterator over tensors: every element of every operand once.
bool movesEachElementOnce(std::string_view kernel)
{
    constexpr std::array<std::string_view, 4> names = {"at::native::vectorized_elementwise_kernel<",
                                                       "at::native::unrolled_elementwise_kernel<",
                                                       "at::native::elementwise_kernel<", "at::native::reduce_kernel<"};
    return std::any_of(names.begin(), names.end(),
                       [&](std::string_view name) { return kernel.find(name) != std::string_view::npos; });
}

/// Operators of one thread with what they lie in.
class Nesting {
public:
    void add(const OperatorRecord& record) { m_operators.push_back(&record); }

    void sort()
    {
        std::sort(m_operators.begin(), m_operators.end(), [](const OperatorRecord* a, const OperatorRecord* b) {
            return std::pair(a->start_ns, -a->end_ns) < std::pair(b->start_ns, -b->end_ns);
        });
        m_parents.assign(m_operators.size(), none);
        std::size_t open = none;
        for (std::size_t i = 0; i < m_operators.size(); ++i) {
            while (open != none && m_operators[open]->end_ns <= m_operators[i]->start_ns)
                open = m_parents[open];
            m_parents[i] = open;
            open = i;
        }
    }

    /// The operators that run at a time, the innermost first.
    std::vector<const OperatorRecord*> at(std::int64_t time_ns) const
    {
        const auto after = std::upper_bound(
            m_operators.begin(), m_operators.end(), time_ns,
            [](std::int64_t time, const OperatorRecord* record) { return time < record->start_ns; });
        auto i = after == m_operators.begin() ? none : static_cast<std::size_t>(after - m_operators.begin()) - 1;
        std::vector<const OperatorRecord*> running;
        for (; i != none; i = m_parents[i])
            if (m_operators[i]->end_ns > time_ns)
                running.push_back(m_operators[i]);
        return running;
    }

private:
    static constexpr std::size_t none = ~std::size_t{0};
    std::vector<const OperatorRecord*> m_operators;
    std::vector<std::size_t> m_parents;
};

} // namespace

std::map<std::uint32_t, std::int64_t>
kernelBytes(const std::vector<OperatorRecord>& operators, const std::vector<ActivityRecord>& activity,
            const std::function<std::int64_t(std::uint64_t activity_ns)>& hostTime_ns)
{
    using Kind = ActivityRecord::Kind;
    std::map<std::int64_t, Nesting> threads;
    for (const OperatorRecord& record : operators)
        threads[record.thread].add(record);
    for (auto& [thread, nesting] : threads)
        nesting.sort();

    std::map<std::uint32_t, std::vector<const OperatorRecord*>>
        launchedBy; // correlation -> operators, the innermost first
    for (const ActivityRecord& record : activity) {
        if (record.kind != Kind::Runtime && record.kind != Kind::Driver)
            continue;
        const auto thread = threads.find(std::int64_t{record.thread});
        if (thread == threads.end())
            continue;
        // Its middle: clocks are brought together to about a microsecond, and operators follow each other.
        launchedBy.emplace(record.correlation,
                           thread->second.at(hostTime_ns(record.start_ns + (record.end_ns - record.start_ns) / 2)));
    }

    std::map<const OperatorRecord*, int> kernels; // of an operator and of those that it calls
    for (const ActivityRecord& record : activity)
        if (const auto launched = launchedBy.find(record.correlation);
            record.kind == Kind::Kernel && launched != launchedBy.end())
            for (const OperatorRecord* const running : launched->second)
                ++kernels[running];
    std::map<std::uint32_t, std::int64_t> bytes;
    for (const ActivityRecord& record : activity) {
        const auto launched = launchedBy.find(record.correlation);
        if (record.kind != Kind::Kernel || record.graph != 0 || launched == launchedBy.end() ||
            launched->second.empty() || !movesEachElementOnce(record.name))
            continue;
        const OperatorRecord* const owner = launched->second.front();
        if (kernels[owner] == 1)
            bytes.emplace(record.correlation, owner->moved_bytes);
    }
    return bytes;
}

} // namespace cudal1::judge
