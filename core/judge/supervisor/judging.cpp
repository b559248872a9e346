// SPDX-License-Identifier: GPL-3.0-or-later
// The course of a judgement, and the verdict.
#include "core/judge/supervisor/judging.h"

#include "core/base/cuttext.h"
#include "core/base/timetext.h"
#include "core/judge/supervisor/candidatetiming.h"
#include "core/judge/wire/steadyclock.h"

#include <set>

namespace cudal1::judge {

using nlohmann::json;
using protocol::Evaluation;
using protocol::Reason;
using protocol::Verdict;

namespace {

/// Codes that say that the result or a side effect is wrong, as opposed to a call that did not end well.
bool saysIncorrect(const std::string& code)
{
    static const std::set<std::string> codes{"wrong_values",        "nan_mismatch",     "input_modified",
                                             "wrong_type",          "wrong_count",      "wrong_shape",
                                             "wrong_dtype",         "wrong_device",     "static_output",
                                             "parameters_modified", "stale_parameters", "unreadable_result"};
    return codes.contains(code);
}

} // namespace

Judging::Judging(Supervisor& supervisor, const protocol::EvaluateRequest& request, const Budget& budget)
    : m_supervisor(supervisor), m_request(request), m_candidate(supervisor, request, budget)
{
}

Evaluation Judging::run()
{
    const double begun = secondsNow();
    try {
        judge();
    } catch (const ReferenceLost& lost) {
        m_trials.reset(); // they refer to it
        m_supervisor.dropReference();
        conclude(Verdict::ReferenceFailed, lost.reason);
    } catch (const Refused& refused) {
        conclude(verdictOf(refused), {refused.code, refused.what(), refused.evidence});
    } catch (const SubjectGone& gone) {
        const Reason reason = reasonOf(gone, m_candidate.process().printed());
        conclude(reason.code == "out_of_memory" ? Verdict::OutOfMemory : Verdict::Crashed, reason);
    } catch (const DeadlinePassed& passed) {
        conclude(Verdict::TimedOut,
                 {"hang", "No answer in " + base::durationText(passed.seconds) + " while " + m_candidate.doing() + ".",
                  m_candidate.process().printed()});
    } catch (const OutputFlood&) {
        conclude(Verdict::Crashed, {"endless_output", "It printed more than 64 MiB.", m_candidate.process().printed()});
    } catch (const json::exception& error) {
        if (m_candidate.phase() == JudgedCandidate::Phase::Reference)
            throw;
        conclude(
            Verdict::Crashed,
            {"broken_protocol", "The process sent an answer to the judge that lacks what it must have.", error.what()});
    } catch (const Cancelled&) {
        m_candidate.end();
        throw;
    }
    m_candidate.end(!m_candidate.endsSoon());
    giveWeightsBack();
    checkReference();
    m_candidate.evaluation().seconds.total = secondsNow() - begun;
    return std::move(m_candidate.evaluation());
}

void Judging::giveWeightsBack()
{
    if (!m_trials)
        return;
    try {
        if (!m_trials->otherWeights()) {
            m_trials->useOwnWeights();
            return;
        }
    } catch (const ReferenceLost&) {
    } catch (const Refused&) {
    }
    m_trials.reset();             // they refer to it
    m_supervisor.dropReference(); // it does not have its own weights now
}

/// What is wrong with the reference may show only after many calls. Then it is no fault of the candidate's that results
/// differ, and no merit that they do not.
void Judging::checkReference()
{
    Evaluation& out = m_candidate.evaluation();
    if (!m_trials || (out.verdict != Verdict::Correct && out.verdict != Verdict::Incorrect))
        return;
    try {
        m_trials->checkReference();
    } catch (const ReferenceLost& lost) {
        m_trials.reset(); // they refer to it
        m_supervisor.dropReference();
        out.reasons.clear();
        out.speedup = {};
        conclude(Verdict::ReferenceFailed, lost.reason);
    }
}

void Judging::judge()
{
    m_candidate.enter(JudgedCandidate::Phase::Reference, "loading the reference");
    m_candidate.report("build", 0.02, "loading the reference");
    const double begun = secondsNow();
    ReferenceSession& reference = m_supervisor.reference(m_request);
    m_candidate.evaluation().seconds.reference = secondsNow() - begun;
    m_candidate.evaluation().seed = reference.seed();
    build(reference);
    m_trials.emplace(m_candidate, reference).check();
    CandidateTiming(m_candidate, *m_trials, reference).run();
    m_candidate.evaluation().verdict = Verdict::Correct;
}

void Judging::build(ReferenceSession& reference)
{
    m_candidate.enter(JudgedCandidate::Phase::Build, "building");
    m_candidate.report("build", 0.05, "building");
    const double begun = secondsNow();
    reference.startAhead();
    m_candidate.start(reference);
    m_candidate.evaluation().seconds.build = secondsNow() - begun;
}

Verdict Judging::verdictOf(const Refused& refused) const
{
    if (m_candidate.phase() == JudgedCandidate::Phase::Reference)
        return Verdict::ReferenceFailed;
    if (refused.code == "out_of_memory")
        return Verdict::OutOfMemory;
    if (m_candidate.phase() == JudgedCandidate::Phase::Build)
        return Verdict::DoesNotBuild;
    if (refused.code == "late_device_work" || refused.code == "device_in_use")
        return Verdict::Exploit;
    return saysIncorrect(refused.code) ? Verdict::Incorrect : Verdict::Crashed;
}

/// What a program says of its end can be of any length, and is stored with each judgement of it.
void Judging::conclude(Verdict verdict, Reason reason)
{
    constexpr std::size_t mostOfText = 2000, mostOfEvidence = 12000;
    reason.text = base::withoutMiddle(reason.text, mostOfText);
    reason.evidence = base::withoutMiddle(reason.evidence, mostOfEvidence);
    m_candidate.evaluation().verdict = verdict;
    m_candidate.evaluation().reasons.push_back(std::move(reason));
}

} // namespace cudal1::judge
