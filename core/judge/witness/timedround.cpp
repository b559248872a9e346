// SPDX-License-Identifier: GPL-3.0-or-later
// The course of a timed round, and of each of its calls.
#include "core/judge/witness/timedround.h"

#include "core/base/statistics.h"
#include "core/judge/wire/handover.h"
#include "core/judge/witness/contents.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace cudal1::judge {

namespace {

/// Keeps at most 256 samples, evenly chosen: a round of microsecond calls has thousands, and every sample is stored.
template<typename Number> void thin(std::vector<Number>& samples)
{
    constexpr std::size_t most = 256;
    if (samples.size() <= most)
        return;
    for (std::size_t i = 0; i < most; ++i)
        samples[i] = samples[i * samples.size() / most];
    samples.resize(most);
}

constexpr std::uint64_t keepOtherOneIn = 2; ///< rounds

/// Whether a call on inputs of this family takes what one on the task's own inputs takes. A program can be faster where
/// all elements are equal, or most are zero, and its user never has such inputs. Of an element that is larger than
/// others it learns only when it has read all of them, and elements of other rows are as the task's own.
bool isTypical(const std::string& family)
{
    return family == "as_given" || family == "spiked" || family == "blended";
}

} // namespace

TimedRound::TimedRound(const Means& means, DrivenSubject& subject, const RunRound& request, Driver::Patience patience)
    : m_reference(means.reference), m_driver(means.driver), m_calls(means.calls), m_kept(means.kept),
      m_copied(means.copied), m_takenByLast(means.taken), m_made(means.made), m_knownBefore(means.known),
      m_request(request), m_subject(subject), m_patience(std::move(patience)),
      m_onGpu(means.reference.device().is_cuda()),
      m_most(std::min(means.calls.mostKept(), static_cast<std::size_t>(std::max(request.mostKept, 1)))),
      m_handed(means.reference, subject), m_keepsOther(request.keep && !request.paired && oneIn(keepOtherOneIn)),
      m_isOther(numbersOfOthers())
{
    m_made.clear();
    m_subject.pin(request.core);
    if (!m_reference.device().is_cpu())
        return; // there nobody asks who waited, and a process has some fifty threads to read of
    m_before = m_subject.schedule();
    m_ownBefore = ownSchedule();
    if (m_request.paired)
        m_handed.goOn(m_knownBefore);
}

TimedRound::~TimedRound()
{
    m_driver.finish(m_subject);
    m_subject.pin(-1);
    m_takenByLast = m_taken;
    m_knownBefore = m_handed.known();
}

RunRound::Reply TimedRound::run()
{
    m_out.ending = makeCalls();
    for (const auto& [inputs, after] : m_after)
        noteInputs(m_driver.changed(after, inputs));
    if (m_reference.device().is_cpu())
        noteWaiting();
    noteOthers();
    if (m_otherKept && m_request.side == DrivenSide::Candidate)
        m_kept.push_back(*std::move(m_otherKept));
    if (m_request.side == DrivenSide::Candidate)
        std::move(m_keptBeside.begin(), m_keptBeside.end(), std::back_inserter(m_kept));
    thin(m_out.wall_ns);
    thin(m_out.tail_ns);
    thin(m_out.ready_ns);
    thin(m_out.outside);
    thin(m_out.calls);
    return std::move(m_out);
}

Ending TimedRound::makeCalls()
{
    if (m_request.side == DrivenSide::Reference && m_onGpu)
        m_out.probe_ns.push_back(m_driver.probe()); // the candidate may have left work on the device
    if (const Ending ending = settle(); !ending.empty())
        return ending;
    double begun = clock_ns();
    for (bool first = true;
         m_request.warmup_ns >= 0 && (first || clock_ns() - begun < static_cast<double>(m_request.warmup_ns));
         first = false)
        if (const Ending ending = call(false); !ending.empty())
            return ending;
    if (const Ending ending = measureEmpty(); !ending.empty())
        return ending;
    begun = clock_ns();
    // Of one or two samples nobody could say whether they stand for all calls. So a round on a GPU takes up to twice as
    // long to get three.
    const auto duration_ns = [this] {
        return static_cast<double>(m_request.duration_ns) * (m_onGpu && m_out.wall_ns.size() < 3 ? 2 : 1);
    };
    while (m_out.wall_ns.empty() ||
           (static_cast<int>(m_out.wall_ns.size()) < m_request.maxCalls && clock_ns() - begun < duration_ns()))
        if (const Ending ending = call(true); !ending.empty())
            return ending;
    return {};
}

