// SPDX-License-Identifier: GPL-3.0-or-later
// Judges one candidate.
#include "core/judge/evaluate.h"

#include "core/judge/machine.h"
#include "core/judge/reference.h"
#include "core/judge/timing.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <set>

namespace cudal1::judge {

using nlohmann::json;
using protocol::Evaluation;
using protocol::Reason;
using protocol::Verdict;

namespace {

enum SeedPurpose : std::uint32_t { TrialInputs = 21, TrialForwards = 22 };

constexpr std::array families{"as_given", "as_given", "scaled", "shifted", "sparse", "constant", "tiny", "large_values"};

double now_s()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::uint64_t availableMemory()
{
    std::ifstream file("/proc/meminfo");
    for (std::string key, rest; file >> key; std::getline(file, rest))
        if (key == "MemAvailable:") {
            std::uint64_t kilobytes = 0;
            file >> kilobytes;
            return kilobytes * 1024;
        }
    return 0;
}

std::string number(double value, const char* format)
{
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

/// Codes that say that the result or a side effect is wrong, as opposed to a call that did not end well.
bool saysIncorrect(const std::string& code)
{
    static const std::set<std::string> codes{"wrong_values", "nan_mismatch", "input_modified", "wrong_type", "wrong_count", "wrong_shape",
                                             "wrong_dtype", "wrong_device", "static_output", "parameters_modified"};
    return codes.contains(code);
}

class Judging {
public:
    Judging(Supervisor& supervisor, const protocol::EvaluateRequest& request)
        : m_supervisor(supervisor), m_request(request), m_budget(budgetOf(request.preset)), m_folder("candidate")
    {
        m_out.task = request.task.name;
        m_out.preset = request.preset;
        m_out.precision.mode = request.precision;
        m_out.device = requireDevice(supervisor, request.device);
        m_out.environment = supervisor.environment();
        m_out.stopReason = "not_timed";
    }

    Evaluation run()
    {
        const double begun = now_s();
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
            conclude(Verdict::TimedOut, {"hang", "No answer in " + number(passed.seconds, "%.0f") + " s while " + m_doing + ".", m_candidate->printed()});
        } catch (const OutputFlood&) {
            conclude(Verdict::Crashed, {"endless_output", "It printed more than 64 MiB.", m_candidate->printed().substr(0, 2000)});
        } catch (const json::exception& error) {
            if (m_phase == Phase::Reference)
                throw;
            conclude(Verdict::Crashed, {"broken_protocol", "The process sent an answer to the judge that lacks what it must have.", error.what()});
        } catch (const Cancelled&) {
            endCandidate();
            throw;
        }
        endCandidate();
        m_out.seconds.total = now_s() - begun;
        return std::move(m_out);
    }

private:
    void judge()
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

    void startCandidate(ReferenceSession& reference)
    {
        endCandidate();
        ZygoteHandle::Plan plan;
        plan.role = "candidate";
        plan.folder = m_folder.path();
        plan.environment = subjectEnvironment(m_folder.path());
        plan.memoryFile = reference.memoryFile();
        if (m_request.device == "cpu")
            plan.memoryLimit = availableMemory() / 10 * 8;
        const json& layout = reference.layout();
        m_candidate = forkCandidate(m_supervisor, plan, {{"device", m_request.device}, {"bytes", layout.at("bytes")}, {"handle", layout.at("handle")}});
        m_out.environment.isolation = m_candidate->isolation;
        m_out.environment.isolationMissing = m_candidate->isolationMissing;
        demand(m_supervisor, *m_candidate,
               {{"command", "load_candidate"},
                {"source", m_request.candidate},
                {"device", m_request.device},
                {"precision", protocol::toString(m_request.precision)},
                {"inputs", layout.at("inputs")},
                {"outputs", layout.at("outputs")},
                {"output_kind", layout.at("output_kind")},
                {"bytes", layout.at("bytes")},
                {"handle", layout.at("handle")},
                {"init_inputs", layout.at("init_inputs")},
                {"init_seed", reference.initSeed()}},
               m_request.buildLimit_s);
    }

    void endCandidate()
    {
        if (!m_candidate)
            return;
        try {
            m_candidate->drain();
        } catch (const OutputFlood&) {
        }
        m_supervisor.zygote().end(*m_candidate);
        m_out.output = m_candidate->printed();
        m_candidate.reset();
    }

    void build(ReferenceSession& reference)
    {
        m_doing = "building";
        m_phase = Phase::Build;
        report("build", 0.05, "building");
        const double begun = now_s();
        startCandidate(reference);
        m_out.seconds.build = now_s() - begun;
    }

    double callLimit(const ReferenceSession& reference) const
    {
        if (m_request.callLimit_s > 0)
            return m_request.callLimit_s;
        return std::clamp(1000 * reference.layout().at("first_ns").get<double>() * 1e-9, 30.0, 600.0);
    }

    /// False when the family cannot be used with this task.
    bool trial(ReferenceSession& reference, const std::string& family, double limit_s)
    {
        const std::uint64_t forwardSeed = m_forwardSeeds->next();
        const json prepared = reference.ask(
            {{"command", "prepare"}, {"family", family}, {"seed", m_inputSeeds->next()}, {"forward_seed", forwardSeed}});
        if (!prepared.at("usable").get<bool>()) {
            const std::string skipped = family + ": " + prepared.at("why").get<std::string>();
            if (std::find(m_out.trials.skipped.begin(), m_out.trials.skipped.end(), skipped) == m_out.trials.skipped.end())
                m_out.trials.skipped.push_back(skipped);
            return false;
        }
        ++m_out.trials.run;
        demand(m_supervisor, *m_candidate, {{"command", "trial"}, {"seed", forwardSeed}}, limit_s);
        const json compared = reference.ask({{"command", "compare"}});
        m_out.trials.worstRelativeError = std::max(m_out.trials.worstRelativeError, compared.at("worst_relative_error").get<double>());
        ++m_out.trials.passed;
        if (std::find(m_out.trials.families.begin(), m_out.trials.families.end(), family) == m_out.trials.families.end())
            m_out.trials.families.push_back(family);
        return true;
    }

    void check(ReferenceSession& reference)
    {
        m_doing = "calling forward";
        m_phase = Phase::Call;
        m_inputSeeds.emplace(reference.seed(), TrialInputs);
        m_forwardSeeds.emplace(reference.seed(), TrialForwards);
        const double begun = now_s();
        const double limit_s = callLimit(reference);
        for (std::size_t i = 0; m_out.trials.run < m_budget.maxTrials; ++i) {
            const double used = now_s() - begun;
            if (m_out.trials.run >= m_budget.minTrials && used > m_budget.check_s)
                break;
            report("check", 0.1 + 0.4 * std::min(1.0, m_out.trials.run / static_cast<double>(m_budget.minTrials)),
                   "checking: trial " + std::to_string(m_out.trials.run + 1) + " of at least " + std::to_string(m_budget.minTrials));
            const bool first = m_out.trials.run == 0;
            const double callBegun = now_s();
            trial(reference, families[i % families.size()], first ? m_request.buildLimit_s : limit_s);
            if (first)
                m_firstCall_s = now_s() - callBegun;
        }
        m_out.seconds.check = now_s() - begun;
    }

    void time(ReferenceSession& reference)
    {
        m_doing = "being timed";
        const double begun = now_s();
        const double limit_s = callLimit(reference);
        const GpuState gpu(m_out.device.uuid);
        const GpuReading before = gpu.read();
        Pairing pairing(m_supervisor, reference, gpu, timingCore(m_request.device), reference.seed());
        // A new fork averages out what clings to a process; one that compiles for seconds is not built again for it.
        const int instances = m_out.seconds.build + m_firstCall_s < 3 ? m_budget.instances : 1;
        try {
            for (int instance = 0; instance < instances; ++instance) {
                if (instance > 0) {
                    startCandidate(reference);
                    trial(reference, "as_given", m_request.buildLimit_s);
                }
                const double share = (m_budget.time_s - pairing.seconds()) / (instances - instance);
                if (instance > 0 && share < 0.05)
                    break;
                const std::size_t known = pairing.pairs().size();
                pairing.run(*m_candidate, instance, share, limit_s, [&](const std::vector<protocol::PairSamples>& pairs) {
                    report("time", 0.5 + 0.45 * std::min(1.0, pairing.seconds() / m_budget.time_s),
                           "timing: " + std::to_string(pairs.size()) + " pairs");
                    const std::vector<protocol::PairSamples> own(pairs.begin() + static_cast<std::ptrdiff_t>(known), pairs.end());
                    return own.size() >= 8 && speedupOf(own, false, 1).speedup.relativeHalfWidth() <= 0.01;
                });
            }
        } catch (...) {
            m_out.pairs = pairing.pairs();
            m_out.seconds.time = now_s() - begun;
            throw;
        }
        m_out.pairs = pairing.pairs();
        m_out.speedup.wall = pairing.wall();
        m_out.speedup.event = pairing.event();
        m_out.stopReason = m_out.speedup.wall.speedup.relativeHalfWidth() <= 0.01 ? "interval" : "budget";
        if (before.valid)
            m_out.environment.clock = "before: " + before.text() + "; after: " + gpu.read().text();
        noteDropped();
        if (m_out.device.name == "cpu" && pairing.crowdedShare() > 0.5 && m_out.speedup.wall.candidate_ns < 10e6)
            m_out.labels.push_back({"crowded", "Other work wanted the cores while this was timed: calls this short cannot be measured well then.",
                                    number(100 * pairing.crowdedShare(), "%.0f") + " % of the rounds"});
        if (m_out.device.name != "cpu")
            gpuBusy(reference, limit_s);
        precision(reference, gpu, limit_s);
        noteLabels();
        m_out.seconds.time = now_s() - begun;
    }

    void gpuBusy(ReferenceSession& reference, double limit_s)
    {
        const json request = {{"command", "busy"}, {"calls", 5}, {"seed", m_forwardSeeds->next()}};
        try {
            const auto referenceBusy = reference.ask(request).at("busy_ns").get<std::vector<double>>();
            const auto candidateBusy = demand(m_supervisor, *m_candidate, request, 5 * limit_s).at("busy_ns").get<std::vector<double>>();
            std::vector<base::PairTimes> pairs;
            for (std::size_t i = 0; i < std::min(referenceBusy.size(), candidateBusy.size()); ++i)
                if (referenceBusy[i] > 0 && candidateBusy[i] > 0)
                    pairs.push_back({referenceBusy[i], candidateBusy[i], 0});
            m_out.speedup.gpuBusy = {base::pairedSpeedup(pairs, 1), base::median(referenceBusy), base::median(candidateBusy)};
            if (pairs.empty())
                m_out.labels.push_back({"no_gpu_busy", "No GPU activity was recorded in the calls.", ""});
        } catch (const Refused& refused) {
            if (refused.code != "internal")
                throw;
            m_out.labels.push_back({"no_gpu_busy", "GPU activity could not be recorded.", refused.evidence});
        }
    }

    void precision(ReferenceSession& reference, const GpuState& gpu, double limit_s)
    {
        const json state = demand(m_supervisor, *m_candidate, {{"command", "state"}}, limit_s);
        const json& own = state.at("flags");
        const json& theirs = reference.layout().at("flags");
        m_out.precision.candidate = own.at("text");
        m_out.precision.reference = theirs.at("text");
        m_out.precision.matched = own == theirs;
        if (m_out.precision.matched)
            return;
        m_out.labels.push_back({"precision", "The candidate computes with " + m_out.precision.candidate + ", the reference with " +
                                                 m_out.precision.reference + ".", ""});
        m_doing = "being timed against the reference at its own precision";
        reference.ask({{"command", "set_flags"}, {"flags", own}});
        try {
            Pairing pairing(m_supervisor, reference, gpu, timingCore(m_request.device), reference.seed() + 1);
            pairing.run(*m_candidate, 0, m_budget.time_s / 4, limit_s, [](const std::vector<protocol::PairSamples>& pairs) {
                return pairs.size() >= 6 && speedupOf(pairs, false, 1).speedup.relativeHalfWidth() <= 0.01;
            });
            m_out.precision.atCandidateSettings = pairing.wall();
        } catch (...) {
            reference.ask({{"command", "set_flags"}, {"flags", theirs}});
            throw;
        }
        reference.ask({{"command", "set_flags"}, {"flags", theirs}});
    }

    void noteDropped()
    {
        const auto dropped = static_cast<std::size_t>(
            std::count_if(m_out.pairs.begin(), m_out.pairs.end(), [](const protocol::PairSamples& pair) { return pair.dropped; }));
        if (dropped * 5 > m_out.pairs.size())
            m_out.labels.push_back({"disturbed", std::to_string(dropped) + " of " + std::to_string(m_out.pairs.size()) +
                                                     " pairs were thrown away.",
                                    std::find_if(m_out.pairs.begin(), m_out.pairs.end(), [](const auto& pair) { return pair.dropped; })->droppedWhy});
    }

    void noteLabels()
    {
        const base::Interval& wall = m_out.speedup.wall.speedup;
        const base::Interval& event = m_out.speedup.event.speedup;
        if (wall.valid() && event.valid() && (event.low > wall.high * 1.03 || event.high < wall.low / 1.03)) {
            // Fewer events than wall on both sides is launch overhead; on the candidate's alone it is work out of sight.
            m_out.labels.push_back({"clock_disagreement",
                                    "Events on the current stream say " + number(event.estimate, "%.2f") + "x, the wall clock " +
                                        number(wall.estimate, "%.2f") + "x.",
                                    "candidate: " + number(m_out.speedup.event.candidate_ns / 1e3, "%.1f") + " us by events, " +
                                        number(m_out.speedup.wall.candidate_ns / 1e3, "%.1f") + " us by wall; reference: " +
                                        number(m_out.speedup.event.reference_ns / 1e3, "%.1f") + " us by events, " +
                                        number(m_out.speedup.wall.reference_ns / 1e3, "%.1f") + " us by wall"});
        }
        if (wall.low > 10)
            m_out.labels.push_back({"large_speedup", "More than ten times faster: worth a look at what it leaves out.", ""});
    }

    Verdict verdictOf(const Refused& refused) const
    {
        if (m_phase == Phase::Reference)
            return Verdict::ReferenceFailed;
        if (refused.code == "out_of_memory")
            return Verdict::OutOfMemory;
        if (m_phase == Phase::Build)
            return Verdict::DoesNotBuild;
        return saysIncorrect(refused.code) ? Verdict::Incorrect : Verdict::Crashed;
    }

    void conclude(Verdict verdict, Reason reason)
    {
        m_out.verdict = verdict;
        m_out.reasons.push_back(std::move(reason));
    }

    void report(const char* phase, double fraction, const std::string& text)
    {
        m_supervisor.progress({phase, fraction, text});
    }

    enum class Phase { Reference, Build, Call };

    Supervisor& m_supervisor;
    const protocol::EvaluateRequest& m_request;
    Budget m_budget;
    TemporaryFolder m_folder;
    Evaluation m_out;
    std::shared_ptr<SubjectHandle> m_candidate;
    std::optional<SeedSequence> m_inputSeeds, m_forwardSeeds;
    std::string m_doing;
    Phase m_phase = Phase::Reference;
    double m_firstCall_s = 0;
};

} // namespace

Evaluation evaluate(Supervisor& supervisor, const protocol::EvaluateRequest& request)
{
    if (request.preset == protocol::Preset::Paper)
        throw RequestFailed("unavailable", "The preset paper is not built yet", "Use quick or standard");
    return Judging(supervisor, request).run();
}

} // namespace cudal1::judge
