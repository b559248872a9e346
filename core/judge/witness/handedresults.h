// SPDX-License-Identifier: GPL-3.0-or-later
// Results that a subject has handed over. They are the caller's: the subject must not change them while the caller
// holds them, and must not rely on what it left there.
#pragma once

#include "core/judge/witness/drivensubject.h"
#include "core/judge/witness/referencehost.h"

#include <vector>

namespace cudal1::judge {

/// Lives as long as a round, and is used from the witness's main thread. On the CPU the subject must be stopped when a
/// member is called. Members wait for the device, and throw Refusal when a result cannot be read.
class HandedResults {
public:
    /// Keeps references to its arguments.
    HandedResults(const ReferenceHost& reference, DrivenSubject& subject) : m_reference(reference), m_subject(subject)
    {
    }

    /// Overwrites a part of the last results. A subject whose next call relies on what it left in that memory gets a
    /// wrong result.
    void spoil();
    /// Keeps a copy of the last results. After the next call checkHeld() reads them again.
    void hold();
    bool areHeld() const { return !m_held.empty(); }
    /// Throws Refusal if results that are held have changed; then lets go of them. Does nothing when none are held.
    void checkHeld();

private:
    const ReferenceHost& m_reference;
    DrivenSubject& m_subject;
    std::vector<ResultPlace> m_held; ///< places of the results that are held; empty when none are
    std::vector<at::Tensor> m_heldResults;
};

/// Throws Refusal for a result that cannot be read.
[[noreturn]] void refuseUnreadable(const DrivenSubject::Unreadable& error);

} // namespace cudal1::judge
