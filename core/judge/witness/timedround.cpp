// SPDX-License-Identifier: GPL-3.0-or-later
// Timed rounds of a subject, and of the reference in this process.
#include "core/base/statistics.h"
#include "core/judge/witness/witness.h"

#include <ATen/Parallel.h>
#include <sys/socket.h>

#include <algorithm>
#include <fstream>
#include <limits>

namespace cudal1::judge {

namespace {

/// While it lives, and if `wanted`, the framework's operators run on this thread alone. The threads of an OpenMP team
/// go on spinning for some milliseconds after their work, and by then the subject's call has begun on the same cores.
/// It is not wanted for large inputs: making those with one thread would take too long, and their calls are long enough
/// not to notice.
class OneThread {
public:
    explicit OneThread(bool wanted) : m_before(at::get_num_threads())
    {
        if (wanted)
            at::set_num_threads(1);
    }
    OneThread(const OneThread&) = delete;
    OneThread& operator=(const OneThread&) = delete;
    ~OneThread() { at::set_num_threads(m_before); }

private:
    int m_before;
};

/// Nanoseconds, since this thread was started, in which it was ready to run and had no core. 0 where the kernel does
/// not tell.
double ownWait_ns()
{
    std::ifstream file("/proc/thread-self/schedstat");
    double ran = 0, waited = 0;
    return file >> ran >> waited ? waited : 0;
}

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

} // namespace

/// One round of a subject. The destructor ends the subject's steps and gives its cores back.
class Witness::Round {
public:
    Round(Witness& witness, const RunRound& request)
        : m_witness(witness), m_request(request), m_subject(*witness.m_driven.at(request.side)),
          m_patience(witness.patienceOf(request.limit_s))
    {
        m_subject.pin(request.core);
        if (!m_witness.m_device.is_cpu())
            return; // there nobody asks who waited, and a process has some fifty threads to read of
        m_before = m_subject.schedule();
        m_oneProcess = m_subject.isOneProcess();
        m_ownWaitBefore_ns = ownWait_ns();
    }
    Round(const Round&) = delete;
    Round& operator=(const Round&) = delete;
    ~Round()
    {
        m_witness.m_driver->finish(m_subject);
        m_subject.pin(-1);
        m_witness.m_callsOf[m_request.side] = m_taken;
    }

    RunRound::Reply run()
    {
        m_out.ending = calls();
        for (const auto& [inputs, after] : m_after)
            noteInputs(m_witness.m_driver->changed(after, inputs));
        if (m_witness.m_device.is_cpu())
            noteWaiting();
        noteOthers();
        thin(m_out.wall_ns);
        thin(m_out.tail_ns);
        thin(m_out.ready_ns);
        thin(m_out.readyCpu_ns);
        thin(m_out.outside);
        thin(m_out.calls);
        return std::move(m_out);
    }

private:
    /// A call takes longer when a thread of its process has no core, and when this process, which reads the clock, has
    /// none.
    void noteWaiting()
    {
        const DrivenSubject::Schedule after = m_subject.schedule();
        m_out.waited_ns = after.waitedSince_ns(m_before) + ownWait_ns() - m_ownWaitBefore_ns;
        m_out.others_ns = after.others_ns - m_before.others_ns;
        m_out.threads = static_cast<int>(std::min(m_before.waited_ns.size(), after.waited_ns.size()));
        m_out.oneProcess = m_oneProcess && m_subject.isOneProcess();
    }

    Ending calls()
    {
        if (m_request.side == Side::Reference && m_witness.m_device.is_cuda())
            m_out.probe_ns.push_back(m_witness.m_driver->probe()); // the candidate may have left work on the device
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
        while (m_out.wall_ns.empty() || (static_cast<int>(m_out.wall_ns.size()) < m_request.maxCalls &&
                                         clock_ns() - begun < static_cast<double>(m_request.duration_ns)))
            if (const Ending ending = call(true); !ending.empty())
                return ending;
        return {};
    }

    /// Throws calls away until three blocks in a row are no faster than the best block, or settle_ns have passed.
    Ending settle()
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

