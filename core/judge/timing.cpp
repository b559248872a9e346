// SPDX-License-Identifier: GPL-3.0-or-later
// Paired timing.
#include "core/judge/timing.h"

#include "core/judge/steadyclock.h"

#include <algorithm>

namespace cudal1::judge {

using nlohmann::json;

namespace {

enum SeedPurpose : std::uint32_t { InputSeeds = 11, ForwardSeeds = 12 };

// A call longer than this is at its steady level from its start: handing the device over costs some 150 us.
constexpr double longCall_ns = 200e6;
// Below this a process's first round is no sample: what flushes caches is new to its memory, and what little is timed, cold.
constexpr double shortCall_ns = 20e6;

} // namespace

Budget budgetOf(protocol::Preset preset)
{
    Budget budget;
    if (preset == protocol::Preset::Standard)
        budget = {20, 100, 4, 10, 3, 2, 0.3, false, {}};
    if (preset == protocol::Preset::Paper)
        return budgetOf(protocol::PaperRules{});
    return budget;
}

Budget budgetOf(const protocol::PaperRules& rules)
{
    Budget budget = budgetOf(protocol::Preset::Standard);
    budget.minTrials = budget.maxTrials = rules.trials;
    if (rules.applies(protocol::PaperRule::Window))
        budget.time_s = std::min(budget.time_s, 60 * rules.minutes);
    budget.ownInputsOnly = true;
    budget.paper = rules;
    return budget;
}

Budget budgetOfConfirmation()
{
    return {6, 10, 0.5, 0.8, 1, 1, 0.05, false, {}};
}

protocol::ClockSpeedup speedupOf(const std::vector<protocol::PairSamples>& pairs, Clock clock, double instanceSpread)
{
    const bool events = clock == Clock::Event;
    std::vector<base::PairTimes> times;
    std::vector<double> reference, candidate;
    for (const protocol::PairSamples& pair : pairs) {
        if (pair.dropped)
            continue;
        const double r = base::roundTime(events ? pair.referenceEvent_ns : pair.reference_ns);
        const double c = base::roundTime(events ? pair.candidateEvent_ns : pair.candidate_ns);
        if (r <= 0 || c <= 0)
            continue;
        times.push_back({r, c, pair.instance});
        reference.push_back(r);
        candidate.push_back(c);
    }
    return {base::pairedSpeedup(times, 1, instanceSpread), base::median(reference), base::median(candidate)};
}

Pairing::Pairing(Supervisor& supervisor, ReferenceSession& reference, const GpuState& gpu, int core, std::uint64_t seed, double settle_s)
    : m_supervisor(supervisor), m_reference(reference), m_gpu(gpu), m_core(core), m_order(std::random_device{}()), m_inputSeeds(seed, InputSeeds),
      m_forwardSeeds(seed, ForwardSeeds), m_settle_s(settle_s)
{
    if (onCpu())
        m_shape = {5e6, 30e6, 30e6, m_shape.maxCalls, m_shape.controls};
}

bool Pairing::longCalls() const
{
    return m_call_ns > longCall_ns;
}

void Pairing::refreshInputs()
{
    const double begun = secondsNow();
    m_forwardSeed = m_forwardSeeds.next();
    m_reference.ask({{"command", "prepare"}, {"family", "as_given"}, {"seed", m_inputSeeds.next()}, {"forward_seed", m_forwardSeed}, {"as_base", true}});
    m_refresh_s = secondsNow() - begun;
    m_sinceRefresh_s = 0;
}

Pairing::Round Pairing::round(SubjectHandle* candidate, double limit_s, bool first)
{
    const bool settle = first && !longCalls() && (candidate || !m_referenceSettled);
    const json request = {{"command", "round"},
                          {"first", first},
                          {"settle_ns", static_cast<std::int64_t>(settle ? m_settle_s * 1e9 : 0)},
                          {"warmup_ns", static_cast<std::int64_t>(longCalls() ? -1 : m_shape.warmup_ns)},
                          {"duration_ns", static_cast<std::int64_t>(std::clamp(8 * m_call_ns, m_shape.timed_ns, m_shape.mostTimed_ns))},
                          {"min_calls", 1},
                          {"max_calls", m_shape.maxCalls},
                          {"core", m_core},
                          {"key", m_key},
                          {"keep_first", longCalls()},
                          {"seed", m_forwardSeed}};
    const double begun = secondsNow();
    const json reply = candidate ? demand(m_supervisor, *candidate, request, limit_s) : longCalls() ? m_reference.ask(request) : m_reference.askTimed(request);
    Round out;
    out.outside_ns = (secondsNow() - begun) * 1e9;
    out.inside_ns = reply.at("inside_ns");
    out.checked = reply.at("checked");
    out.inputFingerprints = reply.at("input_fingerprints");
    reply.at("wall_ns").get_to(out.wall_ns);
    reply.at("event_ns").get_to(out.event_ns);
    m_call_ns = std::max(m_call_ns, base::median(out.wall_ns));
    ++m_rounds;
    if (reply.at("switches").get<double>() > 0.25 * static_cast<double>(out.wall_ns.size()))
        ++m_crowded;
    return out;
}

Pairing::Single Pairing::single(SubjectHandle* candidate, double limit_s)
{
    m_key = m_inputSeeds.next();
    const auto ask = [&](const json& request) { return candidate ? demand(m_supervisor, *candidate, request, limit_s) : m_reference.askTimed(request); };
    ask({{"command", "ready"}, {"key", m_key}, {"seed", m_forwardSeed}});
    const double begun = secondsNow();
    const json reply = ask({{"command", "go"}});
    return {(secondsNow() - begun) * 1e9, reply.at("inside_ns")};
}

std::string Pairing::disturbance(const Round& reference, const Round& candidate) const
{
    for (const auto& [side, name] : {std::pair{&reference, "the reference's"}, std::pair{&candidate, "the candidate's"}}) {
        const double unaccounted = side->outside_ns - side->inside_ns;
        if (unaccounted > std::max(20e6, 0.25 * side->inside_ns))
            return std::string(name) + " round took " + std::to_string(unaccounted / 1e6) + " ms more than its process accounts for";
    }
    return m_gpu.slowedDown() ? "the GPU was slowed down: " + m_gpu.read().text() : std::string();
}

void Pairing::runControl()
{
    const Round first = round(nullptr, 0, false), second = round(nullptr, 0, false);
    const bool swap = m_order() & 1;
    const double a = base::roundTime(first.wall_ns), b = base::roundTime(second.wall_ns);
    m_control.push_back({swap ? b : a, swap ? a : b, 0});
}

void Pairing::verifyKept(const Round& own)
{
    m_checks.fingerprinted += static_cast<int>(own.wall_ns.size());
    if (own.checked < 0)
        return;
    m_reference.ask({{"command", "verify"},
                     {"key", m_key},
                     {"index", own.checked},
                     {"seed", m_forwardSeed},
                     {"input_fingerprints", own.inputFingerprints}});
    ++m_checks.compared;
}

void Pairing::run(SubjectHandle& candidate, int instance, double seconds, double callLimit_s,
                  const std::function<bool(const std::vector<protocol::PairSamples>&)>& stop)
{
    constexpr std::size_t controlEvery = 8;
    const double limit_s = 2 * callLimit_s + 10;
    // A process becomes faster by per cents in its first hundreds of calls, and the candidate's has had its trials.
    constexpr int firstRounds = 3;
    double used = 0;
    const auto spend = [&](double since) {
        const double spent = secondsNow() - since;
        used += spent;
        m_seconds += spent;
        m_sinceRefresh_s += spent;
    };
    refreshInputs();
    if (!m_reference.wasTimed())
        for (int i = 0; i < firstRounds && !longCalls(); ++i)
            round(nullptr, 0, true);
    m_referenceSettled = true; // here, or when another candidate was timed
    const bool beforehand = m_call_ns < shortCall_ns;
    if (beforehand) {
        const double begun = secondsNow();
        round(&candidate, limit_s, true);
        spend(begun);
    }
    bool first = true;
    while (first || used < seconds) {
        if (!first && m_sinceRefresh_s >= m_refresh_s)
            refreshInputs();
        m_key = m_inputSeeds.next();
        protocol::PairSamples pair;
        pair.instance = instance;
        pair.referenceFirst = m_order() & 1;
        Round reference, own;
        const double begun = secondsNow();
        if (pair.referenceFirst)
            reference = round(nullptr, 0, first);
        own = round(&candidate, limit_s, first && !beforehand);
        if (!pair.referenceFirst)
            reference = round(nullptr, 0, first);
        if (m_shape.controls && m_pairs.size() % controlEvery == controlEvery / 2 && !longCalls())
            runControl();
        spend(begun);
        verifyKept(own);
        pair.droppedWhy = disturbance(reference, own);
        pair.dropped = !pair.droppedWhy.empty();
        pair.reference_ns = std::move(reference.wall_ns);
        pair.referenceEvent_ns = std::move(reference.event_ns);
        pair.candidate_ns = std::move(own.wall_ns);
        pair.candidateEvent_ns = std::move(own.event_ns);
        m_pairs.push_back(std::move(pair));
        first = false;
        if (stop(m_pairs))
            break;
    }
}

protocol::Control Pairing::control() const
{
    return {base::pairedSpeedup(m_control, 1), static_cast<int>(m_control.size())};
}

protocol::ClockSpeedup Pairing::wall(double instanceSpread) const
{
    return speedupOf(m_pairs, Clock::Wall, instanceSpread);
}

protocol::ClockSpeedup Pairing::event(double instanceSpread) const
{
    return speedupOf(m_pairs, Clock::Event, instanceSpread);
}

} // namespace cudal1::judge
