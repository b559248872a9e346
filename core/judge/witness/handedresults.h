// SPDX-License-Identifier: GPL-3.0-or-later
// Results that a subject has handed over. They are the caller's: the subject must not change them while the caller
// holds them, and must not rely on what it left there.
#pragma once

#include "core/judge/witness/drivensubject.h"
#include "core/judge/witness/referencehost.h"

#include <array>
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

namespace cudal1::judge {

/// Lives as long as a round, and is used from the witness's main thread. On the CPU the subject must be stopped when a
/// member is called. Members wait for the device, and throw Refusal when a result cannot be read.
class HandedResults {
public:
    /// Keeps references to its arguments.
    HandedResults(const ReferenceHost& reference, DrivenSubject& subject);

    /// What can be said of the memory that the last results lie in.
    enum class Origin {
        Known, ///< results have lain there since startOver()
        Again, ///< not since then, but earlier in this round
        New,   ///< never in this round
    };
    /// Of results at these places, the one that can be said least of. Remembers the places. What lies in memory that is
    /// not Known can have been prepared while nobody looked. The smallest results, which take less than 128 KiB
    /// together and so a few microseconds to write, are not looked at, nor are those that are an input as it
    /// was, or a weight, in the reference.
    Origin originOf(const std::vector<ResultPlace>& named);
    /// Where results have lain: kind, offset, size, and the handle of device memory. Memory that has been shown as a
    /// small result is not known as a large one that begins there.
    using Places = std::set<std::tuple<ResultPlace::Kind, std::uint64_t, std::size_t, std::array<std::uint8_t, 64>>>;
    /// Takes over what an earlier round of the same process knew, but for places in which the process has written since
    /// they were overwritten. For rounds of one call.
    void goOn(const Places& known);
    const Places& known() const { return m_known; }
    /// On the CPU, when the subject has got ready for a call: finds the known places in which it has written since they
    /// were overwritten. Elsewhere it finds none.
    void lookForWritten();
    /// Whether results lie at places that lookForWritten() has found last.
    bool wereWritten(const std::vector<ResultPlace>& named) const;
    /// From now on only the memory at these places, those of the last results, is known, and they have been
    /// overwritten: so nothing that was prepared up to now can be handed over as a known result.
    void startOver(const std::vector<ResultPlace>& places);
    /// Overwrites the results at these places (DrivenSubject::spoil). A subject whose next call relies on what it left
    /// in that memory gets a wrong result.
    void spoil(const std::vector<ResultPlace>& places);
    /// Keeps a copy of the results at these places, the last ones. After the next call checkHeld() reads them again.
    void hold(std::vector<ResultPlace> places);
    bool areHeld() const { return !m_held.empty(); }
    /// Throws Refusal if results that are held have changed; then lets go of them. Does nothing when none are held.
    void checkHeld();

private:
    std::vector<ResultPlace> ofAll(std::vector<ResultPlace> named) const; ///< what is not named lies in the arena

    const ReferenceHost& m_reference;
    DrivenSubject& m_subject;
    std::vector<ResultPlace> m_held; ///< places of the results that are held; empty when none are
    std::vector<at::Tensor> m_heldResults;
    std::vector<bool> m_lookedAt; ///< of each result: whether originOf() asks where it lies
    Places m_known, m_seen;       ///< since startOver(); in this round
    Places m_written;             ///< of the known ones, those that lookForWritten() found
};

/// Throws Refusal for a result that cannot be read.
[[noreturn]] void refuseUnreadable(const DrivenSubject::Unreadable& error);

} // namespace cudal1::judge
