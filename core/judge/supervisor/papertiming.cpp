// SPDX-License-Identifier: GPL-3.0-or-later
// Timing by the paper's protocol: rounds of one call, its rules, and its gate.
#include "core/judge/supervisor/papertiming.h"

#include "core/base/paperprotocol.h"
#include "core/base/timetext.h"
#include "core/judge/supervisor/formattednumber.h"
#include "core/judge/supervisor/pairing.h"
#include "core/judge/wire/steadyclock.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace cudal1::judge {

using protocol::PairSamples;
using protocol::PaperClock;
using protocol::PaperResult;
using protocol::PaperRule;
using protocol::PaperRules;
using State = protocol::PaperRuleState::State;

namespace {

/// A round of the paper is one call of each side. The call before it, thrown away, pays for handing the device over.
constexpr RoundShape paperRound{2e5, 1e6, 1e6, 1, false};
/// Without the rule of the window measuring takes as long as that of `standard` at most.
constexpr double withoutWindow_s = 10;
constexpr std::size_t keptRounds = 1000;

double timeOf(const std::vector<double>& calls_ns)
{
    return calls_ns.empty() ? 0 : base::median(calls_ns);
}

PaperClock clockOf(const std::vector<PairSamples>& rounds, bool events, const PaperRules& rules)
{
    std::vector<double> ratios;
    for (const PairSamples& round : rounds) {
        const double reference = timeOf(events ? round.referenceEvent_ns : round.reference_ns);
        const double candidate = timeOf(events ? round.candidateEvent_ns : round.candidate_ns);
        if (reference > 0 && candidate > 0)
            ratios.push_back(reference / candidate);
    }
    base::PaperSettings settings;
    settings.buckets = rules.buckets;
    settings.gate = rules.gate;
    settings.inBuckets = rules.applies(PaperRule::Buckets);
    settings.byMedian = rules.applies(PaperRule::Median);
    settings.rounded = rules.applies(PaperRule::Rounding);
    const base::PaperSummary summary = base::paperSummary(ratios, settings);
    return {summary.measured, summary.reported, summary.bucketMeans, summary.variance, summary.gatePassed};
}

std::vector<protocol::PaperRound> thinned(const std::vector<PairSamples>& rounds)
{
    std::vector<protocol::PaperRound> out;
    const std::size_t count = std::min(rounds.size(), keptRounds);
    for (std::size_t i = 0; i < count; ++i) {
        const PairSamples& round = rounds[i * rounds.size() / count];
        out.push_back({round.referenceFirst, timeOf(round.reference_ns), timeOf(round.candidate_ns),
                       timeOf(round.referenceEvent_ns), timeOf(round.candidateEvent_ns)});
    }
    return out;
}

/// The first rule: who else is on the GPU. Reference and candidate have a context each.
class Company {
public:
    explicit Company(const GpuState& gpu) : m_gpu(gpu) {}

    void look()
    {
        m_looked_s = secondsNow();
        const std::optional<unsigned> count = m_gpu.computeProcesses();
        m_told = m_told && count.has_value();
        m_least = std::min(m_least, count.value_or(0));
        m_most = std::max(m_most, count.value_or(0));
    }
    void lookNowAndThen()
    {
        if (secondsNow() - m_looked_s > 2)
            look();
    }

    protocol::PaperRuleState state(bool onCpu) const
    {
        constexpr unsigned ours = 2;
        if (onCpu)
            return {PaperRule::Dedicated, State::Impossible,
                    "A CPU is shared with the system: nothing can be kept off it."};
        if (!m_told)
            return {PaperRule::Dedicated, State::Impossible,
                    "The driver's management library (NVML) does not tell which processes use the GPU."};
        if (m_least < ours)
            return {PaperRule::Dedicated, State::Impossible,
                    "The driver hides processes from this place, as it does in a container: it told of " +
                        std::to_string(m_least) + " where the judge alone has 2."};
        if (m_most > ours)
            return {PaperRule::Dedicated, State::Broken,
                    std::to_string(m_most - ours) + " other processes used the GPU while this was measured."};
        return {PaperRule::Dedicated, State::Applied, {}};
    }

private:
    const GpuState& m_gpu;
    double m_looked_s = 0;
    bool m_told = true;
    unsigned m_least = ~0U, m_most = 0;
};

} // namespace