Ending TimedRound::settle()
{
    constexpr std::size_t block = 4;
    constexpr double faster = 0.01;
    const double begun = clock_ns();
    int alike = 0;
    double best = std::numeric_limits<double>::infinity();
    while (alike < 3 && clock_ns() - begun < static_cast<double>(m_request.settle_ns)) {
        std::vector<double> times;
        while (times.size() < block) {
            if (const Ending ending = call(false); !ending.empty())
                return ending;
            times.push_back(m_last_ns);
        }
        const double time = base::roundTime(times);
        alike = time > best * (1 - faster) ? alike + 1 : 0;
        best = std::min(best, time);
    }
    return {};
}

Ending TimedRound::measureEmpty()
{
    constexpr int steps = 3;
    std::vector<double> times;
    while (m_request.side == DrivenSide::Reference && times.size() < steps) {
        double wall_ns = 0;
        if (const Ending ending = m_driver.runEmpty(m_subject, m_patience, wall_ns); !ending.empty())
            return ending;
        times.push_back(wall_ns);
    }
    if (!times.empty())
        m_out.empty_ns = *std::min_element(times.begin(), times.end());
    return {};
}

Ending TimedRound::call(bool counts)
{
    constexpr double mostReady_ns = 20e9; // of a round
    SecretCall secret = nextSecret();
    const bool isOther = !counts || m_handed.areHeld(), keepsOther = isOther && choosesOther();
    const std::uint64_t place = placeAmongKept(counts);
    Driver::Plan plan = planOf(secret.seed, counts, keepsOther || place < m_most || secret.isCompared);
    Driver::Call done;
    const double begun = clock_ns();
    const Ending ending = drive(plan, secret, done);
    if (!ending.empty())
        return ending;
    const double withAll_ns = m_laying_ns + clock_ns() - begun;
    if (m_onGpu && !plan.peek && (m_out.withAll_ns == 0 || withAll_ns < m_out.withAll_ns))
        m_out.withAll_ns = withAll_ns;
    noteProbes(plan, done, counts);
    if (plan.launch)
        m_out.launch_ns.push_back(done.wall_ns);
    if (plan.peek || plan.launch)
        return {};
    if (m_request.record)
        record(secret);
    m_out.threads = m_number == 0 ? done.threads : std::min(m_out.threads, done.threads);
    if (m_handed.wereWritten(done.places)) {
        done.wall_ns += done.ready_ns; // it wrote a part of these results while it got ready
        done.wallWorked_ns += done.ready_ns;
        // Or in a call of this round that is no sample. Where calls are long nothing else asks what such calls take.
        if (m_request.paired)
            done.wall_ns += othersBeyond_ns(done.wall_ns, done.ready_ns);
    }
    m_last_ns = done.wall_ns;
    m_ready_ns += done.ready_ns;
    m_wall_ns += done.wall_ns;
    if (m_ready_ns > mostReady_ns + 10 * m_wall_ns)
        return "silent"; // otherwise it could hold up the judge as long as it likes, off the clock
    const int number = m_number++;
    m_handed.checkHeld();
    const bool isElsewhere = cameFromElsewhere(plan, done, isOther);
    if (isOther || isElsewhere) {
        // This call is no sample of time: the framework's allocator works differently while a result is held, memory
        // that the witness had to map first took longer to read, and what lies in new memory need not be new. It does
        // not stand in for a sample among the calls that are compared: a process could be honest in these calls alone.
        m_others.push_back({done.wallWorked_ns, done.readyWorked_ns});
        if (!isOther && m_onGpu)
            m_out.elsewhere_ns.push_back(done.wall_ns);
        if (secret.isCompared)
            keepBeside(std::move(secret), done);
        else if (keepsOther || (!isOther && !done.results.empty() && choosesOther()))
            keepOther(std::move(secret), done);
        return {};
    }
    if (m_request.paired || isTypical(secret.family))
        noteSample(plan, done, number);
    else
        m_out.elsewhere_ns.push_back(done.wall_ns);
    ++m_seen;
    if (secret.isCompared)
        keepBeside(std::move(secret), done);
    else if (place < m_most)
        keep(place, std::move(secret), done);
    tryHandedResults(done.places);
    return {};
}

