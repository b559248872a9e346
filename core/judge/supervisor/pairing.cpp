// SPDX-License-Identifier: GPL-3.0-or-later
// The course of pairs: in which order rounds are made, when there are enough of them, and which are dropped.
#include "core/judge/supervisor/pairing.h"

#include "core/base/statistics.h"
#include "core/judge/supervisor/slowdownbeside.h"
#include "core/judge/wire/steadyclock.h"

#include <algorithm>
#include <span>

namespace cudal1::judge {

using protocol::PairSamples;
using Round = RoundMaker::Round;

namespace {

/// Has the timed reference keep so many threads that sleep, for as long as the object lives: a round may throw, and the
/// next candidate must not be compared with a reference that still has them.
class LentThreads {
public:
    LentThreads(ReferenceSession& reference, int count) : m_reference(reference) { m_reference.keepThreads(count); }
    LentThreads(const LentThreads&) = delete;
    LentThreads& operator=(const LentThreads&) = delete;
    ~LentThreads() { m_reference.keepThreads(0); }

private:
    ReferenceSession& m_reference;
};

} // namespace

Pairing::Pairing(ReferenceSession& reference, const GpuState& gpu, int core, std::uint64_t seed, const Budget& budget)
    : m_reference(reference), m_gpu(gpu), m_account(core < 0), m_rounds(reference, m_account, core, seed, budget),
      m_order(std::random_device{}()), m_quick(budget.clearBy > 0)
{
}

void Pairing::run(SubjectHandle& candidate, int instance, double seconds, int minPairs, double callLimit_s,
                  const std::function<bool(const std::vector<PairSamples>&)>& stop)
{
    constexpr double veryLong_ns = 4e9;
    const double limit_s = 2 * callLimit_s + 10;
    double used = 0;
    m_rounds.refreshInputs();
    const bool beforehand = warmUp(candidate, limit_s, used);
    // Time alone never ends this before there are enough pairs: a candidate that wastes time must not be left with one
    // lucky pair. Nor does it end with pairs that other work has disturbed, unless that goes on and on.
    constexpr int patience = 3;
    constexpr int widePairs = 8;
    const std::size_t from = m_pairs.samples.size();
    int pairs = 0, good = 0;
    const auto least = [&] { return m_rounds.call_ns() > veryLong_ns ? std::min(minPairs, 3) : minPairs; };
    const auto wantsMore = [&] {
        return m_rounds.longCalls() && good < widePairs && !m_rounds.otherWork().isCrowd() && hasWideGain(from);
    };
    for (; used < seconds || good < least() || wantsMore(); ++pairs) {
        if (used > patience * seconds && pairs >= patience * least())
            break;
        makePair(candidate, instance, limit_s, pairs == 0, beforehand, used);
        good = m_rounds.onCpu() ? dropCrowded(from) : pairs + 1;
        const bool enough = stop(m_pairs.samples); // asked in any case: it tells how far this is
        m_cannotWin = m_quick && m_rounds.longCalls() && isMuchSlower(from);
        if (m_cannotWin)
            return;
        if (good >= least() && enough)
            break;
    }
    const bool besideOthers = m_rounds.onCpu() && m_rounds.otherWork().isCrowd();
    if (good >= least() && good * 4 >= pairs && !besideOthers)
        return;
    m_pairs.tooCrowded = true;
    for (std::size_t i = from; m_rounds.onCpu() && i < m_pairs.samples.size(); ++i) {
        m_pairs.samples[i].dropped = false;
        m_pairs.samples[i].droppedWhy.clear();
    }
}

bool Pairing::isMuchSlower(std::size_t from) const
{
    // Whoever wastes time to get here gains nothing by it.
    constexpr int enough = 2;
    constexpr double much = 2;
    int seen = 0;
    for (std::size_t i = from; i < m_pairs.samples.size(); ++i) {
        const PairSamples& pair = m_pairs.samples[i];
        if (pair.dropped)
            continue;
        if (base::roundTime(pair.candidate_ns) < much * base::roundTime(pair.reference_ns))
            return false;
        ++seen;
    }
    return seen >= enough;
}

bool Pairing::hasWideGain(std::size_t from) const
{
    constexpr double wide = 0.1;
    const std::vector<PairSamples> own(m_pairs.samples.begin() + static_cast<std::ptrdiff_t>(from),
                                       m_pairs.samples.end());
    const base::Interval gain = speedupOf(own, TimedClock::Wall, 0).speedup;
    return gain.valid() && gain.low > 1 && gain.relativeHalfWidth() > wide;
}

bool Pairing::warmUp(SubjectHandle& candidate, double limit_s, double& used)
{
    // A process gets faster by per cents in its first hundreds of calls. The candidate's process has made its trials;
    // the reference's makes these rounds instead.
    constexpr int firstRounds = 3;
    // Where calls are shorter than this, a process's first round is no sample: the memory that flushes caches is new to
    // it, and the few calls that are timed are cold.
    constexpr double shortCall_ns = 20e6;
    if (!m_reference.wasTimed())
        for (int i = 0; i < firstRounds && !m_rounds.longCalls(); ++i)
            m_rounds.make(nullptr, 0, true, false);
    m_rounds.referenceIsSettled(); // just now, or when an earlier candidate was timed
    if (m_rounds.call_ns() >= shortCall_ns)
        return false;
    const double begun = secondsNow();
    m_rounds.make(&candidate, limit_s, true, false);
    spend(begun, used);
    return true;
}

void Pairing::makePair(SubjectHandle& candidate, int instance, double limit_s, bool first, bool settled, double& used)
{
    constexpr std::size_t controlEvery = 8;
    if (!first)
        m_rounds.refreshInputsIfDue();
    PairSamples pair;
    pair.instance = instance;
    pair.referenceFirst = m_order() & 1;
    Round reference, own;
    const int foreignBefore = m_account.foreignToReference();
    double begun = secondsNow();
    if (pair.referenceFirst)
        reference = m_rounds.make(nullptr, 0, first);
    own = makeOwn(candidate, limit_s, first && !settled);
    if (!pair.referenceFirst)
        reference = m_rounds.make(nullptr, 0, first);
    countTimed(own);
    const double timed = secondsNow();
    verifyKept();
    if (m_rounds.longCalls())
        begun += secondsNow() - timed; // which takes longer than the pair did, and is no timing
    if (m_rounds.shape().controls && m_pairs.samples.size() % controlEvery == controlEvery / 2 && !m_rounds.longCalls())
        runControl();
    spend(begun, used);
    pair.droppedWhy = disturbance(m_account.foreignToReference() - foreignBefore);
    pair.dropped = !pair.droppedWhy.empty();
    pair.reference_ns = std::move(reference.wall_ns);
    pair.referenceEvent_ns = std::move(reference.event_ns);
    pair.candidate_ns = std::move(own.wall_ns);
    pair.candidateEvent_ns = std::move(own.event_ns);
    m_pairs.samples.push_back(std::move(pair));
    m_pairs.outside.push_back({std::move(reference.outside), std::move(own.outside)});
    m_pairs.elsewhere.push_back({std::move(reference.elsewhere_ns), std::move(own.elsewhere_ns)});
    m_pairs.crowding.push_back({reference.crowded, own.crowded, own.waited_ns, own.others_ns});
}

Round Pairing::makeOwn(SubjectHandle& candidate, double limit_s, bool first)
{
    constexpr unsigned comparedOneIn = 3;
    if (!m_buffers.give)
        return m_rounds.make(&candidate, limit_s, first);
    const bool compared = m_order() % comparedOneIn == 0;
    m_buffers.give();
    Round own = m_rounds.make(&candidate, limit_s, first, true, compared);
    if (compared)
        m_buffers.compare();
    return own;
}

void Pairing::spend(double since, double& used)
{
    const double spent = secondsNow() - since;
    used += spent;
    m_seconds += spent;
    m_rounds.spent(spent);
}

void Pairing::runApart(SubjectHandle& candidate, double callLimit_s,
                       const std::function<bool(std::size_t, bool)>& enough)
{
    const double limit_s = 2 * callLimit_s + 10;
    std::vector<Round> theirs, own;
    const auto timed = [this](const std::function<Round()>& run) {
        const double begun = secondsNow();
        Round done = run();
        m_rounds.spent(secondsNow() - begun);
        return done;
    };
    m_rounds.refreshInputs();
    do {
        m_rounds.refreshInputsIfDue();
        theirs.push_back(timed([&] { return m_rounds.make(nullptr, 0, theirs.empty()); }));
    } while (!enough(theirs.size(), false));
    do {
        m_rounds.refreshInputsIfDue();
        own.push_back(timed([&] { return m_rounds.make(&candidate, limit_s, own.empty()); }));
        countTimed(own.back());
        verifyKept();
    } while (!enough(own.size(), true));

    for (std::size_t i = 0; i < std::min(theirs.size(), own.size()); ++i) {
        PairSamples pair;
        m_pairs.outside.push_back({std::move(theirs[i].outside), std::move(own[i].outside)});
        pair.reference_ns = std::move(theirs[i].wall_ns);
        pair.referenceEvent_ns = std::move(theirs[i].event_ns);
        pair.candidate_ns = std::move(own[i].wall_ns);
        pair.candidateEvent_ns = std::move(own[i].event_ns);
        m_pairs.samples.push_back(std::move(pair));
    }
}

void Pairing::runControl()
{
    const Round first = m_rounds.make(nullptr, 0, false, false), second = m_rounds.make(nullptr, 0, false, false);
    const bool swap = m_order() & 1;
    const double a = base::roundTime(first.wall_ns), b = base::roundTime(second.wall_ns);
    m_control.push_back({swap ? b : a, swap ? a : b, 0});
}

void Pairing::countTimed(const RoundMaker::Round& own)
{
    m_checks.timed += static_cast<int>(own.wall_ns.size());
    // On a CPU, and where no list came back, the witness emptied the caches before all of them.
    m_checks.flushedOutside += own.outside.empty()
                                 ? static_cast<int>(own.wall_ns.size())
                                 : static_cast<int>(std::count(own.outside.begin(), own.outside.end(), 1));
}

bool Pairing::choosesOracle()
{
    constexpr int firstOracles = 2, amongFirst = 3; // there are three pairs of the longest calls
    if (!m_rounds.longCalls())
        return m_oracles < firstOracles || m_order() % 3 == 0;
    // Where calls are long, float64 takes as long as several pairs. What a search finds best is measured once more.
    for (const std::size_t wanted = m_quick ? 1 : firstOracles; m_oraclesAt.size() < wanted;)
        m_oraclesAt.insert(static_cast<int>(m_order() % amongFirst));
    return m_oraclesAt.contains(m_compared);
}

void Pairing::verifyKept()
{
    // Some results are compared with float64 too: those of the first two rounds, of one in three later rounds at
    // random, and all that are farther from the reference's than another order of the same sums takes them. Where calls
    // are long, it is two rounds of the first three, with a search's budget one, and all of the latter.
    CompareKept request;
    const Yardstick yardstick = m_rounds.call_ns() < 1e9 ? Yardstick::Float64 : Yardstick::Reference;
    if (m_onErrors && !m_isLessPrecise)
        request.doubted = yardstick;
    if (m_onErrors && choosesOracle())
        request.oracle = yardstick;
    ++m_compared;
    const CompareKept::Reply reply = m_reference.ask(request);
    if (reply.compared == 0)
        throw Refused({{"code", "unreadable_result"},
                       {"text", "A round ended without a result that could be compared."},
                       {"evidence", ""}});
    m_checks.compared += reply.compared;
    m_oracles += request.oracle != Yardstick::None;
    if (reply.measured) {
        m_isLessPrecise = m_isLessPrecise || (reply.errors.measured && excessOf(reply.errors) > 1);
        m_onErrors(reply.errors);
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
    const Uncrowded seen = withoutCrowded(std::span(m_pairs.crowding).subspan(from));
    for (std::size_t i = 0; i < seen.drop.size(); ++i) {
        m_pairs.samples[from + i].dropped = seen.drop[i];
        m_pairs.samples[from + i].droppedWhy = seen.drop[i] ? "other work wanted the cores" : "";
    }
    return seen.good;
}

void Pairing::charge()
{
    if (const int count = m_account.threadsToEqual(m_pairs); count > 0)
        timeWithThreads(count);
    m_account.charge(m_pairs);
}

void Pairing::timeWithThreads(int count)
{
    constexpr int rounds = 9;
    std::vector<double> around_ns;
    const LentThreads lent(m_reference, count);
    for (int made = 0; made < rounds; ++made) {
        const Round one = m_rounds.make(nullptr, 0, false, false);
        if (!one.crowded && one.around_ns)
            around_ns.push_back(*one.around_ns);
    }
    m_account.noteEqualThreads(std::move(around_ns));
}

double Pairing::slowdownBeside()
{
    return judge::slowdownBeside(m_rounds, m_pairs);
}

void Pairing::chargeBeside(double slowdown)
{
    m_account.chargeBeside(m_pairs, slowdown);
}

protocol::Control Pairing::control() const
{
    return {base::pairedSpeedup(m_control, 1), static_cast<int>(m_control.size())};
}

protocol::ClockSpeedup Pairing::wall(double instanceSpread) const
{
    return speedupOf(m_pairs.samples, TimedClock::Wall, instanceSpread);
}

protocol::ClockSpeedup Pairing::event(double instanceSpread) const
{
    return speedupOf(m_pairs.samples, TimedClock::Event, instanceSpread);
}

} // namespace cudal1::judge
