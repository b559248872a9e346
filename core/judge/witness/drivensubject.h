// SPDX-License-Identifier: GPL-3.0-or-later
// The witness's end of a subject: it hands over steps, stops the subject, and reads its results where they lie in the
// subject's memory.
#pragma once

#include "core/judge/module/arena.h"
#include "core/judge/module/torchsupport.h"
#include "core/judge/sandbox/freezer.h"
#include "core/judge/wire/handover.h"
#include "core/judge/witness/pinnedpool.h"
#include "core/judge/witness/threadschedule.h"

#include <map>
#include <memory>
#include <optional>

namespace cudal1::judge {

/// Whether a result at this place lies in memory that is the caller's from then on: not where it is an input, or where
/// the reference's is a weight.
bool isCallers(const ResultPlace& place, const TensorSpec& spec);

/// Used from the witness's main thread.
class DrivenSubject {
public:
    /// `page` is the file of the subject's handover page; it stays the caller's. `spins`: the witness waits for answers
    /// without sleeping.
    DrivenSubject(int page, const Attach& attach, const c10::Device& device, bool spins);
    DrivenSubject(const DrivenSubject&) = delete;
    DrivenSubject& operator=(const DrivenSubject&) = delete;
    ~DrivenSubject();

    Steps& steps() { return m_steps; }
    /// Returns when all its processes have stopped; throws std::runtime_error when they have not in two seconds.
    void freeze();
    void thaw() { m_freezer->thaw(); }
    std::optional<double> used_ns() const { return m_freezer->used_ns(); } ///< as Freezer has it
    /// Whether the time of a call includes what the freeze() after it took. It does where a control group stops the
    /// subject, in some ten microseconds. By signals its own process stops as soon, but to make sure of that takes
    /// longer; that counts only where other processes were still at work, or its own one was.
    bool stoppingCounts() const { return m_freezer->place().kind != "signals" || m_freezer->foundOthers(); }

    /// Where the results of the last call lie, as the subject says. On a GPU it can say something else at any time, so
    /// ask once for each call. Throws Unreadable when it names another number of results.
    std::vector<ResultPlace> places(std::size_t count);
    /// The results at these places, copied into the witness's memory. Each has the shape and type of its spec; its
    /// strides are the subject's. On a GPU the copies are enqueued on the current stream. Results of up to 4 MiB in all
    /// go to the host, through the copy engine, which leaves the device with the subject. `opened` becomes true when
    /// the witness had to map an allocation for the first time, which takes a while. Throws Unreadable.
    std::vector<at::Tensor> read(const std::vector<ResultPlace>& places, const ArenaLayout& layout, const Arena& arena,
                                 bool& opened);
    /// Overwrites each result at these places, in the memory where it lies. A caller may do that with a result that it
    /// has got. On the CPU all of it is overwritten, and the subject must be stopped. On a GPU it is up to 64 bytes of
    /// it, somewhere in it at random, and the write is enqueued on the current stream: the subject gets the device back
    /// sooner. Memory that is not the caller's is left alone. Throws Unreadable.
    void spoil(const std::vector<ResultPlace>& places, const ArenaLayout& layout, const Arena& arena);
    /// On the CPU, while the subject is stopped: whether this memory still holds what spoil() wrote to it, or is gone.
    /// A few lines of it are looked at, at random. So whoever writes a part of it is found in most calls.
    bool isAsSpoiled(const ResultPlace& place, std::size_t bytes, const Arena& arena) const;
    void forgetAllocations(); ///< unmaps the subject's device memory, so that the subject may free it

    /// Pins the subject's main thread to this core. -1 gives the thread back the cores that it had before; so does the
    /// destructor.
    void pin(int core);
    /// What the kernel's scheduler has counted for the subject since it was started; empty where the kernel does not
    /// tell. Processes that it has started do not count.
    struct Schedule {
        std::map<int, ThreadSchedule> threads; ///< by their numbers
        double ran_ns = 0;                     ///< CPU time of all threads
        double others_ns = 0;                  ///< CPU time of all threads but the main one
        /// The longest that a thread has waited since `before` beyond what its process's other threads, and the
        /// witness for `witness_ns`, have run meanwhile.
        double waitedSince_ns(const Schedule& before, double witness_ns) const;
    };
    Schedule schedule() const;
    int threads() const; ///< of its process; 0 where the kernel does not tell

    /// The results cannot be read, or may not be used, where the subject says that they lie.
    struct Unreadable : std::runtime_error {
        using std::runtime_error::runtime_error;
    };

private:
    double cpu_ns() const; ///< of its process, all threads together; -1 where the kernel does not tell
    void* opened(const ResultPlace& place, bool& isNew); ///< the start of that device allocation, mapped here
    std::byte* addressOf(const ResultPlace& place, const TensorSpec& spec, bool& isNew); ///< of a result in it
    // As spoil() does on the CPU and on a GPU. `inArena` is where the result lies there; null where it lies elsewhere.
    void spoilAll(std::byte* inArena, const ResultPlace& place, const TensorSpec& spec);
    void spoilLine(std::byte* inArena, const ResultPlace& place, const TensorSpec& spec);
    /// Copies one result to `landing` (pinned host memory), from byte `offset` on, or to new device memory where
    /// `landing` is undefined.
    at::Tensor copyOf(const ResultPlace& place, const TensorSpec& spec, const Arena& arena, const at::Tensor& landing,
                      std::size_t offset, bool& opened);

    Steps m_steps;
    int m_process;
    c10::Device m_device;
    std::shared_ptr<Freezer> m_freezer;
    /// Device allocations of the subject that are mapped here, by number and handle.
    std::map<std::pair<std::uint64_t, std::array<std::uint8_t, 64>>, void*> m_opened;
    PinnedPool m_landings;
    std::optional<std::string> m_coresBefore; ///< the cores before pin(), as the bytes of a cpu_set_t
};

} // namespace cudal1::judge
