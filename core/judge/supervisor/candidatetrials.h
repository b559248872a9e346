// SPDX-License-Identifier: GPL-3.0-or-later
// The trials that a candidate must pass: calls with other kinds of inputs and other weights, whose results the witness
// compares.
#pragma once

#include "core/judge/supervisor/judgedcandidate.h"

#include <limits>
#include <string_view>

namespace cudal1::judge {

/// Used from the supervisor's thread; Judging owns it. Keeps references to its arguments. What trials tell goes into
/// the candidate's evaluation. Members throw Refused when a result is wrong, SubjectGone and DeadlinePassed for the
/// candidate, ReferenceLost and Cancelled.
class CandidateTrials {
public:
    CandidateTrials(JudgedCandidate& candidate, ReferenceSession& reference);

    /// All trials that the budget asks for, the last ones with other weights.
    void check();
    /// One trial with inputs of this family. False when the family cannot be used with this task.
    bool trial(std::string_view family, double limit_s);

    /// After check(): from now on elements of parameters that share their first value with many others have values
    /// about that one, where they can be given by name. A program that looks for ones and zeros could do without them
    /// as long as it is timed.
    void useTimedWeights(double limit_s);
    /// Has the reference make its first call again, with its own weights, after the calls since: a result that follows
    /// from earlier calls throws ReferenceLost, and state that nobody compares becomes a label.
    void checkReference();
    void useOwnWeights(); ///< the reference, for the next candidate; does nothing where it has them
    /// Starts another process of the candidate, which passes one trial.
    void startAgain();

    std::uint64_t nextSeed() { return m_inputSeeds.next(); } ///< a seed that no trial has used
    double firstCall_s() const { return m_firstCall_s; }     ///< the candidate's first call; 0 before it
    /// The reference's, in all trials; infinite before the first.
    double shortestReferenceCall_s() const { return m_shortestReferenceCall_s; }
    /// The reference has other weights than its own at the moment: when a trial with other weights has thrown, its
    /// session must be dropped.
    bool otherWeights() const { return m_otherWeights; }
    /// Gives the candidate's buffers that calls change the reference's values, and compares what its calls since have
    /// left in them: a trial's, or all of a round's, which must have been recorded. Labels the first difference.
    void giveBuffers(double limit_s);
    void compareBuffers(double limit_s, bool ofRound);
    bool buffersDiffer() const { return m_buffersDiffer; }

private:
    void checkWithOtherWeights(double limit_s);
    void noteUncheckedWeights();
    void noteUnvariedWeights();
    /// One trial, after which the buffers that the reference's calls change are compared.
    bool trialWithBuffers(std::string_view family, double limit_s);

    JudgedCandidate& m_candidate;
    ReferenceSession& m_reference;
    Supervisor& m_supervisor;
    const protocol::EvaluateRequest& m_request;
    const Budget& m_budget;
    std::string m_lackingBuffer; ///< LoadBuffers::Reply::lacking
    bool m_buffersDiffer = false;
    bool m_unseenStateNoted = false;
    protocol::Evaluation& m_out;
    std::uint64_t m_timesBefore; ///< ReferenceSession::begin()
    SeedSequence m_inputSeeds;
    bool m_otherWeights = false;
    double m_firstCall_s = 0;
    double m_shortestReferenceCall_s = std::numeric_limits<double>::infinity();
};

} // namespace cudal1::judge
