// SPDX-License-Identifier: GPL-3.0-or-later
// Times a candidate by the paper's protocol, beside our own.
#pragma once

#include "core/judge/supervisor/gpustate.h"
#include "core/judge/supervisor/judgedcandidate.h"

#include <functional>

namespace cudal1::judge {

/// Used from the supervisor's thread, for one judgement. Keeps references to its arguments.
class PaperTiming {
public:
    /// The candidate's budget must have the paper's rules. `limit_s` is the limit for one call.
    PaperTiming(JudgedCandidate& candidate, ReferenceSession& reference, const GpuState& gpu, double limit_s);

    /// Makes attempts until the rules accept one or allow no more, and puts the result into the candidate's evaluation:
    /// numbers, the state of each rule, and the label `paper_discarded` where no attempt was accepted. When it throws,
    /// the evaluation has no result by the paper. Throws what Pairing::run and Pairing::charge throw.
    void measure();

private:
    void attempt(const std::function<void()>& onRound);

    JudgedCandidate& m_candidate;
    ReferenceSession& m_reference;
    const GpuState& m_gpu;
    double m_limit_s;
    Supervisor& m_supervisor;
    const protocol::EvaluateRequest& m_request;
    const Budget& m_budget;
    protocol::Evaluation& m_out;
};

} // namespace cudal1::judge
