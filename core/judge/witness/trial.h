// SPDX-License-Identifier: GPL-3.0-or-later
// One trial of a candidate: a call on inputs of a family, whose results are compared.
#pragma once

#include "core/judge/witness/driver.h"
#include "core/judge/witness/expectedtrials.h"
#include "core/judge/witness/knownfamilies.h"
#include "core/judge/witness/nullcandidates.h"
#include "core/judge/witness/precisionoracle.h"
#include "core/judge/witness/presentcall.h"
#include "core/judge/witness/referencehost.h"

namespace cudal1::judge {

/// Lives as long as the trial, and is used from the witness's main thread. While it lives the subject is stopped,
/// except for its call; the destructor ends its steps and lets it run.
class Trial {
public:
    /// What the witness has, and a trial uses.
    struct Means {
        ReferenceHost& reference;
        Driver& driver;
        KnownFamilies& families; ///< a family that was not known is added
        PresentCall& present;    ///< becomes the trial's call
        NullCandidates& nulls;
        PrecisionOracle& oracle;
        ExpectedTrials& expected; ///< a trial that was not kept is, where it may be
    };

    /// Stops the subject; throws std::runtime_error when it does not stop. Keeps references to its arguments.
    Trial(const Means& means, DrivenSubject& subject, const RunTrial& request);
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;
    ~Trial();

    /// Call it once. Throws Refusal when a result is wrong or cannot be read, when the call changes its inputs, and for
    /// what the reference does wrong.
    RunTrial::Reply run(const Driver::Patience& patience);

private:
    /// Draws the inputs, runs the reference, and measures the family if it is not known. False when the family cannot
    /// be used.
    bool expect();
    bool expectFamily();                                ///< throws PythonError where the reference does
    void expectKept(const ExpectedTrials::Trial& kept); ///< makes a call of what an earlier candidate's trial has left
    void expectAnew(bool mayStay);                      ///< draws the inputs and runs the reference
    RunTrial::Reply compare();
    /// Makes the candidate's call and takes its results. False when it did not come to its end.
    bool makeCall(const Driver::Patience& patience);

    ReferenceHost& m_reference;
    Driver& m_driver;
    KnownFamilies& m_families;
    PresentCall& m_present;
    NullCandidates& m_nulls;
    PrecisionOracle& m_oracle;
    ExpectedTrials& m_expected;
    DrivenSubject& m_subject;
    const RunTrial& m_request;
    RunTrial::Reply m_out;
};

} // namespace cudal1::judge
