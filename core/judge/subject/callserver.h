// SPDX-License-Identifier: GPL-3.0-or-later
// Serves the calls of rounds and trials in a subject: does what the witness says on the handover page, step by step.
// What it says itself (places of results, times by GPU events, refusals) is a claim.
#pragma once

#include "core/judge/module/cacheflush.h"
#include "core/judge/module/modulehost.h"
#include "core/judge/subject/heldresults.h"
#include "core/judge/subject/leastcall.h"

#include <memory>

namespace cudal1::judge {

/// Used from the subject's main thread; its CandidateSubject owns it. Keeps a reference to `host`.
class CallServer {
public:
    /// `handover` is the file of the handover page; it stays the caller's. With `exact`, results must be plain tensors;
    /// without, they may be of a derived class.
    CallServer(ModuleHost& host, int handover, bool exact);

    /// Serves the steps of one round or trial, until the witness ends them. The host must have a module. Throws Refusal
    /// for a result of the wrong form or in memory that is still held, and passes on what the module's code throws; the
    /// page says then that the step has failed.
    ServeCalls::Reply serve(const ServeCalls& request);
    /// See HoldResults. Throws as serve() does.
    void hold(const HoldResults& request);
    /// Forgets the results that are held of earlier trials. The module is about to be constructed again.
    void forgetResults()
    {
        m_held.clear();
        m_least.reset();
    }

private:
    class Round;
    void flush(); ///< empties the device's caches
    /// Fills free blocks of the results' sizes with NaN, so that a result that was never written shows.
    void poisonFreeMemory() const;

    ModuleHost& m_host;
    int m_handover;
    bool m_exact;
    bool m_servedBefore = false;         ///< a request to serve calls has come before
    std::unique_ptr<CacheFlush> m_flush; ///< made when it is first needed
    std::unique_ptr<LeastCall> m_least;  ///< made before the first timed round on a GPU, on both sides alike
    HeldResults m_held;                  ///< of trials
};

} // namespace cudal1::judge
