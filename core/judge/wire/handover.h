// SPDX-License-Identifier: GPL-3.0-or-later
// A page of memory over which the witness hands a call to a subject and gets it back, within half a microsecond.
//
// The witness holds the clock: it writes a step, reads its clock, and reads it again when it sees the answer. Between
// those two readings nothing but the step happens. The subject's side of the page can be written by whatever runs in
// the subject, so what stands there is a claim: that a step was answered, and where its results lie. The witness copies
// it out once and checks it.
//
// Each subject has a page of its own, a sealed memory file of which no other subject has a descriptor.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace cudal1::judge {

/// What the witness asks of a subject.
enum class Step : std::uint32_t {
    None,
    Ready, ///< let go of the last result, make the arguments; on a GPU: have the device at hand. Off the clock.
    Call,  ///< one forward, and where its results lie. On the clock.
    Empty, ///< nothing: what handing over takes
    End,   ///< the steps are over
    /// On a GPU, of the reference alone: the least that a call can be, all that stands around a forward, which is a
    /// function in C that launches a kernel that does nothing.
    Launch,
};

/// Bits that go with a step.
enum StepFlag : std::uint32_t {
    SeedFirst = 1, ///< seed the framework's generators with `seed`; where the reference draws from them
    InOrder = 2, ///< copy the results to the arena in the order of the caller's stream, before the device is waited for
    Copied = 4,  ///< copy the results to the arena, on the clock: the witness cannot read them where they lie
    Hold = 8,    ///< with Step::Ready: keep the last results until the next call has been made
    Flush = 16,  ///< with Step::Ready, on a GPU: empty the device's caches
};

/// Where one result lies.
struct ResultPlace {
    enum class Kind : std::uint32_t {
        Arena,  ///< at `offset` of the shared memory
        Memory, ///< at `offset`, an address of the subject's process
        Device, ///< at `offset` of the allocation that `handle` names between processes
    };
    Kind kind = Kind::Arena;
    std::uint32_t dense = 1; ///< 0: the elements stand in the order of `strides`, without gaps all the same
    std::uint64_t offset = 0;
    std::uint64_t allocation = 0; ///< Device: a number that tells one allocation from another at the same address
    std::array<std::uint8_t, 64> handle{};
    std::array<std::int64_t, 8> strides{};
};

inline constexpr std::size_t mostPlaces = 64; ///< results of more tensors go through the arena

struct HandoverPage {
    // Written by the witness.
    alignas(64) std::atomic<std::uint32_t> turn{0}; ///< counts steps; a new number is a new step
    std::atomic<std::uint32_t> witnessSleeps{0};    ///< the answer must wake it
    Step step = Step::None;
    std::uint32_t flags = 0;
    std::uint64_t seed = 0;
    // Written by the subject.
    alignas(64) std::atomic<std::uint32_t> answered{0}; ///< the number of the step that was answered
    std::atomic<std::uint32_t> subjectSleeps{0};        ///< the next step must wake it
    std::uint32_t failed = 0;                           ///< 1: the step threw; the subject says what on its socket
    std::uint32_t places = 0;
    std::array<ResultPlace, mostPlaces> place{};
};

/// A mapping of such a page; unmapped with its owner.
class Handover {
public:
    static constexpr std::size_t bytes = (sizeof(HandoverPage) + 4095) / 4096 * 4096;

    /// A new memory file of the right size, sealed against shrinking; -1 with errno. The caller's to close.
    static int makeFile();

    /// Maps `file`, which stays the caller's. Throws std::runtime_error.
    explicit Handover(int file);
    Handover(const Handover&) = delete;
    Handover& operator=(const Handover&) = delete;
    ~Handover();

    HandoverPage& page() { return *m_page; }

private:
    HandoverPage* m_page;
};

/// The witness's end. From one thread.
class Steps {
public:
    /// `spins`: wait for answers without sleeping, where the witness has a core of its own. Else by the kernel's futex.
    Steps(int file, bool spins) : m_handover(file), m_spins(spins), m_turn(m_handover.page().turn.load()) {}

    /// Puts a step on the page and gives it to the subject.
    void tell(Step step, std::uint32_t flags = 0, std::uint64_t seed = 0);
    /// Waits for the answer to the last step. `patience` is asked now and then while it takes more than a millisecond,
    /// and ends the waiting when it says false. True when the step was answered.
    bool await(const std::function<bool()>& patience);
    bool failed() { return m_handover.page().failed != 0; }
    const HandoverPage& page() { return m_handover.page(); }

private:
    Handover m_handover;
    bool m_spins;
    std::uint32_t m_turn;
};

/// The subject's end.
class Turns {
public:
    explicit Turns(int file) : m_handover(file), m_seen(m_handover.page().answered.load()) {}

    /// Waits for the next step: awake for a moment, then asleep.
    Step next();
    std::uint32_t flags() { return m_handover.page().flags; }
    std::uint64_t seed() { return m_handover.page().seed; }
    HandoverPage& page() { return m_handover.page(); }
    void answer(bool failed = false);

private:
    Handover m_handover;
    std::uint32_t m_seen;
};

} // namespace cudal1::judge
