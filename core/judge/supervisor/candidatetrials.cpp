// SPDX-License-Identifier: GPL-3.0-or-later
// Trials of a candidate: which families of inputs, how many, and with which weights.
#include "core/judge/supervisor/candidatetrials.h"

#include "core/judge/wire/steadyclock.h"
#include "core/judge/wire/trialfamilies.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace cudal1::judge {

namespace {

constexpr int manyResults = 16; ///< at once: more than anybody takes in turn who does not keep all of them
constexpr double longestHolding_s = 0.02;

} // namespace

CandidateTrials::CandidateTrials(JudgedCandidate& candidate, ReferenceSession& reference)
    : m_candidate(candidate), m_reference(reference), m_supervisor(candidate.supervisor()),
      m_request(candidate.request()), m_budget(candidate.budget()), m_out(candidate.evaluation()),
      m_timesBefore(reference.begin(candidate.request().candidate)),
      m_inputSeeds(reference.seed() + m_timesBefore, SeedSequence::TrialInputs)
{
}

bool CandidateTrials::trial(std::string_view family, double limit_s)
{
    RunTrial request;
    request.family = family;
    const bool asLoaded = m_out.trials.run == 0 && m_timesBefore == 0 && m_reference.keepsFirst();
    request.seed = asLoaded ? m_reference.firstInputs() : m_inputSeeds.next();
    request.limit_s = limit_s;
    // The nulls are tried until this task has gone through as many trials as a candidate must pass.
    request.nulls = !m_otherWeights &&
                    m_reference.nulls.trials < budgetOf(m_request.preset, m_request.device).minTrials;
    if (m_out.trials.run == 0)
        request.oracle = m_reference.first_ns() <= longestInDouble_ns ? Yardstick::Float64 : Yardstick::Reference;
    request.shared = m_timesBefore == 0;
    ++m_out.trials.run;
    RunTrial::Reply done;
    done = m_reference.trial(m_candidate.process(), request);
    if (!done.usable) {
        --m_out.trials.run;
        const std::string skipped = std::string(family) + ": " + done.why;
        if (std::find(m_out.trials.skipped.begin(), m_out.trials.skipped.end(), skipped) == m_out.trials.skipped.end())
            m_out.trials.skipped.push_back(skipped);
        return false;
    }
    if (m_out.trials.passed == 0)
        m_firstCall_s = done.candidateCall_s;
    m_shortestReferenceCall_s = std::min(m_shortestReferenceCall_s, done.referenceCall_s);
    if (request.nulls)
        m_reference.nulls = {done.nullsLeft, done.nullTrials, done.lastOperators_ns,
                             std::min(m_reference.nulls.call_ns, done.referenceCall_s * 1e9)};
    m_out.trials.worstRelativeError = std::max(m_out.trials.worstRelativeError, done.worstRelativeError);
    ++m_out.trials.passed;
    m_out.trials.kept += done.kept;
    if (std::find(m_out.trials.families.begin(), m_out.trials.families.end(), family) == m_out.trials.families.end())
        m_out.trials.families.emplace_back(family);
    if (request.oracle != Yardstick::None)
        m_candidate.noteOracle(done.errors);
    return true;
}

void CandidateTrials::checkReference()
{
    m_reference.repeatFirstCall();
    if (m_reference.changed().empty() || std::exchange(m_unseenStateNoted, true))
        return;
    m_candidate.label("unchecked_state",
                      "The reference keeps what follows from its inputs where it is not compared, so a program may "
                      "leave that out.",
                      m_reference.changed().front());
}

void CandidateTrials::noteUnvariedWeights()
{
    if (!m_reference.unvaried().empty())
        m_candidate.label("unchecked_parameters",
                          "Whether it uses weights that start with special values was not checked: they are whole "
                          "numbers, or no parameters that the module has registered.",
                          m_reference.unvaried());
}

void CandidateTrials::check()
{
    noteUnvariedWeights();
    m_candidate.enter(JudgedCandidate::Phase::Call, "calling forward");
    const double begun = secondsNow();
    const double limit_s = m_candidate.callLimit(m_reference);
    m_supervisor.startNext(); // who sends one request ahead has sent it by now
    bool hasBuffers = !m_reference.layout().buffers.empty();
    for (std::size_t i = 0; m_out.trials.run < m_budget.maxTrials; ++i) {
        const double used = secondsNow() - begun;
        if (m_out.trials.run >= m_budget.minTrials && used > m_budget.check_s)
            break;
        m_candidate.report("check",
                           0.1 + 0.4 * std::min(1.0, m_out.trials.run / static_cast<double>(m_budget.minTrials)),
                           "checking: trial " + std::to_string(m_out.trials.run + 1) + " of at least " +
                               std::to_string(m_budget.minTrials) + (m_out.trials.run > 0 ? ", correct so far" : ""));
        const bool first = m_out.trials.run == 0;
        const std::string_view family = trialFamilies[m_budget.ownInputsOnly ? 0 : i % std::size(trialFamilies)];
        // Not the first, in which some choose among kernels by calling them.
        if (hasBuffers && m_out.trials.run == m_budget.minTrials - 1)
            hasBuffers = !trialWithBuffers(family, limit_s);
        else
            trial(family, first ? m_request.buildLimit_s : limit_s);
    }
    if (const int left = manyResults - m_out.trials.passed; left > 0 && m_shortestReferenceCall_s < longestHolding_s)
        demand(m_supervisor, m_candidate.process(), HoldResults{left, longestHolding_s}, limit_s);
    checkReference();
    checkWithOtherWeights(limit_s);
    const ReferenceSession::Nulls& nulls = m_reference.nulls;
    if (nulls.trials >= m_budget.minTrials && !nulls.left.empty() && !nulls.onlyLastOperator())
        m_candidate.label("degenerate_task", "This task tells little: results that take no work pass it as well.",
                          nulls.text());
    m_out.seconds.check = secondsNow() - begun;
}

