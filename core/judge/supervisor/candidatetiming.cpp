// SPDX-License-Identifier: GPL-3.0-or-later
// Timing of a candidate, and the labels that follow from it.
#include "core/judge/supervisor/candidatetiming.h"

#include "core/base/bytestext.h"
#include "core/base/ratiotext.h"
#include "core/base/symbolname.h"
#include "core/base/timetext.h"
#include "core/judge/supervisor/formattednumber.h"
#include "core/judge/supervisor/papertiming.h"
#include "core/judge/wire/steadyclock.h"
#include "core/protocol/marks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace cudal1::judge {

using protocol::PairSamples;

namespace {

/// "timing: 3 pairs, 84.2× so far": the median ratio of the pairs that count, without what may be charged in the end.
std::string soFar(const std::vector<PairSamples>& pairs)
{
    std::vector<double> ratios;
    for (const PairSamples& pair : pairs)
        if (!pair.dropped)
            ratios.push_back(base::roundTime(pair.reference_ns) / base::roundTime(pair.candidate_ns));
    std::string text = "timing: " + std::to_string(pairs.size()) + (pairs.size() == 1 ? " pair" : " pairs");
    return ratios.empty() ? text : text + ", " + base::ratioText(base::median(ratios)) + " so far";
}

} // namespace

CandidateTiming::CandidateTiming(JudgedCandidate& candidate, CandidateTrials& trials, ReferenceSession& reference)
    : m_candidate(candidate), m_trials(trials), m_reference(reference), m_supervisor(candidate.supervisor()),
      m_request(candidate.request()), m_budget(candidate.budget()), m_out(candidate.evaluation())
{
}

void CandidateTiming::run()
{
    m_candidate.nowDoing("being timed");
    const double begun = secondsNow();
    m_supervisor.next().settle();
    m_reference.settle();
    const double limit_s = m_candidate.callLimit(m_reference);
    m_trials.useTimedWeights(limit_s);
    const GpuState& gpu = m_supervisor.gpuState(m_out.device.uuid);
    const GpuReading before = gpu.read();
    std::optional<Pairing> pairing;
    const auto keepSamples = [&] {
        m_out.pairs = pairing->pairs();
        m_out.timedChecks = pairing->checks();
        m_out.control = pairing->control();
        m_out.seconds.time = secondsNow() - begun;
    };
    const auto measure = [&](std::uint64_t seed) {
        pairing.emplace(m_reference, gpu, m_supervisor.timingCore(m_request.device), seed, m_budget);
        pairing->expectCalls(m_trials.shortestReferenceCall_s() * 1e9);
        pairing->onErrors([this](const OracleErrors& errors) { m_candidate.noteOracle(errors); });
        if (!m_reference.layout().buffers.empty() && !m_trials.buffersDiffer())
            pairing->onBuffers({[this, limit_s] { m_trials.giveBuffers(limit_s); },
                                [this, limit_s] { m_trials.compareBuffers(limit_s, true); }});
        try {
            timeInstances(*pairing, limit_s);
            pairing->charge();
        } catch (...) {
            keepSamples();
            throw;
        }
        keepSamples();
    };
    measure(m_reference.seed());
    if (before.valid)
        m_out.environment.clock = "before: " + before.text() + "; after: " + gpu.read().text();
    if (m_budget.paper)
        PaperTiming(m_candidate, m_reference, gpu, limit_s).measure();
    readPrecision(gpu, limit_s);
    m_out.speedup.wall = pairing->wall(0);
    if (!m_candidate.onCpu())
        observeActivity(limit_s); // the last thing that this process does
    if (m_candidate.onCpu()) {
        m_candidate.end();
        if (pairing->slowdownBeside() > 0) {
            // The machine's own speed may have changed meanwhile. A new process is timed instead, and charged if the
            // reference is slowed down beside that one too. Its inputs are others, since the first may have left in the
            // candidate's folder what it knows of its own; readPrecision() takes the seed between.
            m_trials.startAgain();
            measure(m_reference.seed() + 2);
            m_candidate.end();
            pairing->chargeBeside(pairing->slowdownBeside());
            keepSamples();
        }
    }
    noteCharges(*pairing);
    // What crowded measurements of equal work have been seen to err by: a factor of four either way.
    constexpr double crowdedSpread = 0.7;
    const double spread = pairing->tooCrowded() ? crowdedSpread : instanceSpread();
    m_out.speedup.wall = pairing->wall(spread);
    m_out.speedup.event = pairing->event(spread);
    const base::Interval &known = m_out.speedup.wall.speedup, withoutSpread = pairing->wall(0).speedup;
    m_out.stopReason = pairing->cannotWin()                                    ? "slower"
                     : known.relativeHalfWidth() <= m_budget.halfWidth         ? "interval"
                     : withoutSpread.relativeHalfWidth() <= m_budget.halfWidth ? "instances"
                     : knownWellEnough(withoutSpread, m_budget)                ? "clear"
                                                                               : "budget";
    noteDropped();
    noteFewPairs();
    if (m_out.precision.atCandidateSettings.valid())
        m_out.precision.atCandidateSettings = speedupOf(m_pairsAtCandidateSettings, TimedClock::Wall, spread);
    measureFloor();
    notePrecision();
    noteLastOperators();
    noteClocks();
    m_out.seconds.time = secondsNow() - begun;
}

