// SPDX-License-Identifier: GPL-3.0-or-later
// Drives one call of a subject: from inputs that the subject has not seen to results that it can no longer change. The
// clock is read in this process, the witness.
//
// On the CPU the subject is stopped while its inputs are written and while its results are read.
//
// On a GPU the subject first puts a little work on the device, so that the device is switched to its process. Then the
// witness sends the inputs through the copy engine, which does not take the device from the subject, and starts the
// clock. When the subject answers, the witness copies the results at once: small ones through the copy engine, so that
// what was not written by then is wrong in the copy. After some calls it first asks for the device, which it gets when
// the kernels that are running have ended; the time until then (the tail) shows when the call was really over.
//
// docs/measuring/time.md gives the reasons, and docs/threats.md says what this leaves open.
#pragma once

#include "core/judge/module/cacheflush.h"
#include "core/judge/witness/drivensubject.h"
#include "core/judge/witness/inputsender.h"

#include <functional>

namespace cudal1::judge {

/// Used from the witness's main thread. Members throw std::runtime_error where CUDA fails or a subject does not stop.
class Driver {
public:
    /// Called now and then while the driver waits for a subject, with the seconds that this step has taken so far. It
    /// returns an Ending to give up with, or an empty one to go on waiting.
    using Patience = std::function<Ending(double seconds)>;

    /// Keeps references to `arena`, `layout` and `flush`, which must outlive it.
    Driver(const c10::Device& device, const Arena& arena, const ArenaLayout& layout, CacheFlush& flush);

    /// How one call is to be made.
    struct Plan {
        std::uint32_t readyFlags = 0; ///< bits of StepFlag that go with Step::Ready
        std::uint32_t callFlags = 0;  ///< bits of StepFlag that go with Step::Call
        std::uint64_t seed = 0;       ///< for the framework's generators
        bool flush = true;            ///< the witness empties the caches before the call
        int probes = 0;               ///< on a GPU: how many probes (see probe()) to make before the inputs are sent
        bool peek = false;   ///< on a GPU: make one probe right after the inputs were sent, and do not make the call
        bool decoy = false;  ///< on a GPU: send a part of the inputs wrongly first (InputSender::send)
        bool launch = false; ///< on a GPU: the least call instead (Step::Launch), without results
        bool tail = false;   ///< on a GPU: make one probe right after the answer, before the results are copied
        bool read = true;    ///< take the results and check the inputs; on a GPU results are always taken
        bool keepInputs = false; ///< with `read`: keep the inputs as they lie after the call (Call::inputsAfter)
        /// On the CPU: called when the subject is ready for the call and stands still.
        std::function<void()> whenReady = [] {};
    };
    /// What was seen of one call. Times are nanoseconds of clock_ns().
    struct Call {
        /// The call: until the answer is seen, on the CPU until all processes of the subject stand still. Making sure
        /// of that by signals takes too long: there the time ends with the answer, when its process is told to stop,
        /// but where more was at work (DrivenSubject::stoppingCounts).
        double wall_ns = 0;
        double ready_ns = 0; ///< from Step::Ready until the subject was ready; on the CPU until it stood still
        /// What all processes of the subject have worked meanwhile, on any core: the same where nobody tells. While a
        /// process waits for a core that others have, it prepares nothing.
        double wallWorked_ns = 0, readyWorked_ns = 0;
        int threads = 0;              ///< on the CPU: of its process, when it stood still before the call
        double tail_ns = 0;           ///< of the probe after the answer; 0 when there was none
        std::vector<double> probe_ns; ///< of each probe
        double peek_ns = 0;           ///< of the probe after the inputs; 0 when there was none
        double flush_ns = 0; ///< on a GPU: time to empty the caches; longer when another process has work on the device
        bool opened = false; ///< the witness had to map new memory for the results, so these times are no samples
        std::vector<ResultPlace> places; ///< where the results lie, as the subject says; empty after Plan::launch
        std::vector<at::Tensor> results; ///< one for each output; on the CPU empty unless Plan::read
        bool inputsChanged = false;      ///< the call has changed its shared inputs; only known with Plan::read
        /// The inputs as they lay in the arena after the call, with Plan::keepInputs; on a GPU also for changed(),
        /// where they are sent as a whole. Undefined when they were not read.
        at::Tensor inputsAfter;
    };
    /// For how many calls inputs can be staged ahead. Making inputs takes the device from the subject, so the inputs of
    /// that many calls are made at once.
    std::size_t callsAhead() const { return m_sender ? m_sender->slots() : 1; }
    /// Stages the inputs of the next call that names this slot. The copy is enqueued on the current stream. Does
    /// nothing on the CPU, and for inputs too large to be staged: run() writes those.
    void lay(std::size_t slot, const std::vector<at::Tensor>& inputs);
    /// Makes one call on inputs that were staged in `slot`. Returns an empty Ending and fills `out`, or returns why the
    /// call did not come to its end. After a call on the CPU the subject is left stopped. Throws
    /// DrivenSubject::Unreadable when the results cannot be read.
    Ending run(DrivenSubject& subject, const Plan& plan, const std::vector<at::Tensor>& inputs, std::size_t slot,
               const Patience& patience, Call& out);
    /// Whether `inputsAfter` (Call::inputsAfter) differs from the inputs that the call was given. This uses the device,
    /// so it is asked when the round is over. False for an undefined tensor.
    bool changed(const at::Tensor& inputsAfter, const std::vector<at::Tensor>& inputs) const;
    /// Hands over a step that does nothing, in the way a call is handed over, and measures it. Returns as run() does.
    Ending runEmpty(DrivenSubject& subject, const Patience& patience, double& wall_ns);
    /// Writes four bytes on the device and waits for them; returns the nanoseconds. They take longer when another
    /// process has work on the device. 0 on the CPU.
    double probe();
    /// Tells the subject that the steps are over, and unmaps the memory of its results. One that is stopped stays so:
    /// the supervisor lets it run when it takes the time of its last step.
    void finish(DrivenSubject& subject) noexcept;

private:
    Ending onCpu(DrivenSubject& subject, const Plan& plan, const std::vector<at::Tensor>& inputs,
                 const Patience& patience, Call& out);
    Ending onGpu(DrivenSubject& subject, const Plan& plan, const std::vector<at::Tensor>& inputs, std::size_t slot,
                 const Patience& patience, Call& out);
    Ending await(DrivenSubject& subject, const Patience& patience);
    Ending ready(DrivenSubject& subject, std::uint32_t flags, const Patience& patience);
    std::vector<at::Tensor> views() const; ///< of the shared inputs
    at::Tensor copyOfInputs() const;       ///< all their bytes, as they lie in the arena

    c10::Device m_device;
    const Arena& m_arena;
    const ArenaLayout& m_layout;
    CacheFlush& m_flush;
    std::unique_ptr<InputSender> m_sender; ///< on a GPU
};

/// Nanoseconds of CLOCK_MONOTONIC_RAW, which nobody can set or slow down.
double clock_ns();

} // namespace cudal1::judge
