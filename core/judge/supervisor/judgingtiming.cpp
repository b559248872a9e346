// SPDX-License-Identifier: GPL-3.0-or-later
// One candidate on its way to a verdict: timing and what follows from it.
#include "core/base/bytestext.h"
#include "core/base/timetext.h"
#include "core/judge/supervisor/judging.h"

#include "core/base/symbolname.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace cudal1::judge {

using protocol::PairSamples;

void Judging::time(ReferenceSession& reference)
{
    m_doing = "being timed";
    const double begun = secondsNow();
    m_supervisor.next().settle();
    reference.settle();
    const double limit_s = callLimit(reference);
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
        pairing.emplace(m_supervisor, reference, gpu, m_supervisor.timingCore(m_request.device), seed, m_budget);
        pairing->expectCalls(m_shortestReferenceCall_s * 1e9);
        pairing->onErrors([this](const OracleErrors& errors) { noteOracle(errors); });
        try {
            timeInstances(reference, *pairing, limit_s);
            pairing->charge();
        } catch (...) {
            keepSamples();
            throw;
        }
        keepSamples();
    };
    measure(reference.seed());
    if (before.valid)
        m_out.environment.clock = "before: " + before.text() + "; after: " + gpu.read().text();
    if (m_budget.paper)
        measureAsPaper(reference, gpu, limit_s);
    readPrecision(reference, gpu, limit_s);
    m_out.speedup.wall = pairing->wall(0);
    if (!onCpu())
        observeActivity(reference, limit_s); // the last thing that this process does
    if (onCpu()) {
        endCandidate();
        if (pairing->slowdownBeside() > 0) {
            // The machine's own speed may have changed meanwhile. A new process is timed instead, and charged if the
            // reference is slowed down beside that one too. Its inputs are others, since the first may have left in the
            // candidate's folder what it knows of its own; readPrecision() takes the seed between.
            startCandidate(reference);
            trial(reference, "as_given", m_request.buildLimit_s);
            measure(reference.seed() + 2);
            endCandidate();
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
    m_out.stopReason = known.relativeHalfWidth() <= m_budget.halfWidth         ? "interval"
                     : withoutSpread.relativeHalfWidth() <= m_budget.halfWidth ? "instances"
                     : knownWellEnough(withoutSpread, m_budget)                ? "clear"
                                                                               : "budget";
    noteDropped();
    if (m_out.precision.atCandidateSettings.valid())
        m_out.precision.atCandidateSettings = speedupOf(m_pairsAtCandidateSettings, Clock::Wall, spread);
    measureFloor(reference);
    notePrecision();
    noteClocks();
    m_out.seconds.time = secondsNow() - begun;
}

void Judging::timeInstances(ReferenceSession& reference, Pairing& pairing, double limit_s)
{
    // A new fork averages out what clings to a process; one that compiles for seconds is not built again for it.
    const int instances = m_out.seconds.build + m_firstCall_s < 3 ? m_budget.instances : 1;
    for (int instance = 0; instance < instances; ++instance) {
        if (instance > 0) {
            startCandidate(reference);
            trial(reference, "as_given", m_request.buildLimit_s);
        }
        const double share = (m_budget.time_s - pairing.seconds()) / (instances - instance);
        if (instance > 0 && share < 0.05)
            break;
        const std::size_t known = pairing.pairs().size();
        std::size_t next = 10; // pairs
        pairing.run(*m_candidate, instance, share, instance == 0 ? m_budget.minPairs : 1, limit_s,
                    [&](const std::vector<PairSamples>& pairs) {
                        report("time", 0.5 + 0.45 * std::min(1.0, pairing.seconds() / m_budget.time_s),
                               "timing: " + std::to_string(pairs.size()) + " pairs");
                        if (pairs.size() - known < next)
                            return false;
                        const std::vector<PairSamples> own(pairs.begin() + static_cast<std::ptrdiff_t>(known),
                                                           pairs.end());
                        next += next / 5; // an interval takes as long as half a round, and one pair hardly changes it
                        return knownWellEnough(speedupOf(own, Clock::Wall, 0).speedup, m_budget);
                    });
    }
}

void Judging::noteCharges(const Pairing& pairing)
{
    std::string added;
    for (const std::string& charge : pairing.charges())
        added += (added.empty() ? "" : "; ") + charge;
    // On a machine that was too crowded nobody can tell whose work it was, so it is no finding about the candidate.
    if (pairing.tooCrowded())
        label(
            "crowded",
            "Other work wanted the cores for as long as this was timed, so the speed-up says little. Judge it again when the machine is idle.",
            number(100 * pairing.crowdedShare(), "%.0f") + " % of the rounds" +
                (added.empty() ? "" : "; added to its calls: " + added));
    else if (!added.empty())
        label("charged_time", "It also worked where the clock does not run, and that was added to its calls.", added);
}

double Judging::instanceSpread() const
{
    // Calibrated by the same work on both sides (docs/measuring/time.md): what is bound by the host varies from process
    // to process, what is bound by the device hardly does.
    constexpr double onDevice = 0.0018, onHost = 0.0055, ofCpuDevice = 0.0095;
    constexpr double ofCpuCall_ns = 700; // some of two processes' calls of the same few microseconds
    const protocol::ClockSpeedup wall = speedupOf(m_out.pairs, Clock::Wall, 0);
    if (onCpu())
        return wall.valid() ? std::hypot(ofCpuDevice, ofCpuCall_ns / std::min(wall.reference_ns, wall.candidate_ns))
                            : ofCpuDevice;
    const protocol::ClockSpeedup& busy = m_out.speedup.gpuBusy;
    if (!busy.valid() || !wall.valid())
        return onHost;
    const double idle = 1 - std::min(busy.candidate_ns / wall.candidate_ns, busy.reference_ns / wall.reference_ns);
    return onDevice + (onHost - onDevice) * std::clamp(idle, 0.0, 1.0);
}

void Judging::observeActivity(ReferenceSession& reference, double limit_s)
{
    try {
        const ObserveBusy::Reply& theirs = reference.busy();
        const ObserveBusy::Reply own = demand(m_supervisor, *m_candidate, ObserveBusy{5, m_inputSeeds->next()},
                                              5 * limit_s);
        const std::vector<double>&referenceBusy = theirs.busy_ns, &candidateBusy = own.busy_ns;
        std::vector<base::PairTimes> pairs;
        for (std::size_t i = 0; i < std::min(referenceBusy.size(), candidateBusy.size()); ++i)
            if (referenceBusy[i] > 0 && candidateBusy[i] > 0)
                pairs.push_back({referenceBusy[i], candidateBusy[i], 0});
        m_out.speedup.gpuBusy = {base::pairedSpeedup(pairs, 1), base::median(referenceBusy),
                                 base::median(candidateBusy)};
        if (pairs.empty())
            label("no_gpu_busy", "No GPU activity was recorded in the calls.");
        noteLibraryCalls(theirs.kernels, own.kernels);
    } catch (const Refused& refused) {
        if (refused.code != "internal" && refused.code != "out_of_memory")
            throw;
        label("no_gpu_busy", "GPU activity could not be recorded.", refused.evidence);
    }
}

void Judging::noteLibraryCalls(const std::map<std::string, int>& theirs, const std::map<std::string, int>& own)
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
    label("library_calls",
          "It launches no kernel that the reference does not launch too: what it gains is not in kernels.", names);
}