void CandidateTiming::timeInstances(Pairing& pairing, double limit_s)
{
    // A new fork averages out what clings to a process; one that compiles for seconds is not built again for it.
    const int instances = m_out.seconds.build + m_trials.firstCall_s() < 3 ? m_budget.instances : 1;
    for (int instance = 0; instance < instances; ++instance) {
        if (instance > 0)
            m_trials.startAgain();
        const double share = (m_budget.time_s - pairing.seconds()) / (instances - instance);
        if (instance > 0 && share < 0.05)
            break;
        const std::size_t known = pairing.pairs().size();
        std::size_t next = 10; // pairs
        pairing.run(m_candidate.process(), instance, share, instance == 0 ? m_budget.minPairs : 1, limit_s,
                    [&](const std::vector<PairSamples>& pairs) {
                        m_candidate.report("time", 0.5 + 0.45 * std::min(1.0, pairing.seconds() / m_budget.time_s),
                                           soFar(pairs));
                        if (pairs.size() - known < next)
                            return false;
                        const std::vector<PairSamples> own(pairs.begin() + static_cast<std::ptrdiff_t>(known),
                                                           pairs.end());
                        next += next / 5; // an interval takes as long as half a round, and one pair hardly changes it
                        return knownWellEnough(speedupOf(own, TimedClock::Wall, 0).speedup, m_budget);
                    });
    }
}

void CandidateTiming::noteCharges(const Pairing& pairing)
{
    std::string added;
    for (const std::string& charge : pairing.charges())
        added += (added.empty() ? "" : "; ") + charge;
    // On a machine that was too crowded nobody can tell whose work it was, so it is no finding about the candidate.
    if (pairing.tooCrowded())
        m_candidate.label("crowded",
                          "Other work wanted the cores for as long as this was timed, so the speed-up says little. "
                          "Judge it again when the machine is idle.",
                          number(100 * pairing.crowdedShare(), "%.0f") + " % of the rounds; other work took " +
                              number(100 * pairing.othersShare(), "%.0f") + " % of the cores' time" +
                              (added.empty() ? "" : "; added to its calls: " + added));
    else if (!added.empty())
        m_candidate.label("charged_time",
                          "Time was added to its calls: for work where the clock does not run, or because they were "
                          "shorter than the least call.",
                          added);
    if (!pairing.unevenness().empty())
        m_candidate.label(
            "uneven_calls",
            "Its calls vary more than the reference's, so what counts is the average of all its calls, not "
            "of the faster ones.",
            pairing.unevenness());
}