void CandidateTrials::checkWithOtherWeights(double limit_s)
{
    if (m_reference.layout().weights.empty()) {
        m_out.trials.weights = "none";
        return;
    }
    const bool byName = m_candidate.weightsDiffer().empty();
    m_out.trials.weights = byName ? "replaced" : "rebuilt: " + m_candidate.weightsDiffer();
    if (!byName)
        noteUncheckedWeights();
    SeedSequence seeds(m_reference.seed(), SeedSequence::OtherWeights);
    const auto give = [&](const char* mode, std::uint64_t seed, bool initial) {
        m_reference.ask(Reweigh{byName ? mode : "rebuild", seed, initial});
        if (byName)
            demand(m_supervisor, m_candidate.process(), LoadWeights{}, limit_s);
        else
            demand(m_supervisor, m_candidate.process(), Rebuild{seed}, m_request.buildLimit_s);
    };
    m_otherWeights = true;
    for (int set = 0; set < m_budget.weightSets; ++set) {
        m_candidate.report("check", 0.45, "checking with other weights");
        give("replace", seeds.next(), false);
        try {
            trial(trialFamilies[0], limit_s);
            if (!m_budget.ownInputsOnly)
                trial(trialFamilies[1 + static_cast<std::size_t>(set) % (std::size(trialFamilies) - 1)], limit_s);
        } catch (const Refused& refused) {
            if (refused.code != "wrong_values" && refused.code != "nan_mismatch")
                throw;
            throw Refused(
                {{"code", "stale_parameters"},
                 {"text", byName ? "The result did not follow when the module's parameters were given other values."
                                 : "The result is not the reference's for modules built with another seed."},
                 {"evidence", refused.evidence}});
        }
        ++m_out.trials.weightSets;
    }
    give("initial", m_reference.initSeed(), true);
    m_otherWeights = false;
}

bool CandidateTrials::trialWithBuffers(std::string_view family, double limit_s)
{
    giveBuffers(limit_s);
    if (!trial(family, limit_s))
        return false;
    compareBuffers(limit_s, false);
    return true;
}

void CandidateTrials::giveBuffers(double limit_s)
{
    m_reference.ask(GiveBuffers{});
    m_lackingBuffer = demand(m_supervisor, m_candidate.process(), LoadBuffers{}, limit_s).lacking;
}

void CandidateTrials::compareBuffers(double limit_s, bool ofRound)
{
    if (m_buffersDiffer)
        return;
    demand(m_supervisor, m_candidate.process(), StoreBuffers{}, limit_s);
    std::string evidence = "it has no " + m_lackingBuffer + " as the reference has";
    if (m_lackingBuffer.empty()) {
        const CompareBuffers::Reply reply = m_reference.ask(CompareBuffers{ofRound});
        evidence = reply.difference;
        m_candidate.noteOracle(reply.errors);
    }
    m_buffersDiffer = !evidence.empty();
    if (m_buffersDiffer)
        m_candidate.label("buffers_differ", "A call does not leave in the module's buffers what the reference leaves.",
                          (ofRound ? "timed calls: " : "") + evidence);
}

void CandidateTrials::useTimedWeights(double limit_s)
{
    const std::vector<NamedWeight>& weights = m_reference.layout().weights;
    const bool none = std::none_of(weights.begin(), weights.end(),
                                   [](const NamedWeight& weight) { return weight.special; });
    if (none || !m_candidate.weightsDiffer().empty())
        return;
    m_reference.timeWith(Reweigh{"timed", SeedSequence(m_reference.seed(), SeedSequence::TimedWeights).next(), true});
    demand(m_supervisor, m_candidate.process(), LoadWeights{}, limit_s);
}

void CandidateTrials::useOwnWeights()
{
    if (m_reference.timedWith())
        m_reference.timeWith({});
}

void CandidateTrials::startAgain()
{
    m_candidate.start(m_reference);
    if (m_reference.timedWith()) {
        m_reference.timeWith(m_reference.timedWith()); // again, since the one before has had the arena
        demand(m_supervisor, m_candidate.process(), LoadWeights{}, m_request.buildLimit_s);
    }
    trial(trialFamilies[0], m_request.buildLimit_s);
}

void CandidateTrials::noteUncheckedWeights()
{
    // A bias of zero is zero under every seed, so a module that lacks it gives the same results.
    std::string names;
    for (const NamedWeight& weight : m_reference.layout().weights)
        if (weight.special)
            names += (names.empty() ? "" : ", ") + weight.name;
    if (!names.empty() && m_reference.unvaried().empty()) // else it has this label
        m_candidate.label(
            "unchecked_parameters",
            "Whether it uses parameters that start as copies of others, or many of whose elements start with one "
            "value, was not checked, since they cannot be given to it by name.",
            names + "; " + m_candidate.weightsDiffer());
}

} // namespace cudal1::judge
