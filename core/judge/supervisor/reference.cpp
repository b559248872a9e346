// SPDX-License-Identifier: GPL-3.0-or-later
// A task's reference at work.
#include "core/judge/supervisor/reference.h"

#include "core/base/timetext.h"
#include "core/judge/supervisor/candidateprocess.h"
#include "core/judge/wire/steadyclock.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <random>

namespace cudal1::judge {

using nlohmann::json;

/// For what the witness does: drawing, running and comparing the largest tasks on a slow CPU.
static constexpr double witnessLimit_s = 900;

namespace {

int makeMemoryFile()
{
    const int file = ::memfd_create("cudal1-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0)
        throw std::runtime_error(std::string("memfd_create: ") + std::strerror(errno));
    return file;
}

std::uint64_t drawSeed()
{
    std::random_device source;
    return (std::uint64_t{source()} << 31 | source()) & 0x1fffffffffffff; // exact as a JSON number everywhere
}

} // namespace

std::map<std::string, std::string> subjectEnvironment(const std::string& folder)
{
    return {{"TMPDIR", folder},
            {"HOME", folder},
            {"XDG_CACHE_HOME", folder + "/cache"},
            {"TORCHINDUCTOR_CACHE_DIR", folder + "/inductor"},
            {"TRITON_CACHE_DIR", folder + "/triton"},
            {"TORCH_EXTENSIONS_DIR", folder + "/extensions"},
            {"CUDA_CACHE_PATH", folder + "/cuda"},
            {"TORCHINDUCTOR_COMPILE_THREADS",
             "1"}}; // its pool of workers would outlive the subject and take seconds to start
}

protocol::Reason reasonOf(const SubjectGone& gone, const std::string& printed)
{
    if (gone.cause == "processes")
        return {"process_limit", "It started more processes or threads than a candidate may have, and was ended.",
                printed};
    if (gone.cause == "memory")
        return {"out_of_memory", "It was ended since its processes together used up the memory.", printed};
    if (gone.cause == "protocol")
        return {"broken_protocol", "The process sent something to the judge that is no answer to its request.",
                printed};
    if (!gone.status)
        return {"connection_closed", "The process closed its connection to the judge.", printed};
    const int status = *gone.status;
    if (WIFEXITED(status))
        return {"exited", "The process ended itself with status " + std::to_string(WEXITSTATUS(status)) + ".", printed};
    const int signal = WTERMSIG(status);
    const char* name = ::sigabbrev_np(signal);
    return {signal == SIGSEGV ? "segfault" : "signal",
            "The process was ended by signal SIG" + std::string(name ? name : std::to_string(signal)) + " (" +
                ::strsignal(signal) + ").",
            printed};
}

json demandBody(Supervisor& supervisor, SubjectHandle& subject, const json& request, double limit_s)
{
    json reply = supervisor.ask(subject, request, limit_s);
    if (!reply.value("ok", false))
        throw Refused(reply);
    return reply;
}

ReferenceSession::ReferenceSession(Supervisor& supervisor, const protocol::EvaluateRequest& request)
    : m_supervisor(supervisor), m_folder("reference"), m_memoryFile(makeMemoryFile()), m_source(request.task.source),
      m_device(request.device), m_precision(request.precision), m_wantedSeed(request.seed),
      m_seed(request.seed ? request.seed : drawSeed()),
      m_initSeed(SeedSequence(m_seed, SeedSequence::Initialisation).next())
{
    try {
        m_subject = beginSubject("witness", m_folder, m_memoryFile);
        supervisor.zygote().finishFork(*m_subject);
        m_loaded = ask(taskRequest());
        supervisor.notes(m_device).kernels = m_loaded.layout.kernels;
        // A candidate that could shrink the file would take the reference's memory away from under it.
        ::fcntl(m_memoryFile, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    } catch (...) {
        if (m_subject)
            supervisor.zygote().end(*m_subject);
        ::close(m_memoryFile);
        throw;
    }
}

std::shared_ptr<SubjectHandle> ReferenceSession::beginSubject(const char* role, const TemporaryFolder& folder,
                                                              int memoryFile) const
{
    ZygoteHandle::Plan plan;
    plan.role = role;
    plan.folder = folder.path();
    plan.environment = subjectEnvironment(folder.path());
    plan.memoryFile = memoryFile;
    if (m_device != "cpu" && std::string_view(role) == "witness")
        plan.cores = SubjectCores::NotOfTiming; // it waits awake for what is timed there
    return m_supervisor.zygote().beginFork(plan);
}

LoadTask ReferenceSession::taskRequest() const
{
    LoadTask request;
    request.source = m_source;
    request.device = m_device;
    request.precision = protocol::toString(m_precision);
    request.seed = firstInputs();
    request.initSeed = m_initSeed;
    request.kernels = m_supervisor.notes(m_device).kernels;
    return request;
}

ReferenceSession::~ReferenceSession()
{
    end(m_timed);
    end(m_observed);
    m_supervisor.endQuietly(*m_subject);
    ::close(m_memoryFile);
}

bool ReferenceSession::serves(const protocol::EvaluateRequest& request) const
{
    return !m_subject->status && !(m_timed && m_timed->subject->status) && request.task.source == m_source &&
           request.device == m_device && request.precision == m_precision && request.seed == m_wantedSeed;
}

const MeasureTraffic::Reply& ReferenceSession::traffic()
{
    if (!m_traffic) {
        m_traffic = ask(MeasureTraffic{SeedSequence(m_seed, SeedSequence::TrafficInputs).next(),
                                       SeedSequence(m_seed, SeedSequence::TrafficForwards).next()});
        Supervisor::DeviceNotes& notes = m_supervisor.notes(m_device);
        if (notes.bytesPerSecond == 0)
            notes.bytesPerSecond = ask(MeasureBandwidth{}).bytesPerSecond;
    }
    return *m_traffic;
}

std::unique_ptr<ReferenceSession::Helper> ReferenceSession::begin(const char* role, int memoryFile,
                                                                  const json& request) const
{
    auto helper = std::make_unique<Helper>();
    helper->subject = beginSubject(role, helper->folder, memoryFile);
    try {
        helper->loading = m_supervisor.begin(*helper->subject, request);
    } catch (const SubjectGone& gone) {
        throw ReferenceLost{reasonOf(gone, {})};
    }
    return helper;
}

void ReferenceSession::settle(Helper& helper)
{
    if (helper.loading == 0)
        return;
    m_supervisor.zygote().finishFork(*helper.subject);
    const std::uint64_t loading = std::exchange(helper.loading, 0);
    answerOf(*helper.subject, [&] { return m_supervisor.await(*helper.subject, loading, witnessLimit_s); });
}

void ReferenceSession::end(std::unique_ptr<Helper>& helper) noexcept
{
    if (helper)
        m_supervisor.endQuietly(*helper->subject);
    helper.reset();
}

void ReferenceSession::startAhead()
{
    if (m_device == "cpu")
        return; // there it would compute on the cores on which trials do
    if (!m_timed && m_timedHasRoom)
        beginTimed();
    // The other loads the task as a whole, whose memory must not be missing to a candidate.
    const auto bytes = static_cast<std::int64_t>(layout().bytes);
    if (!m_observed && !m_busy && bytes < m_supervisor.device(m_device).memory_bytes / 64)
        beginBusy();
}

void ReferenceSession::settle()
{
    if (m_timed)
        settleTimed();
    if (!m_observed)
        return;
    // Why it fails is told when it is wanted, and tried once more.
    try {
        settle(*m_observed);
    } catch (const Refused&) {
        end(m_observed);
    } catch (const ReferenceLost&) {
        end(m_observed);
    }
}

void ReferenceSession::beginBusy()
{
    const int memoryFile = makeMemoryFile();
    try {
        m_observed = begin("witness", memoryFile, bodyOf(taskRequest()));
    } catch (...) {
        ::close(memoryFile);
        throw;
    }
    ::close(memoryFile); // it has one of its own
}

const ObserveBusy::Reply& ReferenceSession::busy()
{
    if (m_busy)
        return *m_busy;
    if (!m_observed)
        beginBusy();
    try {
        settle(*m_observed);
        SubjectHandle& subject = *m_observed->subject;
        SeedSequence seeds(m_seed, SeedSequence::BusyCalls);
        askBody(subject, bodyOf(WriteInputs{seeds.next()}));
        m_busy = askBody(subject, bodyOf(ObserveBusy{5, seeds.next()})).get<ObserveBusy::Reply>();
    } catch (const ReferenceLost& lost) { // that process alone
        end(m_observed);
        throw Refused({{"code", "internal"}, {"text", lost.reason.text}, {"evidence", lost.reason.evidence}});
    } catch (...) {
        end(m_observed);
        throw;
    }
    end(m_observed);
    return *m_busy;
}

void ReferenceSession::beginTimed()
{
    m_timedAttached = false;
    m_timedHasThem = !m_timedWith; // it is constructed with its own
    m_keptThreads = 0;
    m_timed = begin("timed_reference", m_memoryFile, bodyOf(loadRequest(*this, m_source)));
}

void ReferenceSession::settleTimed()
{
    try {
        settle(*m_timed);
    } catch (const Refused& refused) {
        end(m_timed);
        if (refused.code != "out_of_memory")
            throw ReferenceLost{{refused.code, refused.what(), refused.evidence}};
        m_timedHasRoom = false;
    }
}

SubjectHandle& ReferenceSession::timed()
{
    settleTimed();
    if (!m_timedAttached)
        attach(DrivenSide::Reference, *m_timed->subject);
    m_timedAttached = true;
    if (!m_timedHasThem) {
        giveWeights(); // again, since a candidate has had the arena meanwhile
        askBody(*m_timed->subject, bodyOf(LoadWeights{}));
        m_timedHasThem = true;
    }
    if (m_keptThreads != m_wantedThreads) {
        const int count = m_wantedThreads;
        m_keptThreads = -1;
        askBody(*m_timed->subject, bodyOf(KeepThreads{count}));
        m_keptThreads = count;
    }
    return *m_timed->subject;
}

void ReferenceSession::giveWeights()
{
    ask(m_timedWith ? *m_timedWith : Reweigh{"initial", m_initSeed, true});
}

void ReferenceSession::timeWith(std::optional<Reweigh> weights)
{
    m_timedWith = std::move(weights);
    m_timedHasThem = false;
    giveWeights();
}

void ReferenceSession::setFlags(const PrecisionFlags& flags)
{
    ask(SetFlags{flags});
    if (m_timed) {
        settleTimed();
        if (m_timed)
            askBody(*m_timed->subject, bodyOf(SetFlags{flags}));
    }
}

double ReferenceSession::cpu_s() const
{
    const auto ofClock = [](clockid_t clock) {
        timespec all{};
        return ::clock_gettime(clock, &all) == 0
                 ? static_cast<double>(all.tv_sec) + 1e-9 * static_cast<double>(all.tv_nsec)
                 : 0.0;
    };
    double out = ofClock(CLOCK_PROCESS_CPUTIME_ID);
    for (const SubjectHandle* subject : {m_subject.get(), m_timed ? m_timed->subject.get() : nullptr}) {
        clockid_t clock{};
        if (subject && ::clock_getcpuclockid(subject->process(), &clock) == 0)
            out += ofClock(clock);
    }
    return out;
}

std::uint64_t ReferenceSession::firstInputs() const
{
    return SeedSequence(m_seed, SeedSequence::FirstInputs).next();
}

std::uint64_t ReferenceSession::begin(const std::string& candidate)
{
    return m_wantedSeed == 0 ? m_judged[candidate]++ : 0;
}

void ReferenceSession::clearArena()
{
    if (std::exchange(m_arenaWasUsed, true))
        ask(ClearArena{});
}

void ReferenceSession::attach(SubjectHandle& candidate)
{
    attach(DrivenSide::Candidate, candidate);
}

void ReferenceSession::attach(DrivenSide side, SubjectHandle& subject)
{
    const int page[] = {subject.page()};
    answerOf(*m_subject, [&] {
        const std::uint64_t number = m_supervisor.begin(
            *m_subject, bodyOf(Attach{side, static_cast<int>(subject.process()), subject.freezerPlace()}), page);
        return m_supervisor.await(*m_subject, number, witnessLimit_s);
    });
}

void ReferenceSession::abandon(std::uint64_t number)
{
    constexpr double patience_s = 60; // it may be at work on the device
    const std::uint64_t last = m_supervisor.begin(*m_subject, bodyOf(Abandon{}));
    m_supervisor.await(*m_subject, number, patience_s);
    m_supervisor.await(*m_subject, last, patience_s);
}

/// The witness runs no code but the reference's, so an exception there, or a result that cannot be compared, is not the
/// candidate's doing.
[[noreturn]] static void refuse(const json& ofWitness)
{
    if (const Refused refused(ofWitness); refused.code == "exception" || refused.code == "unsupported_output")
        throw ReferenceLost{{refused.code, refused.what(), refused.evidence}};
    throw Refused(ofWitness);
}

json ReferenceSession::drive(SubjectHandle& driven, const json& request, bool events, double limit_s,
                             ServeCalls::Reply& served)
{
    constexpr double lastStep_s = 30;
    Supervisor::Driven serving = m_supervisor.beginDriven(driven, bodyOf(ServeCalls{events}));
    const double begun = secondsNow();
    const std::uint64_t number = m_supervisor.begin(*m_subject, request);
    json reply;
    try {
        reply = m_supervisor.await(*m_subject, number, witnessLimit_s + limit_s, &serving);
    } catch (const SubjectGone& gone) {
        if (m_subject->status)
            throw;
        abandon(number);
        if (!gone.status && gone.cause.empty())
            throw m_supervisor.lost(driven);
        throw;
    } catch (const OutputFlood&) {
        abandon(number);
        throw;
    } // a request that was cancelled takes the witness along
    driven.trace(request.value("command", "") + " " + request.value("family", ""), begun);
    const std::string ending = reply.value("ending", std::string());
    if (ending == "silent")
        throw DeadlinePassed{limit_s};
    // Only now does a process on the CPU go on, for its last step.
    const double ended = secondsNow();
    const json said = m_supervisor.finish(serving, lastStep_s);
    const double lastStep_ns = (secondsNow() - ended) * 1e9; // which nobody else takes the time of
    if (const auto others = reply.find("other_ns"); others != reply.end())
        *others = others->get<double>() + lastStep_ns;
    if (ending == "failed" || (reply.value("ok", false) && !said.value("ok", false)))
        throw Refused(said);
    if (!reply.value("ok", false))
        refuse(reply);
    if (said.value("ok", false))
        said.get_to(served);
    return reply;
}

void ReferenceSession::repeatFirstCall()
{
    try {
        if (RepeatFirstCall::Reply reply = ask(RepeatFirstCall{}); m_changed.empty())
            m_changed = std::move(reply.changed);
    } catch (const Refused& refused) {
        if (refused.code != "out_of_memory") // a candidate has some of it
            throw ReferenceLost{{refused.code, refused.what(), refused.evidence}};
    }
}

RunTrial::Reply ReferenceSession::trial(SubjectHandle& candidate, const RunTrial& request)
{
    ServeCalls::Reply served;
    return drive(candidate, bodyOf(request), false, request.limit_s, served).get<RunTrial::Reply>();
}

RunRound::Reply ReferenceSession::round(SubjectHandle* candidate, RunRound request, std::vector<double>& events_ns)
{
    request.side = candidate ? DrivenSide::Candidate : DrivenSide::Reference;
    if (!candidate) {
        m_wasTimed = true;
        if (!request.local && !m_timed && m_timedHasRoom)
            beginTimed();
        if (!request.local && m_timed)
            settleTimed();
        request.local = request.local || !m_timed;
    }
    if (!candidate && request.local)
        return ask(request);
    ServeCalls::Reply served;
    RunRound::Reply reply;
    if (candidate) {
        reply = drive(*candidate, bodyOf(request), true, request.limit_s, served).get<RunRound::Reply>();
    } else {
        request.limit_s = witnessLimit_s;
        SubjectHandle& subject = timed();
        reply = answerOf(subject, [&] {
                    return drive(subject, bodyOf(request), true, witnessLimit_s, served);
                }).get<RunRound::Reply>();
        if (m_withAll_ns == 0 || (reply.withAll_ns > 0 && reply.withAll_ns < m_withAll_ns))
            m_withAll_ns = reply.withAll_ns;
    }
    for (const int call : reply.calls)
        if (call >= 0 && static_cast<std::size_t>(call) < served.event_ns.size())
            events_ns.push_back(served.event_ns[static_cast<std::size_t>(call)]);
    return reply;
}

json ReferenceSession::askBody(SubjectHandle& subject, const json& request)
{
    return answerOf(subject, [&] { return m_supervisor.ask(subject, request, witnessLimit_s); });
}

json ReferenceSession::answerOf(SubjectHandle& subject, const std::function<json()>& fetch)
{
    json reply;
    try {
        reply = fetch();
    } catch (const SubjectGone& gone) {
        throw ReferenceLost{reasonOf(gone, subject.printed())};
    } catch (const DeadlinePassed& passed) {
        m_supervisor.zygote().end(subject);
        throw ReferenceLost{
            {"hang", "The reference gave no answer in " + base::durationText(passed.seconds) + ".", subject.printed()}};
    } catch (const OutputFlood&) {
        m_supervisor.zygote().end(subject);
        throw ReferenceLost{{"endless_output", "The reference printed without end.", subject.printed()}};
    }
    if (!reply.value("ok", false))
        throw Refused(reply);
    return reply;
}

} // namespace cudal1::judge