    /// Times empty steps, of the reference only: a candidate could make its own look slow, and that is subtracted from
    /// calls.
    Ending measureEmpty()
    {
        constexpr int steps = 3;
        std::vector<double> times;
        while (m_request.side == Side::Reference && times.size() < steps) {
            double wall_ns = 0;
            if (const Ending ending = m_witness.m_driver->runEmpty(m_subject, m_patience, wall_ns); !ending.empty())
                return ending;
            times.push_back(wall_ns);
        }
        if (!times.empty())
            m_out.empty_ns = *std::min_element(times.begin(), times.end());
        return {};
    }

    Ending call(bool counts)
    {
        constexpr std::uint64_t probeOneIn = 12, holdOneIn = 8, peekOneIn = 16, outsideOneIn = 6, spoilOneIn = 4;
        constexpr int mostOpened = 16;
        constexpr double mostReady_ns = 20e9; // of a round
        const bool cuda = m_witness.m_device.is_cuda();
        SecretCall secret;
        if (m_request.paired)
            secret = m_witness.pairedCall(m_request.side);
        else
            secret = nextCall();
        const bool held = !m_held.empty();
        // Reservoir sampling: the first `most` calls are kept, and the n-th replaces one of them with probability most
        // / n. So all calls of the round have the same chance.
        const std::size_t most = std::min(m_witness.mostKept(),
                                          static_cast<std::size_t>(std::max(m_request.mostKept, 1)));
        const std::uint64_t place = counts && m_request.keep && !held
                                      ? (m_seen < most ? m_seen : secretNumber() % (m_seen + 1))
                                      : most;
        Driver::Plan plan;
        // The process can tell which calls these are. That does not help it: the other calls are compared with these.
        plan.flush = !cuda || !m_request.ownFlush || (counts && m_seen % outsideOneIn == 0);
        plan.readyFlags = (held ? std::uint32_t{Hold} : 0) | (plan.flush ? 0 : std::uint32_t{Flush});
        plan.callFlags = m_witness.callFlags() | (m_witness.m_copied ? std::uint32_t{Copied} : 0);
        plan.seed = secret.seed;
        if (cuda && counts && oneIn(probeOneIn))
            do
                ++plan.probes;
            // There may be another one, so a process that notices a probe learns nothing from it.
            while (oneIn(probeOneIn));
        plan.peek = cuda && counts && !held && !m_request.paired && oneIn(peekOneIn);
        plan.read = place < most;
        if (m_opened > mostOpened)
            plan.callFlags |= Copied; // a process that takes new memory in every call would leave no sample
        Driver::Call done;
        const Ending ending = run(plan, secret, done);
        if (!ending.empty())
            return ending;
        m_out.probe_ns.insert(m_out.probe_ns.end(), done.probe_ns.begin(), done.probe_ns.end());
        // The reference leaves no work behind. If emptying the caches before its call has to wait, the work is another
        // process's.
        if (cuda && counts && plan.flush && m_request.side == Side::Reference)
            m_out.probe_ns.push_back(done.flush_ns);
        if (plan.peek) {
            m_out.peek_ns.push_back(done.peek_ns);
            return {};
        }
        m_last_ns = done.wall_ns;
        m_ready_ns += done.ready_ns;
        m_wall_ns += done.wall_ns;
        if (m_ready_ns > mostReady_ns + 10 * m_wall_ns)
            return "silent"; // otherwise it could hold up the judge as long as it likes, off the clock
        const int number = m_number++;
        checkHeld();
        m_opened += done.opened;
        if (!counts || held || done.opened) {
            // This call is no sample of time: the framework's allocator works differently while a result is held, and
            // memory that the witness had to map first took longer to read. Such a call is not compared either: a
            // process could be honest in these calls alone.
            m_others.push_back({done.wall_ns, done.ready_ns, done.readyCpu_ns});
            return {};
        }
        if (place < most) {
            noteInputs(done.inputsChanged);
            if (done.inputsAfter.defined()) {
                m_after.resize(std::max<std::size_t>(m_after.size(), place + 1));
                m_after[place] = {secret.inputs, done.inputsAfter};
            }
            secret.actual = std::move(done.results);
            // The reference's results are read like a candidate's, since reading takes time, but there is nothing to
            // compare them with.
            if (m_request.side == Side::Candidate) {
                if (place < m_witness.m_kept.size())
                    m_witness.m_kept[place] = std::move(secret);
                else
                    m_witness.m_kept.push_back(std::move(secret));
            }
        }
        ++m_seen;
        m_out.wall_ns.push_back(done.wall_ns);
        m_out.tail_ns.push_back(done.tail_ns);
        m_out.ready_ns.push_back(done.ready_ns);
        m_out.readyCpu_ns.push_back(done.readyCpu_ns);
        m_out.outside.push_back(plan.flush);
        m_out.calls.push_back(number);
        if (!m_request.paired && oneIn(holdOneIn))
            hold();
        else if (!m_request.paired && oneIn(spoilOneIn))
            spoil();
        return {};
    }

