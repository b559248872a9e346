// SPDX-License-Identifier: GPL-3.0-or-later
// A candidate that is being judged: its process, and the evaluation as far as it has come.
#pragma once

#include "core/judge/supervisor/budget.h"
#include "core/judge/supervisor/reference.h"
#include "core/judge/wire/oracleerrors.h"

#include <cstdint>
#include <memory>
#include <string>

namespace cudal1::judge {

/// What the parts of a judgement (CandidateTrials, CandidateTiming, PaperTiming) have in common. Judging owns it. Used
/// from the supervisor's thread. Keeps references to `supervisor` and `request`.
class JudgedCandidate {
public:
    /// Whose doing it is when something goes wrong, and what the verdict is then.
    enum class Phase { Reference, Build, Call };

    /// Throws RequestFailed when this machine lacks the device.
    JudgedCandidate(Supervisor& supervisor, const protocol::EvaluateRequest& request, const Budget& budget);

    /// Ends the candidate's process if there is one, starts another, has it load the candidate, and gives it to the
    /// witness. Throws what forkCandidate(), demand() and ReferenceSession::attach() throw.
    void start(ReferenceSession& reference);
    /// Ends the process, if there is one, and keeps what it has printed. With `wait`, until the process and all that it
    /// has started are gone.
    void end(bool wait = true);
    bool endsSoon() const; ///< it holds so little memory that the next candidate need not wait for its end
    /// The process; there must be one.
    SubjectHandle& process() { return *m_process; }
    /// Why the process cannot be given weights by name; empty when it can.
    const std::string& weightsDiffer() const { return m_weightsDiffer; }

    Supervisor& supervisor() { return m_supervisor; }
    const protocol::EvaluateRequest& request() const { return m_request; }
    const Budget& budget() const { return m_budget; }
    bool onCpu() const { return m_evaluation.device.name == "cpu"; }
    /// The limit for one call, in seconds.
    double callLimit(const ReferenceSession& reference) const;

    /// What is known of the candidate so far. The parts write what they find here.
    protocol::Evaluation& evaluation() { return m_evaluation; }
    const protocol::Evaluation& evaluation() const { return m_evaluation; }
    void label(const char* code, const std::string& text, const std::string& evidence = {});
    /// Takes in the errors of one more call. The worst of all calls that were held against float64 counts: the first
    /// trial's, and some that were timed.
    void noteOracle(const OracleErrors& errors);

    /// Says what the judgement is at now: `doing` is for the sentence about a call that hangs ("building").
    void enter(Phase phase, std::string doing);
    void nowDoing(std::string doing) { m_doing = std::move(doing); } ///< within the same phase
    Phase phase() const { return m_phase; }
    const std::string& doing() const { return m_doing; }
    /// Tells the client how far its request has come (Supervisor::progress).
    void report(const char* phase, double fraction, const std::string& text);

private:
    Supervisor& m_supervisor;
    const protocol::EvaluateRequest& m_request;
    Budget m_budget;
    std::string m_folder; ///< all that the candidate writes goes here
    protocol::Evaluation m_evaluation;
    std::shared_ptr<SubjectHandle> m_process; ///< null when there is none
    std::string m_weightsDiffer;
    std::string m_doing;
    Phase m_phase = Phase::Reference;
    std::int64_t m_arenaBytes = 0; ///< size of inputs, weights and results: a measure of the memory that a call needs
};

} // namespace cudal1::judge
