// SPDX-License-Identifier: GPL-3.0-or-later
// Starting and ending a candidate's process, and what is noted of the candidate.
#include "core/judge/supervisor/judgedcandidate.h"

#include "core/judge/supervisor/candidateprocess.h"
#include "core/judge/supervisor/machine.h"

#include <algorithm>

namespace cudal1::judge {

JudgedCandidate::JudgedCandidate(Supervisor& supervisor, const protocol::EvaluateRequest& request, const Budget& budget)
    : m_supervisor(supervisor), m_request(request), m_budget(budget),
      m_folder(supervisor.folders().use(request.candidate))
{
    m_evaluation.task = request.task.name;
    m_evaluation.preset = request.preset;
    m_evaluation.precision.mode = request.precision;
    m_evaluation.device = requireDevice(supervisor, request.device);
    m_evaluation.environment = supervisor.environment();
    m_evaluation.stopReason = "not_timed";
}

void JudgedCandidate::start(ReferenceSession& reference)
{
    end();
    reference.clearArena();
    m_process = forkCandidate(m_supervisor, reference, m_request.candidate, m_folder);
    m_supervisor.startNext();
    m_evaluation.environment.isolation = m_process->isolation;
    m_evaluation.environment.isolationMissing = m_process->isolationMissing;
    m_weightsDiffer = demand(m_supervisor, *m_process, loadRequest(reference, m_request.candidate),
                             m_request.buildLimit_s)
                          .weightsDiffer;
    reference.attach(*m_process);
    m_arenaBytes = static_cast<std::int64_t>(reference.layout().bytes);
}

void JudgedCandidate::end(bool wait)
{
    if (!m_process)
        return;
    try {
        m_process->drain();
    } catch (const OutputFlood&) {
    }
    m_evaluation.output = m_process->printed();
    if (wait)
        m_supervisor.zygote().end(*m_process);
    else
        m_supervisor.next().retire(std::move(m_process), m_folder);
    m_process.reset();
}

bool JudgedCandidate::endsSoon() const
{
    // Its memory must not be missing to the next, which need not wait for little of it.
    if (onCpu() || m_evaluation.verdict != protocol::Verdict::Correct)
        return false;
    return m_arenaBytes < m_evaluation.device.memory_bytes / 64;
}

double JudgedCandidate::callLimit(const ReferenceSession& reference) const
{
    if (m_request.callLimit_s > 0)
        return m_request.callLimit_s;
    return std::clamp(1000 * reference.first_ns() * 1e-9, 30.0, 600.0);
}

void JudgedCandidate::label(const char* code, const std::string& text, const std::string& evidence)
{
    m_evaluation.labels.push_back({code, text, evidence});
}

void JudgedCandidate::noteOracle(const OracleErrors& errors)
{
    protocol::Oracle& oracle = m_evaluation.precision.oracle;
    if (!errors.why.empty())
        oracle.why = errors.why;
    if (!errors.measured)
        return;
    // A mantissa of 10 bits (TF32, half) leaves at most some 3e-4, one of 7 bits (bfloat16) some 3e-3.
    const bool lower = excessOf(errors) > 1;
    if (!oracle.effective.empty() && (oracle.effective != "as the reference" || !lower))
        return;
    oracle.referenceError = errors.reference;
    oracle.candidateError = errors.candidate;
    oracle.effective = !lower                                  ? "as the reference"
                     : errors.candidate < OracleErrors{}.least ? "fp32"
                     : errors.candidate < 1e-3                 ? "tf32"
                                                               : "bf16";
}

void JudgedCandidate::enter(Phase phase, std::string doing)
{
    m_phase = phase;
    m_doing = std::move(doing);
}

void JudgedCandidate::report(const char* phase, double fraction, const std::string& text)
{
    m_supervisor.progress({phase, fraction, text});
}

} // namespace cudal1::judge