void Judging::readPrecision(ReferenceSession& reference, const GpuState& gpu, double limit_s)
{
    const PrecisionFlags own = demand(m_supervisor, *m_candidate, ReadState{}, limit_s).flags,
                         theirs = reference.flags();
    m_out.precision.candidate = own.text;
    m_out.precision.reference = theirs.text;
    m_flagsMatch = m_out.precision.matched = own == theirs;
    if (m_flagsMatch)
        return;
    m_doing = "being timed against the reference at its own precision";
    reference.setFlags(own);
    const auto restore = [&] { reference.setFlags(theirs); };
    try {
        Pairing pairing(m_supervisor, reference, gpu, m_supervisor.timingCore(m_request.device), reference.seed() + 1,
                        m_budget);
        pairing.expectCalls(m_shortestReferenceCall_s * 1e9);
        pairing.run(*m_candidate, 0, m_budget.time_s / 4, m_budget.minPairs, limit_s,
                    [this](const std::vector<PairSamples>& pairs) {
                        return pairs.size() >= 6 && knownWellEnough(speedupOf(pairs, Clock::Wall, 0).speedup, m_budget);
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

void Judging::measureFloor(ReferenceSession& reference)
{
    if (onCpu() || reference.first_ns() > 5e9)
        return;
    const MeasureTraffic::Reply& traffic = reference.traffic();
    protocol::Floor& floor = m_out.floor;
    floor.read_bytes = traffic.read;
    floor.written_bytes = traffic.written;
    floor.bytesPerSecond = m_supervisor.notes(m_request.device).bytesPerSecond;
    // What the last-level cache can hold need not reach the memory before the clock stops.
    const double mustMove = traffic.read + traffic.written - static_cast<double>(m_out.device.l2_bytes);
    if (mustMove > 0 && floor.bytesPerSecond > 0)
        floor.time_ns = mustMove / floor.bytesPerSecond * 1e9;
    if (floor.time_ns > 0 && m_out.speedup.wall.candidate_ns < 0.85 * floor.time_ns)
        label(
            "below_floor",
            "Faster than the device can move the bytes of inputs and result: its work cannot all be inside the timed interval.",
            base::timeText(m_out.speedup.wall.candidate_ns) + " a call; " + base::bytesText(mustMove) + " at " +
                base::rateText(floor.bytesPerSecond) + " take " + base::timeText(floor.time_ns));
}

void Judging::noteDropped()
{
    const auto isDropped = [](const PairSamples& pair) { return pair.dropped; };
    const auto dropped = static_cast<std::size_t>(std::count_if(m_out.pairs.begin(), m_out.pairs.end(), isDropped));
    if (dropped * 5 > m_out.pairs.size())
        label("disturbed",
              std::to_string(dropped) + " of " + std::to_string(m_out.pairs.size()) + " pairs were thrown away.",
              std::find_if(m_out.pairs.begin(), m_out.pairs.end(), isDropped)->droppedWhy);
}

void Judging::notePrecision()
{
    const protocol::Oracle& oracle = m_out.precision.oracle;
    const bool lower = oracle.effective == "tf32" || oracle.effective == "bf16";
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
    label("precision", text, evidence);
}

void Judging::noteClocks()
{
    const base::Interval& wall = m_out.speedup.wall.speedup;
    const base::Interval& event = m_out.speedup.event.speedup;
    // Wall time without events on both sides alike is launch overhead; on the candidate's alone it is work out of
    // sight.
    const double hidden_ns = (m_out.speedup.wall.candidate_ns - m_out.speedup.event.candidate_ns) -
                             (m_out.speedup.wall.reference_ns - m_out.speedup.event.reference_ns);
    if (wall.valid() && event.valid() && std::abs(hidden_ns) > std::max(10e3, 0.03 * m_out.speedup.wall.candidate_ns) &&
        (event.low > wall.high * 1.03 || event.high < wall.low / 1.03)) {
        label("clock_disagreement",
              "Events on the current stream say " + number(event.estimate, "%.2f") + "x, the wall clock " +
                  number(wall.estimate, "%.2f") + "x.",
              "candidate: " + base::timeText(m_out.speedup.event.candidate_ns) + " by events, " +
                  base::timeText(m_out.speedup.wall.candidate_ns) +
                  " by wall; reference: " + base::timeText(m_out.speedup.event.reference_ns) + " by events, " +
                  base::timeText(m_out.speedup.wall.reference_ns) + " by wall");
    }
    if (wall.low > 10)
        label("large_speedup", "More than ten times faster: worth a look at what it leaves out.");
}

} // namespace cudal1::judge