double CandidateTiming::instanceSpread() const
{
    // Calibrated by the same work on both sides (docs/measuring/time.md): what is bound by the host varies from process
    // to process, what is bound by the device hardly does.
    constexpr double onDevice = 0.002, onHost = 0.0055, ofCpuDevice = 0.0095;
    constexpr double ofCpuCall_ns = 700; // some of two processes' calls of the same few microseconds
    const protocol::ClockSpeedup wall = speedupOf(m_out.pairs, TimedClock::Wall, 0);
    if (m_candidate.onCpu())
        return wall.valid() ? std::hypot(ofCpuDevice, ofCpuCall_ns / std::min(wall.reference_ns, wall.candidate_ns))
                            : ofCpuDevice;
    const protocol::ClockSpeedup& busy = m_out.speedup.gpuBusy;
    if (!busy.valid() || !wall.valid())
        return onHost;
    const double idle = 1 - std::min(busy.candidate_ns / wall.candidate_ns, busy.reference_ns / wall.reference_ns);
    return onDevice + (onHost - onDevice) * std::clamp(idle, 0.0, 1.0);
}

void CandidateTiming::observeActivity(double limit_s)
{
    try {
        const ObserveBusy::Reply& theirs = m_reference.busy();
        const ObserveBusy::Reply own = demand(m_supervisor, m_candidate.process(), ObserveBusy{5, m_trials.nextSeed()},
                                              5 * limit_s);
        const std::vector<double>&referenceBusy = theirs.busy_ns, &candidateBusy = own.busy_ns;
        std::vector<base::PairTimes> pairs;
        for (std::size_t i = 0; i < std::min(referenceBusy.size(), candidateBusy.size()); ++i)
            if (referenceBusy[i] > 0 && candidateBusy[i] > 0)
                pairs.push_back({referenceBusy[i], candidateBusy[i], 0});
        m_out.speedup.gpuBusy = {base::pairedSpeedup(pairs, 1), base::median(referenceBusy),
                                 base::median(candidateBusy)};
        if (pairs.empty())
            m_candidate.label("no_gpu_busy", "No GPU activity was recorded in the calls.");
        noteLibraryCalls(theirs.kernels, own.kernels);
    } catch (const Refused& refused) {
        if (refused.code != "internal" && refused.code != "out_of_memory")
            throw;
        m_candidate.label("no_gpu_busy", "GPU activity could not be recorded.", refused.evidence);
    }
}

void CandidateTiming::noteLibraryCalls(const std::map<std::string, int>& theirs, const std::map<std::string, int>& own)
{
    if (m_out.speedup.wall.speedup.low <= 1.05 || own.empty() ||
        !std::all_of(own.begin(), own.end(), [&](const auto& kernel) { return theirs.contains(kernel.first); }))
        return;
    constexpr std::size_t most = 80; // characters: what follows in such names are types
    std::string names;
    for (const auto& [symbol, count] : own) {
        const std::string name = base::demangled(symbol);
        names += (names.empty() ? "" : "; ") + (name.size() > most ? name.substr(0, most) + "…" : name);
    }
    m_candidate.label("library_calls",
                      "It launches no kernel that the reference does not launch too: what it gains is not in kernels.",
                      names);
}

