// SPDX-License-Identifier: GPL-3.0-or-later
// One call of a subject, from inputs that it has not seen to results that it can no longer change, with the clock outside of it.
//
// On the CPU the subject is stopped while inputs are written and while results are read. On a GPU it makes the device its own, the
// inputs are sent by the copy engine (which takes the device from nobody) while it waits, and the clock starts; results are copied by
// this process at once, and how long the device lets it wait for that shows whether the call was over. docs/measuring/time.md has the reasons and docs/threats.md what that leaves.
#pragma once

#include "core/judge/module/cacheflush.h"
#include "core/judge/witness/drivensubject.h"
#include "core/judge/witness/inputsender.h"

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
        bool flush = true; ///< empty caches before the call, from here
        int probes = 0;     ///< on a GPU: how often to see whether somebody is at work on the device before the inputs are there
        bool peek = false;  ///< on a GPU: see that when they have just come, and make no call
        bool read = true;  ///< take the results; on a GPU they are always taken
    };
    struct Call {
        double wall_ns = 0;
        double ready_ns = 0;
        double tail_ns = 0;  ///< on a GPU: from the call's end until the results had been copied
        std::vector<double> probe_ns;
        double peek_ns = 0;  ///< 0 without
        double flush_ns = 0; ///< on a GPU: to empty its caches, which waits for others who are at work there
        bool opened = false; ///< something was done for the first time: its time tells nothing
        std::vector<at::Tensor> results; ///< empty when they were not asked for
        bool inputsChanged = false; ///< after the call the shared inputs were not what they had been; asked for with `results`
        at::Tensor inputsAfter; ///< on a GPU, where that is not known yet: see changed()
    };
    /// How many calls' inputs can lie ready: making them takes the device, so that many are made at once.
    std::size_t callsAhead() const { return m_sender ? m_sender->slots() : 1; }
    /// Lays inputs ready for the calls that name this slot, where that can be done ahead; enqueued on the current stream.
    void lay(std::size_t slot, const std::vector<at::Tensor>& inputs);
    /// A call on inputs that were laid ready in `slot`. Empty, and `out` filled; or why not. On the CPU the subject is left stopped.
    /// Throws DrivenSubject::Unreadable.
    Ending run(DrivenSubject& subject, const Plan& plan, const std::vector<at::Tensor>& inputs, std::size_t slot, const Patience& patience, Call& out);
    /// Whether a call that left these shared inputs behind had changed them. Takes the device, which is why it is asked afterwards.
    bool changed(const at::Tensor& inputsAfter, const std::vector<at::Tensor>& inputs) const;
    /// A step without a call, on the same way: nanoseconds.
    Ending runEmpty(DrivenSubject& subject, const Patience& patience, double& wall_ns);
    /// Puts something on the device and waits for it: how long that takes tells whether somebody else is at work there. 0 on the CPU.
    double probe();
    /// Says that the steps are over; the subject goes on with its own.
    void finish(DrivenSubject& subject) noexcept;

private:
    Ending onCpu(DrivenSubject& subject, const Plan& plan, const std::vector<at::Tensor>& inputs, const Patience& patience, Call& out);
    Ending onGpu(DrivenSubject& subject, const Plan& plan, const std::vector<at::Tensor>& inputs, std::size_t slot, const Patience& patience, Call& out);
    Ending await(DrivenSubject& subject, const Patience& patience);
    Ending ready(DrivenSubject& subject, std::uint32_t flags, const Patience& patience);
    std::vector<at::Tensor> views() const;

    c10::Device m_device;
    const Arena& m_arena;
    const Layout& m_layout;
    CacheFlush& m_flush;
    std::unique_ptr<InputSender> m_sender; ///< on a GPU
};

/// Nanoseconds of a clock that nobody can set.
double clock_ns();

} // namespace cudal1::judge
