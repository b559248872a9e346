// SPDX-License-Identifier: GPL-3.0-or-later
// One call of a subject, from inputs that it has not seen to results that it can no longer change, with the clock outside of it.
//
// On the CPU the subject is stopped while inputs are written and while results are read. On a GPU it makes the device its own, the
// inputs are sent by the copy engine (which takes the device from nobody) while it waits, and the clock starts; results are copied by
// this process at once, and how long the device lets it wait for that shows whether the call was over. docs/measuring.md has the reasons and docs/threats.md what that leaves.
#pragma once

#include "core/judge/module/cacheflush.h"
#include "core/judge/witness/drivensubject.h"

#include <functional>

namespace cudal1::judge {

class Driver {
public:
    /// Asked while a subject is waited for, with the seconds that it has taken so far: an Ending to give up with, or empty.
    using Patience = std::function<Ending(double seconds)>;

    Driver(const c10::Device& device, const Arena& arena, const Layout& layout, CacheFlush& flush);

    struct Plan {
        std::uint32_t readyFlags = 0, callFlags = 0; ///< StepFlag
        std::uint64_t seed = 0;
        bool flush = true; ///< empty caches before the call
        int probes = 0;     ///< on a GPU: how often to see whether somebody is at work on the device before the inputs are there
        bool peek = false;  ///< on a GPU: see that when they have just come, and make no call
        bool read = true;  ///< take the results; on a GPU they are always taken
    };
    struct Call {
        double wall_ns = 0;
        double ready_ns = 0;
        double tail_ns = 0;  ///< on a GPU: from the call's end until the results had been copied
        std::vector<double> probe_ns;
        double peek_ns = 0; ///< 0 without
        bool opened = false; ///< something was done for the first time: its time tells nothing
        std::vector<at::Tensor> results; ///< empty when they were not asked for
        bool inputsChanged = false; ///< after the call the shared inputs were not what they had been; asked for with `results`
    };
    /// Empty, and `out` filled; or why not. On the CPU the subject is left stopped. Throws DrivenSubject::Unreadable.
    Ending run(DrivenSubject& subject, const Plan& plan, const std::vector<at::Tensor>& inputs, const Patience& patience, Call& out);
    /// A step without a call, on the same way: nanoseconds.
    Ending runEmpty(DrivenSubject& subject, const Patience& patience, double& wall_ns);
    /// Puts something on the device and waits for it: how long that takes tells whether somebody else is at work there. 0 on the CPU.
    double probe();
    /// Says that the steps are over; the subject goes on with its own.
    void finish(DrivenSubject& subject) noexcept;

private:
    struct Chunk {
        std::size_t offset = 0, bytes = 0;
    };
    Ending await(DrivenSubject& subject, const Patience& patience);
    Ending ready(DrivenSubject& subject, std::uint32_t flags, const Patience& patience);
    void write(const std::vector<at::Tensor>& inputs); ///< all, or on a GPU all but what is sent last
    void send();                                       ///< that last part
    bool changed(const std::vector<at::Tensor>& inputs) const;
    std::vector<at::Tensor> views() const;

    c10::Device m_device;
    const Arena& m_arena;
    const Layout& m_layout;
    CacheFlush& m_flush;
    at::Tensor m_staging; ///< on the host, pinned
    std::vector<Chunk> m_chunks;
};

/// Nanoseconds of a clock that nobody can set.
double clock_ns();

} // namespace cudal1::judge