PaperTiming::PaperTiming(JudgedCandidate& candidate, ReferenceSession& reference, const GpuState& gpu, double limit_s)
    : m_candidate(candidate), m_reference(reference), m_gpu(gpu), m_limit_s(limit_s),
      m_supervisor(candidate.supervisor()), m_request(candidate.request()), m_budget(candidate.budget()),
      m_out(candidate.evaluation())
{
}

void PaperTiming::measure()
{
    m_candidate.nowDoing("being timed by the paper's protocol");
    const PaperRules& rules = *m_budget.paper;
    const double begun = secondsNow();
    PaperResult& out = m_out.paper.emplace();
    out.clock = m_candidate.onCpu() ? "wall" : "event";
    out.minutes = rules.applies(PaperRule::Window) ? rules.minutes : 0;
    Company company(m_gpu);
    try {
        const int attempts = rules.applies(PaperRule::Buckets) ? rules.attempts : 1;
        while (out.attempts < attempts && !out.deciding().gatePassed) {
            if (out.attempts > 0)
                out.discarded.push_back(out.deciding().variance);
            ++out.attempts;
            company.look();
            attempt([&] { company.lookNowAndThen(); });
            company.look();
        }
    } catch (...) {
        m_out.paper.reset(); // the verdict says what happened
        throw;
    }
    out.accepted = out.deciding().gatePassed;
    out.seconds = secondsNow() - begun;
    for (const PaperRule rule : protocol::paperRules)
        out.rules.push_back({rule, rules.applies(rule) ? State::Applied : State::Off, {}});
    if (rules.applies(PaperRule::Dedicated))
        out.rules.front() = company.state(m_candidate.onCpu());
    if (!out.accepted) {
        out.discarded.push_back(out.deciding().variance);
        m_candidate.label("paper_discarded",
                          "By the paper's protocol there is no number: the means of the buckets vary too much.",
                          "variance above " + number(rules.gate, "%g") + " in " + std::to_string(out.attempts) +
                              " attempts, last " + number(out.deciding().variance, "%.4g"));
    }
}

void PaperTiming::attempt(const std::function<void()>& onRound)
{
    const PaperRules& rules = *m_budget.paper;
    PaperResult& out = *m_out.paper;
    const double window_s = rules.applies(PaperRule::Window) ? rules.minutes * 60 : withoutWindow_s;
    const auto least = static_cast<std::size_t>(rules.applies(PaperRule::Buckets) ? rules.buckets : 1);
    const double begun = secondsNow();
    const auto enough = [&](std::size_t rounds, double share_s, double since) {
        onRound();
        const double passed = secondsNow() - since;
        m_candidate.report("time", 0.9,
                           "the paper's protocol: " + base::durationText(secondsNow() - begun) + " of " +
                               base::durationText(window_s) + ", " + std::to_string(rounds) + " rounds" +
                               (out.attempts > 1 ? ", attempt " + std::to_string(out.attempts) : ""));
        return passed >= share_s && rounds >= least;
    };

    const std::uint64_t seed = SeedSequence(m_reference.seed(), SeedSequence::PaperRounds).next() +
                               static_cast<std::uint64_t>(out.attempts);
    Pairing pairing(m_reference, m_gpu, m_supervisor.timingCore(m_request.device), seed, m_budget);
    pairing.setShape(paperRound);
    if (rules.applies(PaperRule::Paired)) {
        pairing.run(m_candidate.process(), 0, std::numeric_limits<double>::infinity(), 1, m_limit_s,
                    [&](const std::vector<PairSamples>& rounds) { return enough(rounds.size(), window_s, begun); });
    } else {
        double candidateBegun = 0;
        pairing.runApart(m_candidate.process(), m_limit_s, [&](std::size_t rounds, bool candidate) {
            const bool ends = enough(rounds, window_s / 2, candidate ? candidateBegun : begun);
            if (ends && !candidate)
                candidateBegun = secondsNow();
            return ends;
        });
    }
    pairing.charge();
    out.rounds = static_cast<int>(pairing.pairs().size());
    out.wall = clockOf(pairing.pairs(), false, rules);
    if (!m_candidate.onCpu())
        out.event = clockOf(pairing.pairs(), true, rules);
    out.samples = thinned(pairing.pairs());
    m_out.timedChecks.compared += pairing.checks().compared;
    m_out.timedChecks.timed += pairing.checks().timed;
    m_out.timedChecks.flushedOutside += pairing.checks().flushedOutside;
}

} // namespace cudal1::judge
