// SPDX-License-Identifier: GPL-3.0-or-later
// A few threads that share the work of very short loops.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace cudal1::decoder {

/// A step of a small model is some hundred loops of a few microseconds each, so the threads wait for the next one
/// awake for a moment before they sleep. A thread that the system keeps waiting delays nobody: the others do its share.
/// One thread at a time may call run().
class Team {
public:
    explicit Team(int threads); ///< the caller's counts
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    int size() const { return static_cast<int>(m_threads.size()) + 1; }

    /// Calls work(begin, end, thread) for pieces of [0, count) of about `grain`, and returns when all are done.
    /// `thread` is below size() and belongs to one piece at a time. `work` must not throw.
    template<class Work> void run(std::size_t count, std::size_t grain, const Work& work)
    {
        if (count <= grain || m_threads.empty()) {
            if (count > 0)
                work(std::size_t{0}, count, 0);
            return;
        }
        const Function function = [](const void* context, std::size_t begin, std::size_t end, int thread) {
            (*static_cast<const Work*>(context))(begin, end, thread);
        };
        share(count, grain, function, &work);
    }

private:
    using Function = void (*)(const void* context, std::size_t begin, std::size_t end, int thread);

    void share(std::size_t count, std::size_t grain, Function function, const void* context);
    bool takePiece(int thread); ///< false where none is left
    void serve(int thread);

    std::vector<std::thread> m_threads;
    /// Number of the loop (24 bits), its pieces (20), the next one to take (20): a piece is taken by one exchange,
    /// which fails once another loop has begun, so that what the loop is made of stays as it is while a piece is at
    /// work.
    std::atomic<std::uint64_t> m_state{0};
    std::atomic<std::size_t> m_done{0};
    std::atomic<int> m_asleep{0};
    std::atomic<bool> m_ends{false};
    std::atomic<Function> m_function{nullptr};
    std::atomic<const void*> m_context{nullptr};
    std::atomic<std::size_t> m_count{0};
    std::atomic<std::size_t> m_grain{1};
};

} // namespace cudal1::decoder