bool TimedRound::choosesOther()
{
    return m_keepsOther && oneIn(++m_seenOthers);
}

bool TimedRound::cameFromElsewhere(const Driver::Plan& plan, const Driver::Call& done, bool isOther)
{
    using Origin = HandedResults::Origin;
    if (m_request.paired && m_onGpu) {
        // These calls are so long, and so few, that each process has all the time that it wants in any case.
        m_opened += done.opened;
        return done.opened;
    }
    const Origin seen = m_handed.originOf(done.places), origin = done.opened ? Origin::New : seen;
    m_opened += origin == Origin::New;
    if ((plan.callFlags & Copied) && std::any_of(done.places.begin(), done.places.end(), [](const ResultPlace& place) {
            return place.kind != ResultPlace::Kind::Arena;
        }))
        throw Refusal("unreadable_result", "The result cannot be read where the process says that it is.",
                      "it was asked to copy its results to the shared memory, and names other memory");
    if (isOther)
        m_handed.startOver(done.places);
    else if (origin != Origin::Known)
        m_handed.spoil(done.places);
    return origin != Origin::Known;
}

SecretCall TimedRound::nextSecret()
{
    if (m_request.paired)
        return m_calls.pairedCall(m_request.side);
    return nextStaged();
}

SecretCall TimedRound::nextStaged()
{
    constexpr std::size_t few = 4;
    if (m_next.empty()) {
        const double begun = clock_ns();
        const std::size_t ahead = std::min(m_taken == 0 ? m_takenByLast + 1 : few, m_driver.callsAhead());
        while (m_next.size() < ahead) {
            const std::size_t slot = ahead - 1 - m_next.size();
            m_next.push_back(m_isOther.contains(m_taken + slot) ? m_calls.otherCall(m_request.side)
                                                                : m_calls.newCall());
            m_next.back().slot = slot;
            m_driver.lay(m_next.back().slot, m_next.back().inputs);
        }
        synchronise(m_reference.device());
        m_laying_ns = (clock_ns() - begun) / static_cast<double>(ahead);
    }
    SecretCall call = std::move(m_next.back());
    m_next.pop_back();
    ++m_taken;
    return call;
}

std::uint64_t TimedRound::placeAmongKept(bool counts) const
{
    if (!counts || !m_request.keep || m_handed.areHeld())
        return m_most;
    // Reservoir sampling: the first `m_most` calls are kept, and the n-th replaces one of them with probability m_most
    // / n. So all calls of the round have the same chance.
    return m_seen < m_most ? m_seen : secretNumber() % (m_seen + 1);
}