void CandidateTiming::readPrecision(const GpuState& gpu, double limit_s)
{
    const PrecisionFlags own = demand(m_supervisor, m_candidate.process(), ReadState{m_reference.changed()}, limit_s)
                                   .flags,
                         theirs = m_reference.flags();
    m_out.precision.candidate = own.text;
    m_out.precision.reference = theirs.text;
    m_flagsMatch = m_out.precision.matched = own == theirs;
    if (m_flagsMatch)
        return;
    m_candidate.nowDoing("being timed against the reference at its own precision");
    m_reference.setFlags(own);
    const auto restore = [&] { m_reference.setFlags(theirs); };
    try {
        Pairing pairing(m_reference, gpu, m_supervisor.timingCore(m_request.device), m_reference.seed() + 1, m_budget);
        pairing.expectCalls(m_trials.shortestReferenceCall_s() * 1e9);
        pairing.run(m_candidate.process(), 0, m_budget.time_s / 4, m_budget.minPairs, limit_s,
                    [this](const std::vector<PairSamples>& pairs) {
                        return pairs.size() >= 6 &&
                               knownWellEnough(speedupOf(pairs, TimedClock::Wall, 0).speedup, m_budget);
                    });
        pairing.charge();
        m_out.precision.atCandidateSettings = pairing.wall(0);
        m_pairsAtCandidateSettings = pairing.pairs();
    } catch (...) {
        restore();
        throw;
    }
    restore();
}

void CandidateTiming::measureFloor()
{
    if (m_candidate.onCpu() || m_reference.first_ns() > 5e9)
        return;
    const MeasureTraffic::Reply& traffic = m_reference.traffic();
    protocol::Floor& floor = m_out.floor;
    floor.read_bytes = traffic.read;
    floor.written_bytes = traffic.written;
    floor.bytesPerSecond = m_supervisor.notes(m_request.device).bytesPerSecond;
    // What the last-level cache can hold need not reach the memory before the clock stops.
    const double mustMove = traffic.read + traffic.written - static_cast<double>(m_out.device.l2_bytes);
    if (mustMove > 0 && floor.bytesPerSecond > 0)
        floor.time_ns = mustMove / floor.bytesPerSecond * 1e9;
    if (floor.time_ns > 0 && m_out.speedup.wall.candidate_ns < 0.85 * floor.time_ns)
        m_candidate.label("below_floor",
                          "Faster than the device can move the bytes of inputs and result: its work cannot all "
                          "be inside the timed interval.",
                          base::timeText(m_out.speedup.wall.candidate_ns) + " a call; " + base::bytesText(mustMove) +
                              " at " + base::rateText(floor.bytesPerSecond) + " take " + base::timeText(floor.time_ns));
}

void CandidateTiming::noteDropped()
{
    const auto isDropped = [](const PairSamples& pair) { return pair.dropped; };
    const auto dropped = static_cast<std::size_t>(std::count_if(m_out.pairs.begin(), m_out.pairs.end(), isDropped));
    if (dropped * 5 > m_out.pairs.size())
        m_candidate.label("disturbed",
                          std::to_string(dropped) + " of " + std::to_string(m_out.pairs.size()) +
                              " pairs were thrown away.",
                          std::find_if(m_out.pairs.begin(), m_out.pairs.end(), isDropped)->droppedWhy);
}

void CandidateTiming::noteFewPairs()
{
    const auto counted = std::count_if(m_out.pairs.begin(), m_out.pairs.end(),
                                       [](const PairSamples& pair) { return !pair.dropped; });
    if (counted > 0 && counted < m_budget.minPairs && m_out.stopReason != "slower")
        m_candidate.label("few_pairs", "It was timed in fewer pairs than others, since its calls are long.",
                          counted == 1 ? "one pair" : std::to_string(counted) + " pairs");
}

void CandidateTiming::notePrecision()
{
    const protocol::Oracle& oracle = m_out.precision.oracle;
    const bool lower = !oracle.effective.empty() && oracle.effective != "as the reference";
    if (m_flagsMatch && !lower)
        return;
    m_out.precision.matched = m_flagsMatch && !lower;
    std::string text = m_flagsMatch ? "The candidate computes less precisely than the reference."
                                    : "The candidate computes with " + m_out.precision.candidate +
                                          ", the reference with " + m_out.precision.reference + ".";
    std::string evidence;
    if (!oracle.effective.empty())
        evidence = std::string(oracle.why.empty() ? "error against float64"
                                                  : "difference from the reference's result") +
                   ": candidate " + number(oracle.candidateError, "%.1e") + " (" + oracle.effective + "), " +
                   (oracle.why.empty() ? "reference " : "of rounding alone at most ") +
                   number(oracle.referenceError, "%.1e");
    m_candidate.label("precision", text, evidence);
}