    /// Sums up what the calls that are no samples took beyond the samples, since a process could move work into them.
    void noteOthers()
    {
        if (m_out.wall_ns.empty())
            return;
        m_out.samples = static_cast<int>(m_out.wall_ns.size());
        const double wall_ns = base::median(m_out.wall_ns), ready_ns = base::median(m_out.ready_ns),
                     cpu_ns = base::median(m_out.readyCpu_ns);
        for (const Other& other : m_others) {
            const double longer_ns = std::max(other.wall_ns - wall_ns, 0.0);
            m_out.other_ns += longer_ns + std::max(other.ready_ns - ready_ns, 0.0);
            m_out.otherCpu_ns += longer_ns + std::max(other.cpu_ns - cpu_ns, 0.0);
        }
    }

    void noteInputs(bool changed)
    {
        if (changed && m_request.side == Side::Reference)
            m_witness.m_modifiesInputs = true; // with these contents, although not with the first ones
        if (changed && !m_witness.m_modifiesInputs)
            throw Refusal("input_modified", "A timed call changed its inputs.");
    }

    /// Makes the call. The first time that a result of the reference cannot be read in place, makes it again with
    /// results copied to the arena; from then on both sides copy theirs.
    Ending run(Driver::Plan& plan, const SecretCall& secret, Driver::Call& done)
    {
        try {
            return m_witness.m_driver->run(m_subject, plan, secret.inputs, secret.slot, m_patience, done);
        } catch (const DrivenSubject::Unreadable& error) {
            if (m_request.side == Side::Candidate || m_witness.m_copied)
                throw Refusal("unreadable_result", "The result cannot be read where the process says that it is.",
                              error.what());
            m_witness.m_copied = true;
            plan.callFlags |= Copied;
            done = {};
            return m_witness.m_driver->run(m_subject, plan, secret.inputs, secret.slot, m_patience, done);
        }
    }

    /// Makes the contents of many calls at once, since the subject loses the GPU each time that this process uses it:
    /// of as many as the last round of this side had, and of a few where those are used up.
    SecretCall nextCall()
    {
        constexpr std::size_t few = 4;
        if (m_next.empty()) {
            const std::size_t ahead = std::min(m_taken == 0 ? m_witness.m_callsOf[m_request.side] + 1 : few,
                                               m_witness.m_driver->callsAhead());
            while (m_next.size() < ahead) {
                m_next.push_back(m_witness.newCall());
                m_next.back().slot = ahead - m_next.size();
                m_witness.m_driver->lay(m_next.back().slot, m_next.back().inputs);
            }
            synchronise(m_witness.m_device);
        }
        SecretCall call = std::move(m_next.back());
        m_next.pop_back();
        ++m_taken;
        return call;
    }

    /// Overwrites a part of the last results. A subject whose next call relies on what it left in that memory gets a
    /// wrong result.
    void spoil()
    {
        try {
            m_subject.spoil(m_witness.m_layout.outputs, m_witness.m_arena);
            synchronise(m_witness.m_device);
        } catch (const DrivenSubject::Unreadable& error) {
            throw Refusal("unreadable_result", "The result cannot be read where the process says that it is.",
                          error.what());
        }
    }

    /// Keeps a copy of the last results. After the next call checkHeld() reads them again: they must not have changed.
    void hold()
    {
        if (m_witness.m_copied)
            return;
        bool opened = false;
        try {
            m_held = m_subject.places(m_witness.m_layout.outputs.size());
            m_heldResults = m_subject.read(m_held, m_witness.m_layout.outputs, m_witness.m_arena, opened);
            synchronise(m_witness.m_device);
        } catch (const DrivenSubject::Unreadable& error) {
            throw Refusal("unreadable_result", "The result cannot be read where the process says that it is.",
                          error.what());
        }
    }

