// SPDX-License-Identifier: GPL-3.0-or-later
// A subject as the witness has it in hand: its page, the means to stop it, its results as they lie in its memory.
#pragma once

#include "core/judge/module/arena.h"
#include "core/judge/module/torchsupport.h"
#include "core/judge/sandbox/freezer.h"
#include "core/judge/wire/handover.h"
#include "core/judge/witness/pinnedpool.h"

#include <map>
#include <memory>
#include <optional>

namespace cudal1::judge {

class DrivenSubject {
public:
    /// `page` is the file of its page, which stays the caller's.
    DrivenSubject(int page, const Attach& attach, const c10::Device& device, bool spins);
    DrivenSubject(const DrivenSubject&) = delete;
    DrivenSubject& operator=(const DrivenSubject&) = delete;
    ~DrivenSubject();

    Steps& steps() { return m_steps; }
    void freeze(); ///< throws std::runtime_error when it does not stop
    void thaw() { m_freezer->thaw(); }
    /// By a control group in some ten microseconds; by signals it takes longer, the more so the more processes there are.
    bool freezesQuickly() const { return m_freezer->place().kind != "signals"; }

    /// The results of the last call, copied into the witness's memory; each has the shape and type of its spec, in whatever
    /// order of elements. On a GPU in the order of the current stream, and up to a few MiB on the host: the copy engine brings them there
    /// and leaves the device with the subject. `opened`: an allocation was new to this process, which takes a while. Throws Unreadable.
    std::vector<at::Tensor> results(const std::vector<TensorSpec>& outputs, const Arena& arena, bool& opened);
    /// The places of the last results, to read them again later.
    std::vector<ResultPlace> places(std::size_t count);
    std::vector<at::Tensor> read(const std::vector<ResultPlace>& places, const std::vector<TensorSpec>& outputs, const Arena& arena, bool& opened);
    /// Overwrites some bytes of the last results, at a place that nobody can foresee, where they lie, as a caller may who has got them: on the CPU while the process is stopped, on a GPU in
    /// the order of the current stream. Leaves alone what is memory of an input or a weight.
    void spoil(const std::vector<TensorSpec>& outputs, const Arena& arena);
    void forgetAllocations(); ///< which the subject may free from now on

    void pin(int core); ///< its main thread, for as long as this lives or until the next pin; -1 gives it back what it had
    /// Nanoseconds that its main thread was ready to run and had no core, so far; 0 where the kernel does not tell.
    double waited_ns() const;

    /// It says that its results lie where nobody can read them.
    struct Unreadable : std::runtime_error {
        using std::runtime_error::runtime_error;
    };

private:
    void* opened(const ResultPlace& place, bool& isNew);
    std::byte* addressOf(const ResultPlace& place, const TensorSpec& spec, bool& isNew); ///< of what lies in an allocation of a device
    /// `landing`: memory of the host that it goes to, from `offset`; undefined for memory of the device's.
    at::Tensor copyOf(const ResultPlace& place, const TensorSpec& spec, const Arena& arena, const at::Tensor& landing, std::size_t offset, bool& opened);

    Steps m_steps;
    int m_process;
    c10::Device m_device;
    std::shared_ptr<Freezer> m_freezer;
    std::map<std::pair<std::uint64_t, std::array<std::uint8_t, 64>>, void*> m_opened;
    PinnedPool m_landings;
    std::optional<std::string> m_coresBefore; ///< bytes of a cpu_set_t
};

} // namespace cudal1::judge
