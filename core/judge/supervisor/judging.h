// SPDX-License-Identifier: GPL-3.0-or-later
// Judges one candidate: builds it, checks its results, times it, and gives the verdict.
#pragma once

#include "core/judge/supervisor/candidatetrials.h"
#include "core/judge/supervisor/judgedcandidate.h"

#include <optional>

namespace cudal1::judge {

/// The course of one judgement: what is done when, and what each way to fail means for the verdict. The work is done by
/// CandidateTrials and CandidateTiming. Used from the supervisor's thread. Keeps references to `supervisor` and
/// `request`.
class Judging {
public:
    /// Throws RequestFailed when this machine lacks the device.
    Judging(Supervisor& supervisor, const protocol::EvaluateRequest& request, const Budget& budget);

    /// Call it once. What a candidate does wrong is a verdict in the evaluation, and so is a reference that fails.
    /// Throws Cancelled, RequestFailed, WireClosed when the zygote is gone, and json::exception when a process of the
    /// reference sends what cannot be read.
    protocol::Evaluation run();

private:
    void judge();
    void build(ReferenceSession& reference);
    void giveWeightsBack(); ///< to the reference, for the next candidate
    void checkReference();  ///< after all of its calls; the verdict may become ReferenceFailed
    protocol::Verdict verdictOf(const Refused& refused) const;
    void conclude(protocol::Verdict verdict, protocol::Reason reason);

    Supervisor& m_supervisor;
    const protocol::EvaluateRequest& m_request;
    JudgedCandidate m_candidate;
    std::optional<CandidateTrials> m_trials; ///< none before the candidate is built
};

} // namespace cudal1::judge