Driver::Plan TimedRound::planOf(std::uint64_t seed, bool counts, bool isKept)
{
    // One call in how many has which look at the device. Where a round has few calls, it still has some of each, and
    // the tail of every one.
    struct Looks {
        std::uint64_t probe, peek, launch, outside, tail;
    };
    constexpr Looks ofMany{12, 16, 16, 6, 2}, ofFew{4, 4, 4, 1, 1};
    constexpr std::uint64_t decoyOneIn = 2;
    constexpr int mostOpened = 16;
    const Looks& oneCallIn = m_request.fewCalls ? ofFew : ofMany;
    const bool held = m_handed.areHeld();
    Driver::Plan plan;
    // The process can tell which calls these are. That does not help it: the other calls are compared with these.
    // The first sample is one before which the witness emptied them, so that there is one in each round.
    plan.flush = !m_onGpu || !m_request.ownFlush || (counts && (m_seen == 0 || m_flushNext));
    plan.readyFlags = (held ? std::uint32_t{Hold} : 0) | (plan.flush ? 0 : std::uint32_t{Flush});
    plan.callFlags = m_reference.callFlags() | (m_copied ? std::uint32_t{Copied} : 0);
    plan.seed = seed;
    if (m_onGpu && counts && oneIn(oneCallIn.probe))
        do
            ++plan.probes;
        // There may be another one, so a process that notices a probe learns nothing from it.
        while (oneIn(oneCallIn.probe));
    plan.peek = m_onGpu && counts && !held && !m_request.paired && oneIn(oneCallIn.peek);
    plan.launch = m_onGpu && counts && !held && !m_request.paired && !plan.peek &&
                  m_request.side == DrivenSide::Reference && oneIn(oneCallIn.launch);
    plan.decoy = m_onGpu && oneIn(decoyOneIn);
    if (m_onGpu && counts) {
        // A probe after the call takes the device from the subject. Where the witness empties the caches before the
        // next call, it would do so in any case.
        m_flushNext = !m_request.ownFlush || oneIn(oneCallIn.outside);
        plan.tail = m_flushNext && (m_request.ownFlush || oneIn(oneCallIn.tail));
    }
    plan.read = isKept;
    plan.keepInputs = m_reference.modifiesInputs();
    plan.whenReady = [this] { m_handed.lookForWritten(); };
    if (m_opened > mostOpened)
        plan.callFlags |= Copied; // a process that takes new memory in every call would leave no sample
    return plan;
}

Ending TimedRound::drive(Driver::Plan& plan, const SecretCall& secret, Driver::Call& done)
{
    try {
        return m_driver.run(m_subject, plan, secret.inputs, secret.slot, m_patience, done);
    } catch (const DrivenSubject::Unreadable& error) {
        if (m_request.side == DrivenSide::Candidate || m_copied)
            refuseUnreadable(error);
        m_copied = true;
        plan.callFlags |= Copied;
        done = {};
        return m_driver.run(m_subject, plan, secret.inputs, secret.slot, m_patience, done);
    }
}

void TimedRound::noteProbes(const Driver::Plan& plan, const Driver::Call& done, bool counts)
{
    m_out.probe_ns.insert(m_out.probe_ns.end(), done.probe_ns.begin(), done.probe_ns.end());
    // The reference leaves no work behind. If emptying the caches before its call has to wait, the work is another
    // process's.
    if (m_onGpu && counts && plan.flush && m_request.side == DrivenSide::Reference)
        m_out.probe_ns.push_back(done.flush_ns);
    if (plan.peek)
        m_out.peek_ns.push_back(done.peek_ns);
}

void TimedRound::take(std::uint64_t place, SecretCall& secret, Driver::Call& done)
{
    noteInputs(done.inputsChanged);
    if (m_reference.modifiesInputs())
        secret.inputsAfter = done.inputsAfter;
    else if (done.inputsAfter.defined()) {
        m_after.resize(std::max<std::size_t>(m_after.size(), place + 1));
        m_after[place] = {secret.inputs, done.inputsAfter};
    }
    secret.actual = std::move(done.results);
}

void TimedRound::keepBeside(SecretCall secret, Driver::Call& done)
{
    take(m_most + 1 + m_keptBeside.size(), secret, done);
    m_keptBeside.push_back(std::move(secret));
}