    void checkHeld()
    {
        if (m_held.empty())
            return;
        const std::vector<ResultPlace> places = std::exchange(m_held, {});
        bool opened = false, same = true;
        try {
            const Tensors now = m_subject.read(places, m_witness.m_layout.outputs, m_witness.m_arena, opened);
            synchronise(m_witness.m_device);
            for (std::size_t i = 0; i < now.size(); ++i)
                same = same && (places[i].kind == ResultPlace::Kind::Arena || sameBytes(now[i], m_heldResults[i]));
        } catch (const DrivenSubject::Unreadable&) {
            same = false;
        }
        m_heldResults.clear();
        if (!same)
            throw Refusal("static_output", "The result is memory that the next call overwrites.",
                          "a timed result changed while the caller still held it");
    }

    Witness& m_witness;
    const RunRound& m_request;
    DrivenSubject& m_subject;
    Driver::Patience m_patience;
    RunRound::Reply m_out;
    std::vector<SecretCall> m_next;  ///< staged calls; the last one is made first
    std::size_t m_taken = 0;         ///< how many were taken from there
    std::vector<ResultPlace> m_held; ///< places of the results that are held; empty when none are
    Tensors m_heldResults;
    /// Of the calls that are kept: their inputs, and what lay in their place after the call.
    std::vector<std::pair<Tensors, at::Tensor>> m_after;
    std::uint64_t m_seen = 0; ///< samples so far; each could have been kept
    struct Other {
        double wall_ns, ready_ns, cpu_ns; ///< as Call::wall_ns, ready_ns and readyCpu_ns
    };
    std::vector<Other> m_others;      ///< of calls that are no samples
    bool m_oneProcess = false;        ///< as the round began
    int m_number = 0, m_opened = 0;   ///< calls so far, and how many of them had results in new memory
    double m_last_ns = 0;             ///< the last call
    DrivenSubject::Schedule m_before; ///< as the round began
    double m_ownWaitBefore_ns = 0;
    double m_ready_ns = 0, m_wall_ns = 0; ///< sums over all calls so far
};

RunRound::Reply Witness::round(const RunRound& request)
{
    if (m_contents->empty())
        throw std::runtime_error("a round before anything was drawn");
    if (request.keep && request.side == Side::Candidate)
        m_kept.clear();
    if (request.local)
        return localRound(request);
    constexpr std::size_t mostAlone = std::size_t{64} << 20;
    const OneThread alone(m_device.is_cpu() && m_layout.inputBytes <= mostAlone);
    return Round(*this, request).run();
}

RunRound::Reply Witness::localRound(const RunRound& request)
{
    RunRound::Reply out;
    const double begun = clock_ns(), waitedBefore = ownWait_ns();
    while (out.wall_ns.empty() || (static_cast<int>(out.wall_ns.size()) < request.maxCalls &&
                                   clock_ns() - begun < static_cast<double>(request.duration_ns))) {
        SecretCall own;
        if (!request.paired)
            own = newCall();
        SecretCall& call = request.paired ? pairedCall(Side::Reference) : own;
        Tensors inputs = call.inputs;
        if (m_modifiesInputs)
            for (at::Tensor& tensor : inputs)
                tensor = tensor.clone();
        makeArguments(inputs);
        (*m_flush)();
        synchronise(m_device);
        if (m_device.is_cuda())
            out.probe_ns.push_back(m_driver->probe());
        const double start = clock_ns();
        if (m_layout.random)
            at::manual_seed(call.seed);
        const PyRef result = forward();
        synchronise(m_device);
        out.wall_ns.push_back(clock_ns() - start);
        out.calls.push_back(static_cast<int>(out.calls.size()));
        if (request.paired)
            for (const at::Tensor& tensor : flattenOutputs(result.get(), false).tensors)
                call.expected.push_back(asReal(tensor.detach().contiguous().clone()));
    }
    m_arguments = {};
    out.waited_ns = ownWait_ns() - waitedBefore;
    return out;
}

} // namespace cudal1::judge
