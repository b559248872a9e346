// SPDX-License-Identifier: GPL-3.0-or-later
// The witness: the process that all evidence comes from. It holds the task's reference, makes the inputs of every call
// in its own memory, shows them to a subject for one call only, reads the clock, takes the results out of the subject's
// reach, and compares them.
//
// The witness runs the task's code, which is trusted, and nothing that a candidate wrote. The supervisor tells it what
// to do. Three things are drawn here: the keys of input contents, the seed of each call, and the choice of the calls
// that are compared. Keys and choices never leave this process; a seed is written to the subject's page together with
// its call.
#pragma once

#include "core/judge/witness/callmaker.h"
#include "core/judge/witness/driver.h"
#include "core/judge/witness/expectedtrials.h"
#include "core/judge/witness/handedresults.h"
#include "core/judge/witness/knownfamilies.h"
#include "core/judge/witness/nullcandidates.h"
#include "core/judge/witness/precisionoracle.h"
#include "core/judge/witness/presentcall.h"
#include "core/judge/witness/referencebuffers.h"
#include "core/judge/witness/referencehost.h"
#include "core/judge/witness/referenceweights.h"
#include "core/judge/witness/secretcall.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cudal1::judge {

/// The witness's requests, and what lasts from one of them to the next. Its parts do the work: TimedRound is a
/// round of a subject, CallMaker makes the calls of rounds, Trial is a trial, PresentCall compares, PrecisionOracle
/// measures errors against float64, ReferenceWeights gives other weights, ReferenceBuffers compares
/// what calls leave in buffers. ReferenceHost holds the task.
///
/// All members are used from the process's main thread. Handlers of requests throw Refusal for a finding against a
/// candidate or a task, and other exceptions when the witness itself cannot go on.
class Witness : public ReferenceHost {
public:
    /// `socket` leads to the supervisor and stays the caller's. A message that arrives there while a subject is being
    /// driven tells the witness to give that subject up. `memoryFile` holds the arena on the CPU. `folder` is the
    /// process's own.
    Witness(int socket, int memoryFile, std::string folder);

private:
    LoadTask::Reply load(const LoadTask& request);
    void attach(const Attach& request, Descriptors& descriptors);
    RunTrial::Reply trial(const RunTrial& request);
    CompareKept::Reply compareKept(const CompareKept& request);
    /// Gives up ("abandoned") when the supervisor sends a message, or ("silent") when a step takes longer than
    /// `limit_s`.
    Driver::Patience patienceOf(double limit_s) const;
    RunRound::Reply round(const RunRound& request);

    int m_socket;
    KnownFamilies m_families;
    PresentCall m_present; ///< the call that is being compared
    PrecisionOracle m_oracle;
    ReferenceWeights m_weights;
    ReferenceBuffers m_buffers;
    NullCandidates m_nulls;
    ExpectedTrials m_expected;
    // There are none of these before a task is loaded.
    std::unique_ptr<CacheFlush> m_flush;
    std::unique_ptr<Driver> m_driver;
    std::unique_ptr<CallMaker> m_calls; ///< makes the calls of rounds
    std::map<DrivenSide, std::unique_ptr<DrivenSubject>> m_driven;
    std::vector<SecretCall> m_kept; ///< calls of the candidate's last round whose results CompareKept will compare
    std::vector<SecretCall> m_made; ///< TimedRound::Means::made
    std::map<DrivenSide, HandedResults::Places> m_knownOf; ///< TimedRound::Means::known of each side's process
    std::map<DrivenSide, std::size_t> m_callsOf; ///< how many calls the last round of a side was given contents for
    /// Results cannot be read where they lie, so both sides copy them to the arena, on the clock.
    bool m_copied = false;
};

} // namespace cudal1::judge