void CandidateTiming::noteLastOperators()
{
    const ReferenceSession::Nulls& nulls = m_reference.nulls;
    const base::Interval& gain = m_out.speedup.wall.speedup;
    if (nulls.trials < m_budget.minTrials || !nulls.onlyLastOperator() || !gain.valid())
        return;
    // Calls may have become slower since, for both; but these operators take no longer than all that the device does in
    // a call, where that is known.
    const double reference_ns = m_out.speedup.wall.reference_ns;
    const double slower = std::max(1.0, reference_ns / nulls.call_ns), busy_ns = m_out.speedup.gpuBusy.reference_ns;
    const bool isAll = m_out.speedup.gpuBusy.valid() && nulls.lastOperators_ns < std::numeric_limits<double>::max() &&
                       nulls.lastOperators_ns * slower > busy_ns;
    const double leftOut_ns = isAll ? busy_ns : nulls.lastOperators_ns * slower;
    // Of a program that leaves these operators out and then runs the same kernels for them.
    const double atLeast = 1 / (1 / gain.low + leftOut_ns / reference_ns);
    const bool gains = gain.low > protocol::leastGain;
    std::string evidence = nulls.text();
    if (!(leftOut_ns < std::numeric_limits<double>::max()))
        evidence += "; how much work that leaves out is not known";
    else if (gains)
        evidence += std::string("; what that leaves out takes the device ") + (isAll ? "at most " : "about ") +
                    base::timeText(leftOut_ns) + (isAll ? ", all that it does in a call" : " a call") +
                    ", so a program that has it done too, without waiting for the host, gains at least " +
                    number(atLeast, "%.2f") + "x";
    // Half of the gain must be certain, as it multiplies.
    if (gains && (atLeast <= protocol::leastGain || atLeast * atLeast < gain.low))
        m_candidate.label("degenerate_task",
                          "This task tells little: a program may leave out the last operators, which may be what the "
                          "gain comes from.",
                          evidence);
    else
        m_candidate.label("last_operator_unseen",
                          std::string("A program may leave out the last operators unseen") +
                              (gains ? ", but they take too little time to be most of the gain." : "."),
                          evidence);
}

void CandidateTiming::noteClocks()
{
    const base::Interval& wall = m_out.speedup.wall.speedup;
    const base::Interval& event = m_out.speedup.event.speedup;
    // Wall time without events on both sides alike is launch overhead; on the candidate's alone it is work out of
    // sight.
    const double hidden_ns = (m_out.speedup.wall.candidate_ns - m_out.speedup.event.candidate_ns) -
                             (m_out.speedup.wall.reference_ns - m_out.speedup.event.reference_ns);
    if (wall.valid() && event.valid() && std::abs(hidden_ns) > std::max(10e3, 0.03 * m_out.speedup.wall.candidate_ns) &&
        (event.low > wall.high * 1.03 || event.high < wall.low / 1.03)) {
        m_candidate.label("clock_disagreement",
                          "Events on the current stream say " + number(event.estimate, "%.2f") + "x, the wall clock " +
                              number(wall.estimate, "%.2f") + "x.",
                          "candidate: " + base::timeText(m_out.speedup.event.candidate_ns) + " by events, " +
                              base::timeText(m_out.speedup.wall.candidate_ns) +
                              " by wall; reference: " + base::timeText(m_out.speedup.event.reference_ns) +
                              " by events, " + base::timeText(m_out.speedup.wall.reference_ns) + " by wall");
    }
    if (wall.low > 10)
        m_candidate.label("large_speedup", "It is more than ten times as fast as the reference.");
}

} // namespace cudal1::judge
