// SPDX-License-Identifier: GPL-3.0-or-later
// Times a candidate that has passed its trials, and notes what follows from the times: speed-ups by each clock, the
// floor, precision, and labels.
#pragma once

#include "core/judge/supervisor/candidatetrials.h"
#include "core/judge/supervisor/judgedcandidate.h"
#include "core/judge/supervisor/pairing.h"

#include <map>
#include <string>
#include <vector>

namespace cudal1::judge {

/// Used from the supervisor's thread, for one judgement. Keeps references to its arguments. The pairing of rounds is
/// Pairing's, the paper's protocol PaperTiming's.
class CandidateTiming {
public:
    /// `trials`: those that the candidate has passed, since each new process of it passes one more.
    CandidateTiming(JudgedCandidate& candidate, CandidateTrials& trials, ReferenceSession& reference);

    /// Call it once. Fills in the candidate's evaluation; what was measured before an exception stays there. Throws
    /// what Pairing::run, Pairing::charge and CandidateTrials::trial throw.
    void run();

private:
    void timeInstances(Pairing& pairing, double limit_s);
    void noteCharges(const Pairing& pairing);
    void observeActivity(double limit_s);
    void noteLibraryCalls(const std::map<std::string, int>& theirs, const std::map<std::string, int>& own);
    void readPrecision(const GpuState& gpu, double limit_s);
    void measureFloor();
    /// The standard deviation of ln(reference time / candidate time) from one pair of processes to another, for work of
    /// this kind.
    double instanceSpread() const;
    void noteDropped();
    void noteFewPairs();
    /// Whether a gain remains where nothing tells a program that leaves out the reference's last operators.
    void noteLastOperators();
    void noteClocks();
    void notePrecision();

    JudgedCandidate& m_candidate;
    CandidateTrials& m_trials;
    ReferenceSession& m_reference;
    Supervisor& m_supervisor;
    const protocol::EvaluateRequest& m_request;
    const Budget& m_budget;
    protocol::Evaluation& m_out;
    bool m_flagsMatch = true; ///< both sides' precision flags are equal
    std::vector<protocol::PairSamples> m_pairsAtCandidateSettings;
};

} // namespace cudal1::judge
