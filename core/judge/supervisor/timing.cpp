// SPDX-License-Identifier: GPL-3.0-or-later
// Rounds, pairs, and what is charged to a candidate beyond its calls.
#include "core/judge/supervisor/timing.h"

#include "core/base/timetext.h"
#include "core/judge/wire/steadyclock.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <optional>

namespace cudal1::judge {

namespace {

enum SeedPurpose : std::uint32_t { InputSeeds = 11 };

// A call longer than this needs no warm-up: what a first call costs more (some 150 us for taking the device) does not
// show in it.
constexpr double longCall_ns = 200e6;
// Where calls are shorter than this, a process's first round is no sample: the memory that flushes caches is new to it,
// and the few calls that are timed are cold.
constexpr double shortCall_ns = 20e6;

} // namespace

Pairing::Pairing(Supervisor& supervisor, ReferenceSession& reference, const GpuState& gpu, int core, std::uint64_t seed,
                 const Budget& budget)
    : m_supervisor(supervisor), m_reference(reference), m_gpu(gpu), m_core(core), m_order(std::random_device{}()),
      m_inputSeeds(seed, InputSeeds), m_settle_s(budget.settle_s)
{
    m_shape.ownFlush = budget.ownFlush;
    m_shape.mostKept = budget.mostKept;
    if (onCpu()) {
        m_shape.warmup_ns = 5e6;
        m_shape.timed_ns = m_shape.mostTimed_ns = 30e6;
    }
}

bool Pairing::longCalls() const
{
    return m_call_ns > longCall_ns;
}

void Pairing::refreshInputs()
{
    const double begun = secondsNow();
    m_reference.ask(DrawBase{m_inputSeeds.next()});
    m_refresh_s = secondsNow() - begun;
    m_sinceRefresh_s = 0;
}

Pairing::Round Pairing::round(SubjectHandle* candidate, double limit_s, bool first, bool counts)
{
    const bool settle = first && !longCalls() && (candidate || !m_referenceSettled);
    RunRound request;
    request.settle_ns = static_cast<std::int64_t>(settle ? m_settle_s * 1e9 : 0);
    request.warmup_ns = static_cast<std::int64_t>(longCalls() ? -1 : m_shape.warmup_ns);
    request.duration_ns = static_cast<std::int64_t>(std::clamp(8 * m_call_ns, m_shape.timed_ns, m_shape.mostTimed_ns));
    request.maxCalls = m_shape.maxCalls;
    request.core = m_core;
    request.keep = counts;
    request.mostKept = m_shape.mostKept;
    request.ownFlush = m_shape.ownFlush && m_call_ns < 1e6 && !onCpu();
    request.local = !candidate && longCalls();
    request.paired = longCalls();
    request.limit_s = limit_s;
    Round out;
    const double begun = secondsNow();
    RunRound::Reply reply = m_reference.round(candidate, request, out.event_ns);
    const double took_ns = (secondsNow() - begun) * 1e9;
    if (reply.empty_ns > 0)
        m_empty_ns.push_back(reply.empty_ns);
    // Handing over is no part of a call. It takes half a microsecond on a GPU, and some tens on a CPU whose cores are
    // all busy. The shortest that the reference has shown is subtracted, so a candidate gains nothing by answering an
    // empty step faster.
    const double empty_ns = m_empty_ns.empty() ? 0 : *std::min_element(m_empty_ns.begin(), m_empty_ns.end());
    out.outside = std::move(reply.outside);
    out.wall_ns = std::move(reply.wall_ns);
    for (double& wall_ns : out.wall_ns)
        wall_ns = std::max(wall_ns - empty_ns, wall_ns / 2);
    out.crowded = reply.waited_ns > 0.1 * took_ns;
    out.waited_ns = reply.waited_ns;
    out.others_ns = reply.others_ns;
    ++m_rounds;
    m_crowded += out.crowded;
    if (counts) {
        reply.wall_ns = out.wall_ns;
        note(candidate ? m_candidateOff : m_referenceOff, reply, out.crowded);
    }
    // Only the reference decides how long calls are said to be: a candidate must not choose the length of rounds.
    if (!candidate)
        m_call_ns = std::max(m_call_ns, base::median(out.wall_ns));
    return out;
}

void Pairing::note(OffClock& side, const RunRound::Reply& reply, bool crowded) const
{
    // A probe takes some 2 ms while another process works on the GPU, and 0.15 ms otherwise.
    constexpr double foreign_ns = 1e6;
    for (const double probe_ns : reply.probe_ns) {
        ++side.probes;
        side.foreign += probe_ns > foreign_ns;
    }
    side.peek_ns.insert(side.peek_ns.end(), reply.peek_ns.begin(), reply.peek_ns.end());
    if (!onCpu() && reply.ready_ns.size() == reply.wall_ns.size() && !reply.ready_ns.empty())
        side.ready_ns.push_back(base::median(reply.ready_ns)); // giving memory back takes long in one call of a round
    if (onCpu())
        side.around.add(reply, crowded);
    if (onCpu() || reply.tail_ns.size() != reply.wall_ns.size() || reply.tail_ns.empty())
        return;
    // Only the faster third of the calls, since that represents the round: a call that is answered too early would be
    // among them.
    std::vector<std::pair<double, double>> calls;
    for (std::size_t i = 0; i < reply.wall_ns.size(); ++i)
        calls.emplace_back(reply.wall_ns[i], reply.tail_ns[i]);
    std::sort(calls.begin(), calls.end());
    calls.resize((calls.size() + 2) / 3);
    double sum = 0;
    for (const auto& [wall_ns, tail_ns] : calls)
        sum += tail_ns;
    side.tail_ns.push_back(sum / static_cast<double>(calls.size()));
}

void Pairing::refuseForeignWork() const
{
    const auto share = [](const OffClock& side) {
        return static_cast<double>(side.foreign) / std::max(side.probes, 1);
    };
    if (m_candidateOff.foreign < 3 || share(m_candidateOff) <= 2 * share(m_referenceOff))
        return;
    throw Refused(
        {{"code", "device_in_use"},
         {"text", "Its process had the GPU at work while it had no inputs to compute with."},
         {"evidence", std::to_string(m_candidateOff.foreign) + " of " + std::to_string(m_candidateOff.probes) +
                          " looks at the device found it taken, " + std::to_string(m_referenceOff.foreign) + " of " +
                          std::to_string(m_referenceOff.probes) + " in the reference's rounds"}});
}

double Pairing::late_ns(double call_ns)
{
    double late_ns = 0;
    if (m_candidateOff.tail_ns.size() >= leastRounds && m_referenceOff.tail_ns.size() >= leastRounds) {
        const auto [own, ownError] = meanOf(m_candidateOff.tail_ns);
        const auto [theirs, theirError] = meanOf(m_referenceOff.tail_ns);
        // A difference that may be chance is not charged. So much, and no more, can be hidden (docs/threats.md, L1).
        const double hidden_ns = own - theirs - 2.5 * std::hypot(ownError, theirError);
        if (hidden_ns > std::max(20e3, 0.5 * call_ns))
            throw Refused(
                {{"code", "late_device_work"},
                 {"text", "The device was still at work for it when its process said that the call was over."},
                 {"evidence", base::timeText(own - theirs) + " a call longer than after the reference's, of calls of " +
                                  base::timeText(call_ns)}});
        // After longer calls the witness finds the device later, by some 15 us after half a millisecond and 60 us after
        // 20 ms. What may be hidden by that is a twentieth of what the candidate is slower than the reference.
        const double longer_ns = std::max(call_ns - wall(0).reference_ns, 0.0);
        if (hidden_ns > std::max({300.0, 0.01 * call_ns, 0.05 * longer_ns}))
            late_ns = own - theirs;
    } else if (m_referenceOff.tail_ns.empty() && !m_candidateOff.tail_ns.empty()) {
        // Long calls of the reference are made in the witness and have no tail. A millisecond for each gigabyte of
        // results is allowed for copying them, and 2 ms besides.
        double bytes = 0;
        for (const TensorSpec& spec : m_reference.layout().outputs)
            bytes += static_cast<double>(spec.bytes);
        late_ns = std::max(base::median(m_candidateOff.tail_ns) - 2e6 - bytes / 1e9 * 1e6, 0.0);
    }
    if (late_ns > 0)
        m_charges.push_back(base::timeText(late_ns) + " a call on the device after the call's end");
    return late_ns;
}

double Pairing::early_ns(double call_ns)
{
    if (m_candidateOff.peek_ns.size() < leastRounds || m_referenceOff.peek_ns.size() < leastRounds)
        return 0;
    const auto [own, ownError] = meanOf(m_candidateOff.peek_ns);
    const auto [theirs, theirError] = meanOf(m_referenceOff.peek_ns);
    if (own - theirs - 2.5 * std::hypot(ownError, theirError) <= std::max(300.0, 0.01 * call_ns))
        return 0;
    m_charges.push_back(base::timeText(own - theirs) + " a call on the device before the call was asked for");
    return own - theirs;
}

double Pairing::between_ns(double call_ns)
{
    double between_ns = 0;
    if (onCpu()) {
        between_ns = aroundCalls_ns(m_candidateOff.around, m_referenceOff.around, crowdedAlone(m_crowding), call_ns);
    } else if (m_candidateOff.ready_ns.size() >= leastRounds && m_referenceOff.ready_ns.size() >= leastRounds) {
        between_ns = base::quantile(m_candidateOff.ready_ns, 0.25) - base::quantile(m_referenceOff.ready_ns, 0.25);
        // Both sides take the same 0.15 ms to get ready, and caches were flushed before that.
        if (between_ns <= std::max(20e3, 0.1 * call_ns))
            between_ns = 0;
    }
    if (between_ns > 0)
        m_charges.push_back(base::timeText(between_ns) + " a call before its inputs were there");
    return between_ns;
}

namespace {

/// ln of how much longer a round's calls take after the witness has emptied the caches than after the process itself
/// has. Empty where the round lacks one of the two kinds.
std::optional<double> outsideEffect(const std::vector<double>& wall_ns, const std::vector<int>& outside)
{
    std::vector<double> from, own;
    for (std::size_t i = 0; i < std::min(wall_ns.size(), outside.size()); ++i)
        (outside[i] ? from : own).push_back(wall_ns[i]);
    if (from.empty() || own.empty())
        return {};
    return std::log(base::median(from) / base::median(own));
}

/// Keeps the samples of calls before which the witness emptied the caches.
void keepOutside(std::vector<double>& samples, const std::vector<int>& outside)
{
    std::size_t kept = 0;
    for (std::size_t i = 0; i < std::min(samples.size(), outside.size()); ++i)
        if (outside[i])
            samples[kept++] = samples[i];
    samples.resize(kept);
}

} // namespace

void Pairing::holdAgainstOutside(double call_ns)
{
    std::vector<double> effects;
    for (std::size_t i = 0; i < m_pairs.size(); ++i) {
        const auto own = outsideEffect(m_pairs[i].candidate_ns, m_outside[i].candidate);
        const auto theirs = outsideEffect(m_pairs[i].reference_ns, m_outside[i].reference);
        if (own && theirs)
            effects.push_back(*own - *theirs);
    }
    if (effects.size() < leastRounds)
        return;
    const auto [effect, error] = meanOf(effects);
    if (effect - 2.5 * error <= 0 || effect <= std::max(0.01, 300 / call_ns))
        return;
    m_outsideOnly = true;
    for (std::size_t i = 0; i < m_pairs.size(); ++i) {
        keepOutside(m_pairs[i].candidate_ns, m_outside[i].candidate);
        keepOutside(m_pairs[i].candidateEvent_ns, m_outside[i].candidate);
        keepOutside(m_pairs[i].reference_ns, m_outside[i].reference);
        keepOutside(m_pairs[i].referenceEvent_ns, m_outside[i].reference);
    }
}

void Pairing::holdAgainstMeans()
{
    constexpr std::size_t leastCalls = 3;
    constexpr double unseen = 0.05;
    // Calls before which the witness emptied the caches are slower for that reason alone. Where both kinds are there,
    // only those before which the process did it itself are compared.
    const auto alike = [this](std::vector<double> calls, const std::vector<int>& outside) {
        if (!m_outsideOnly && calls.size() == outside.size() && std::count(outside.begin(), outside.end(), 0) > 0) {
            std::size_t kept = 0;
            for (std::size_t i = 0; i < outside.size(); ++i)
                if (!outside[i])
                    calls[kept++] = calls[i];
            calls.resize(kept);
        }
        return calls;
    };
    const auto unevenness = [](const std::vector<double>& calls) {
        return std::log(std::accumulate(calls.begin(), calls.end(), 0.0) / static_cast<double>(calls.size()) /
                        base::roundTime(calls));
    };
    std::vector<double> effects;
    for (std::size_t i = 0; i < m_pairs.size(); ++i) {
        const std::vector<double> own = alike(m_pairs[i].candidate_ns, m_outside[i].candidate),
                                  theirs = alike(m_pairs[i].reference_ns, m_outside[i].reference);
        if (!m_pairs[i].dropped && own.size() >= leastCalls && theirs.size() >= leastCalls)
            effects.push_back(unevenness(own) - unevenness(theirs));
    }
    if (effects.size() < leastRounds)
        return;
    const auto [effect, error] = meanOf(effects);
    // Handing over itself varies by this much, and that is a larger share of the faster side's calls.
    const double ofHandingOver_ns = onCpu() ? 25e3 : 1e3;
    if (effect - 2.5 * error > unseen && (std::exp(effect) - 1) * wall(0).candidate_ns > ofHandingOver_ns)
        scaleCandidate(std::exp(effect), "that its calls take on average beyond those that stand for a round");
}

void Pairing::scaleCandidate(double factor, const char* why)
{
    for (protocol::PairSamples& pair : m_pairs) {
        for (double& call : pair.candidate_ns)
            call *= factor;
        for (double& call : pair.candidateEvent_ns)
            call *= factor;
    }
    char percent[32];
    std::snprintf(percent, sizeof percent, "%.1f %% ", 100 * (factor - 1));
    m_charges.push_back(percent + std::string(why));
}

void Pairing::charge()
{
    refuseForeignWork();
    if (cannotCharge())
        return;
    holdAgainstOutside(wall(0).candidate_ns);
    holdAgainstMeans();
    const double call_ns = wall(0).candidate_ns;
    const double added_ns = late_ns(call_ns) + early_ns(call_ns) + between_ns(call_ns);
    for (protocol::PairSamples& pair : m_pairs) {
        for (double& call : pair.candidate_ns)
            call += added_ns;
        for (double& call : pair.candidateEvent_ns)
            call += added_ns;
    }
}

std::string Pairing::disturbance(int foreign) const
{
    if (foreign > 0)
        return "somebody else had the GPU at work during the reference's round";
    return m_gpu.slowedDown() ? "the GPU was slowed down: " + m_gpu.read().text() : std::string();
}

int Pairing::dropCrowded(std::size_t from)
{
    const Uncrowded seen = withoutCrowded(std::span(m_crowding).subspan(from));
    for (std::size_t i = 0; i < seen.drop.size(); ++i) {
        m_pairs[from + i].dropped = seen.drop[i];
        m_pairs[from + i].droppedWhy = seen.drop[i] ? "other work wanted the cores" : "";
    }
    return seen.good;
}

void Pairing::runControl()
{
    const Round first = round(nullptr, 0, false, false), second = round(nullptr, 0, false, false);
    const bool swap = m_order() & 1;
    const double a = base::roundTime(first.wall_ns), b = base::roundTime(second.wall_ns);
    m_control.push_back({swap ? b : a, swap ? a : b, 0});
}

void Pairing::countTimed(const Round& own)
{
    m_checks.timed += static_cast<int>(own.wall_ns.size());
    // On a CPU, and where no list came back, the witness emptied the caches before all of them.
    m_checks.flushedOutside += own.outside.empty()
                                 ? static_cast<int>(own.wall_ns.size())
                                 : static_cast<int>(std::count(own.outside.begin(), own.outside.end(), 1));
}

void Pairing::verifyKept()
{
    // Some results are compared with float64 too: those of the first two rounds, and of one in three later rounds at
    // random.
    constexpr int firstOracles = 2;
    CompareKept request;
    if (m_onErrors && (m_oracles < firstOracles || m_order() % 3 == 0))
        request.oracle = m_call_ns < 1e9 ? Yardstick::Float64 : Yardstick::Reference;
    const CompareKept::Reply reply = m_reference.ask(request);
    if (reply.compared == 0)
        throw Refused({{"code", "unreadable_result"},
                       {"text", "A round ended without a result that could be compared."},
                       {"evidence", ""}});
    m_checks.compared += reply.compared;
    if (request.oracle != Yardstick::None) {
        ++m_oracles;
        m_onErrors(reply.errors);
    }
}

void Pairing::run(SubjectHandle& candidate, int instance, double seconds, int minPairs, double callLimit_s,
                  const std::function<bool(const std::vector<protocol::PairSamples>&)>& stop)
{
    constexpr std::size_t controlEvery = 8;
    constexpr double secondLong_ns = 1e9;
    const double limit_s = 2 * callLimit_s + 10;
    // A process gets faster by per cents in its first hundreds of calls. The candidate's process has made its trials;
    // the reference's makes these rounds instead.
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
            round(nullptr, 0, true, false);
    m_referenceSettled = true; // just now, or when an earlier candidate was timed
    const bool beforehand = m_call_ns < shortCall_ns;
    if (beforehand) {
        const double begun = secondsNow();
        round(&candidate, limit_s, true, false);
        spend(begun);
    }
    // Time alone never ends this before there are enough pairs: a candidate that wastes time must not be left with one
    // lucky pair. Nor does it end with pairs that other work has disturbed, unless that goes on and on.
    constexpr int patience = 3;
    const std::size_t from = m_pairs.size();
    int pairs = 0, good = 0;
    const auto least = [&] { return m_call_ns > secondLong_ns ? std::min(minPairs, 3) : minPairs; };
    for (; used < seconds || good < least(); ++pairs) {
        if (used > patience * seconds && pairs >= patience * least())
            break;
        const bool first = pairs == 0;
        if (!first && m_sinceRefresh_s >= m_refresh_s)
            refreshInputs();
        protocol::PairSamples pair;
        pair.instance = instance;
        pair.referenceFirst = m_order() & 1;
        Round reference, own;
        const int foreignBefore = m_referenceOff.foreign;
        const double begun = secondsNow();
        if (pair.referenceFirst)
            reference = round(nullptr, 0, first);
        own = round(&candidate, limit_s, first && !beforehand);
        if (!pair.referenceFirst)
            reference = round(nullptr, 0, first);
        countTimed(own);
        verifyKept();
        if (m_shape.controls && m_pairs.size() % controlEvery == controlEvery / 2 && !longCalls())
            runControl();
        spend(begun);
        pair.droppedWhy = disturbance(m_referenceOff.foreign - foreignBefore);
        pair.dropped = !pair.droppedWhy.empty();
        pair.reference_ns = std::move(reference.wall_ns);
        pair.referenceEvent_ns = std::move(reference.event_ns);
        pair.candidate_ns = std::move(own.wall_ns);
        pair.candidateEvent_ns = std::move(own.event_ns);
        m_pairs.push_back(std::move(pair));
        m_outside.push_back({std::move(reference.outside), std::move(own.outside)});
        m_crowding.push_back({reference.crowded, own.crowded, own.waited_ns, own.others_ns});
        good = onCpu() ? dropCrowded(from) : pairs + 1;
        if (good >= least() && stop(m_pairs))
            break;
    }
    if (good >= least() && good * 4 >= pairs)
        return;
    m_tooCrowded = true;
    for (std::size_t i = from; onCpu() && i < m_pairs.size(); ++i) {
        m_pairs[i].dropped = false;
        m_pairs[i].droppedWhy.clear();
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