std::set<std::size_t> TimedRound::numbersOfOthers() const
{
    constexpr std::size_t most = 2, oneOf = 4; // where there are few calls there is one in every second round
    const std::size_t calls = std::max<std::size_t>(m_takenByLast, 1);
    std::set<std::size_t> numbers;
    if (!m_request.keep || m_request.paired || (calls < oneOf && oneIn(2)))
        return numbers;
    for (std::size_t i = 0; i < std::clamp<std::size_t>(calls / oneOf, 1, most); ++i)
        numbers.insert(secretNumber() % calls);
    return numbers;
}

void TimedRound::keepOther(SecretCall secret, Driver::Call& done)
{
    take(m_most, secret, done);
    m_otherKept = std::move(secret);
}

void TimedRound::keep(std::uint64_t place, SecretCall secret, Driver::Call& done)
{
    take(place, secret, done);
    // The reference's results are read like a candidate's, since reading takes time, but there is nothing to compare
    // them with.
    if (m_request.side != DrivenSide::Candidate)
        return;
    if (place < m_kept.size())
        m_kept[place] = std::move(secret);
    else
        m_kept.push_back(std::move(secret));
}

void TimedRound::noteSample(const Driver::Plan& plan, const Driver::Call& done, int number)
{
    m_out.wall_ns.push_back(done.wall_ns);
    m_out.tail_ns.push_back(done.tail_ns);
    m_out.ready_ns.push_back(done.readyWorked_ns);
    m_out.outside.push_back(plan.flush);
    m_out.calls.push_back(number);
}

void TimedRound::tryHandedResults(const std::vector<ResultPlace>& places)
{
    constexpr std::uint64_t holdOneIn = 8, spoilOneIn = 4;
    if (m_request.paired && m_onGpu)
        return;
    if (!m_copied && !m_request.paired && oneIn(holdOneIn))
        m_handed.hold(places);
    else if (!m_onGpu || oneIn(spoilOneIn))
        m_handed.spoil(places);
}

void TimedRound::record(const SecretCall& secret)
{
    constexpr std::size_t room = std::size_t{1} << 30;
    if (m_recorded > room)
        return;
    m_recorded += m_reference.layout().inputBytes;
    if (m_recorded > room) {
        m_made.clear(); // some of the calls say nothing of what all of them leave
        return;
    }
    SecretCall call;
    call.inputs = secret.inputs;
    call.seed = secret.seed;
    m_made.push_back(std::move(call));
}

void TimedRound::noteInputs(bool changed)
{
    if (changed && m_request.side == DrivenSide::Reference)
        m_reference.setModifiesInputs(); // with these contents, although not with the first ones
    if (changed && !m_reference.modifiesInputs())
        throw Refusal("input_modified", "A timed call changed its inputs.");
}

void TimedRound::noteWaiting()
{
    const DrivenSubject::Schedule after = m_subject.schedule();
    const ThreadSchedule own = ownSchedule();
    // The witness and the subject's threads wake one another, and wait for one another on a shared core. On an idle
    // machine that alone is up to a third of a round. So only what their own running cannot explain counts.
    m_out.waited_ns = after.waitedSince_ns(m_before, own.ran_ns - m_ownBefore.ran_ns) +
                      std::max(own.waited_ns - m_ownBefore.waited_ns - (after.ran_ns - m_before.ran_ns), 0.0);
    m_out.others_ns = after.others_ns - m_before.others_ns;
}

void TimedRound::noteOthers()
{
    if (m_out.wall_ns.empty())
        return;
    m_out.samples = static_cast<int>(m_out.wall_ns.size());
    m_out.others = static_cast<int>(m_others.size());
    m_out.other_ns = othersBeyond_ns(base::median(m_out.wall_ns), base::median(m_out.ready_ns));
}

double TimedRound::othersBeyond_ns(double wall_ns, double ready_ns) const
{
    double more_ns = 0;
    for (const Other& other : m_others)
        more_ns += std::max(other.wall_ns - wall_ns, 0.0) + std::max(other.ready_ns - ready_ns, 0.0);
    return more_ns;
}

} // namespace cudal1::judge
