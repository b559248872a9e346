// SPDX-License-Identifier: GPL-3.0-or-later
// One candidate on its way to a verdict: its process, trials.
#include "core/judge/supervisor/judging.h"

#include "core/base/timetext.h"
#include "core/judge/supervisor/candidateprocess.h"
#include "core/judge/supervisor/machine.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <string_view>

namespace cudal1::judge {

using nlohmann::json;
using protocol::Evaluation;
using protocol::Reason;
using protocol::Verdict;

namespace {

enum SeedPurpose : std::uint32_t { TrialInputs = 21, OtherWeights = 23 };

constexpr double longestInDouble_ns = 2e9; ///< of a task's first call: double precision takes several times as long

constexpr std::array families{"as_given", "scaled",   "rows",     "shifted", "large_values",
                              "sparse",   "as_given", "constant", "tiny"};

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

std::string number(double value, const char* format)
{
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

Judging::Judging(Supervisor& supervisor, const protocol::EvaluateRequest& request, const Budget& budget)
    : m_supervisor(supervisor), m_request(request), m_budget(budget),
      m_folder(supervisor.folders().use(request.candidate))
{
    m_out.task = request.task.name;
    m_out.preset = request.preset;
    m_out.precision.mode = request.precision;
    m_out.device = requireDevice(supervisor, request.device);
    m_out.environment = supervisor.environment();
    m_out.stopReason = "not_timed";
}

Evaluation Judging::run()
{
    const double begun = secondsNow();
    try {
        judge();
    } catch (const ReferenceLost& lost) {
        m_supervisor.dropReference();
        conclude(Verdict::ReferenceFailed, lost.reason);
    } catch (const Refused& refused) {
        conclude(verdictOf(refused), {refused.code, refused.what(), refused.evidence});
    } catch (const SubjectGone& gone) {
        const Reason reason = reasonOf(gone, m_candidate->printed());
        conclude(reason.code == "out_of_memory" ? Verdict::OutOfMemory : Verdict::Crashed, reason);
    } catch (const DeadlinePassed& passed) {
        conclude(Verdict::TimedOut,
                 {"hang", "No answer in " + base::durationText(passed.seconds) + " while " + m_doing + ".",
                  m_candidate->printed()});
    } catch (const OutputFlood&) {
        conclude(Verdict::Crashed,
                 {"endless_output", "It printed more than 64 MiB.", m_candidate->printed().substr(0, 2000)});
    } catch (const json::exception& error) {
        if (m_phase == Phase::Reference)
            throw;
        conclude(
            Verdict::Crashed,
            {"broken_protocol", "The process sent an answer to the judge that lacks what it must have.", error.what()});
    } catch (const Cancelled&) {
        endCandidate();
        throw;
    }
    if (m_otherWeights)
        m_supervisor.dropReference(); // it does not have its own weights now
    endCandidate(!endsSoon());
    m_out.seconds.total = secondsNow() - begun;
    return std::move(m_out);
}

void Judging::judge()
{
    m_doing = "loading the reference";
    m_phase = Phase::Reference;
    report("build", 0.02, "loading the reference");
    ReferenceSession& reference = m_supervisor.reference(m_request);
    m_out.seed = reference.seed();
    build(reference);
    check(reference);
    time(reference);
    m_out.verdict = Verdict::Correct;
}

void Judging::startCandidate(ReferenceSession& reference)
{
    endCandidate();
    m_candidate = forkCandidate(m_supervisor, reference, m_request.candidate, m_folder);
    m_supervisor.startNext();
    m_out.environment.isolation = m_candidate->isolation;
    m_out.environment.isolationMissing = m_candidate->isolationMissing;
    m_weightsDiffer = demand(m_supervisor, *m_candidate, loadRequest(reference, m_request.candidate),
                             m_request.buildLimit_s)
                          .weightsDiffer;
    reference.attach(*m_candidate);
    m_arenaBytes = static_cast<std::int64_t>(reference.layout().bytes);
}

void Judging::endCandidate(bool wait)
{
    if (!m_candidate)
        return;
    try {
        m_candidate->drain();
    } catch (const OutputFlood&) {
    }
    m_out.output = m_candidate->printed();
    if (wait)
        m_supervisor.zygote().end(*m_candidate);
    else
        m_supervisor.next().retire(std::move(m_candidate), m_folder);
    m_candidate.reset();
}

bool Judging::endsSoon() const
{
    // Its memory must not be missing to the next, which need not wait for little of it.
    if (onCpu() || m_out.verdict != Verdict::Correct)
        return false;
    return m_arenaBytes < m_out.device.memory_bytes / 64;
}

void Judging::build(ReferenceSession& reference)
{
    m_doing = "building";
    m_phase = Phase::Build;
    report("build", 0.05, "building");
    const double begun = secondsNow();
    reference.startAhead();
    startCandidate(reference);
    m_out.seconds.build = secondsNow() - begun;
}

double Judging::callLimit(const ReferenceSession& reference) const
{
    if (m_request.callLimit_s > 0)
        return m_request.callLimit_s;
    return std::clamp(1000 * reference.first_ns() * 1e-9, 30.0, 600.0);
}

bool Judging::trial(ReferenceSession& reference, const std::string& family, double limit_s)
{
    RunTrial request;
    request.family = family;
    request.seed = m_inputSeeds->next();
    request.limit_s = limit_s;
    // The nulls are tried until this task has gone through as many trials as a candidate must pass.
    request.nulls = !m_otherWeights && reference.nulls.trials < budgetOf(m_request.preset, m_request.device).minTrials;
    if (m_out.trials.run == 0)
        request.oracle = reference.first_ns() <= longestInDouble_ns ? Yardstick::Float64 : Yardstick::Reference;
    ++m_out.trials.run;
    RunTrial::Reply done;
    done = reference.trial(*m_candidate, request);
    if (!done.usable) {
        --m_out.trials.run;
        const std::string skipped = family + ": " + done.why;
        if (std::find(m_out.trials.skipped.begin(), m_out.trials.skipped.end(), skipped) == m_out.trials.skipped.end())
            m_out.trials.skipped.push_back(skipped);
        return false;
    }
    if (m_out.trials.passed == 0)
        m_firstCall_s = done.candidateCall_s;
    m_shortestReferenceCall_s = std::min(m_shortestReferenceCall_s, done.referenceCall_s);
    if (request.nulls)
        reference.nulls = {done.nullsLeft, done.nullTrials};
    m_out.trials.worstRelativeError = std::max(m_out.trials.worstRelativeError, done.worstRelativeError);
    ++m_out.trials.passed;
    if (std::find(m_out.trials.families.begin(), m_out.trials.families.end(), family) == m_out.trials.families.end())
        m_out.trials.families.push_back(family);
    if (request.oracle != Yardstick::None)
        noteOracle(done.errors);
    return true;
}

void Judging::check(ReferenceSession& reference)
{
    m_doing = "calling forward";
    m_phase = Phase::Call;
    m_inputSeeds.emplace(reference.seed(), TrialInputs);
    const double begun = secondsNow();
    const double limit_s = callLimit(reference);
    m_supervisor.startNext(); // who sends one request ahead has sent it by now
    for (std::size_t i = 0; m_out.trials.run < m_budget.maxTrials; ++i) {
        const double used = secondsNow() - begun;
        if (m_out.trials.run >= m_budget.minTrials && used > m_budget.check_s)
            break;
        report("check", 0.1 + 0.4 * std::min(1.0, m_out.trials.run / static_cast<double>(m_budget.minTrials)),
               "checking: trial " + std::to_string(m_out.trials.run + 1) + " of at least " +
                   std::to_string(m_budget.minTrials));
        const bool first = m_out.trials.run == 0;
        trial(reference, m_budget.ownInputsOnly ? families[0] : families[i % families.size()],
              first ? m_request.buildLimit_s : limit_s);
    }
    checkWithOtherWeights(reference, limit_s);
    if (reference.nulls.trials >= m_budget.minTrials && !reference.nulls.left.empty()) {
        std::string which;
        for (const std::string& name : reference.nulls.left)
            which += (which.empty() ? "" : ", ") + name;
        label("degenerate_task", "This task tells little: results that take no work pass it as well.",
              which + " passed " + std::to_string(reference.nulls.trials) + " trials");
    }
    m_out.seconds.check = secondsNow() - begun;
}

void Judging::checkWithOtherWeights(ReferenceSession& reference, double limit_s)
{
    if (reference.layout().weights.empty()) {
        m_out.trials.weights = "none";
        return;
    }
    const bool byName = m_weightsDiffer.empty();
    m_out.trials.weights = byName ? "replaced" : "rebuilt: " + m_weightsDiffer;
    if (!byName)
        noteUncheckedWeights(reference);
    SeedSequence seeds(reference.seed(), OtherWeights);
    const auto give = [&](const char* mode, std::uint64_t seed, bool initial) {
        reference.ask(Reweigh{byName ? mode : "rebuild", seed, initial});
        if (byName)
            demand(m_supervisor, *m_candidate, LoadWeights{}, limit_s);
        else
            demand(m_supervisor, *m_candidate, Rebuild{seed}, m_request.buildLimit_s);
    };
    m_otherWeights = true;
    for (int set = 0; set < m_budget.weightSets; ++set) {
        report("check", 0.45, "checking with other weights");
        give("replace", seeds.next(), false);
        try {
            for (const char* family : {"as_given", families[1 + static_cast<std::size_t>(set) % (families.size() - 1)]})
                if (!m_budget.ownInputsOnly || family == std::string_view("as_given"))
                    trial(reference, family, limit_s);
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
    give("initial", reference.initSeed(), true);
    m_otherWeights = false;
}

void Judging::noteUncheckedWeights(ReferenceSession& reference)
{
    // A bias of zero is zero under every seed, so a module that lacks it gives the same results.
    std::string names;
    for (const NamedWeight& weight : reference.layout().weights)
        if (weight.constant)
            names += (names.empty() ? "" : ", ") + weight.name;
    if (!names.empty())
        label(
            "unchecked_parameters",
            "Whether it uses parameters that start with one value everywhere was not checked, since they cannot be given to it by name.",
            names + "; " + m_weightsDiffer);
}

/// The worst of all calls that were held against float64 counts: the first trial's, and some that were timed.
void Judging::noteOracle(const OracleErrors& errors)
{
    protocol::Oracle& oracle = m_out.precision.oracle;
    if (!errors.why.empty())
        oracle.why = errors.why;
    if (!errors.measured)
        return;
    // Another order of summation costs some of the last bits; eight times the reference's error is a matter of format.
    // A mantissa of 10 bits (TF32, half) leaves at most some 3e-4, one of 7 bits (bfloat16) some 3e-3.
    // What a half type rounds is in the reference's error already, so there less is.
    const auto lower = [](double candidate, double reference) {
        return candidate > (reference > 2e-4 ? 3 : 8) * reference && candidate > 1.5e-6;
    };
    if (!oracle.effective.empty() &&
        (oracle.effective != "as the reference" || !lower(errors.candidate, errors.reference)))
        return;
    oracle.referenceError = errors.reference;
    oracle.candidateError = errors.candidate;
    oracle.effective = !lower(errors.candidate, errors.reference) ? "as the reference"
                     : errors.candidate < 1e-3                    ? "tf32"
                                                                  : "bf16";
}

Verdict Judging::verdictOf(const Refused& refused) const
{
    if (m_phase == Phase::Reference)
        return Verdict::ReferenceFailed;
    if (refused.code == "out_of_memory")
        return Verdict::OutOfMemory;
    if (m_phase == Phase::Build)
        return Verdict::DoesNotBuild;
    if (refused.code == "late_device_work" || refused.code == "device_in_use")
        return Verdict::Exploit;
    return saysIncorrect(refused.code) ? Verdict::Incorrect : Verdict::Crashed;
}

void Judging::conclude(Verdict verdict, Reason reason)
{
    m_out.verdict = verdict;
    m_out.reasons.push_back(std::move(reason));
}

void Judging::report(const char* phase, double fraction, const std::string& text)
{
    m_supervisor.progress({phase, fraction, text});
}

void Judging::label(const char* code, const std::string& text, const std::string& evidence)
{
    m_out.labels.push_back({code, text, evidence});
}

} // namespace cudal1::judge
