// SPDX-License-Identifier: GPL-3.0-or-later
// Answers a request for a timeline.
#include "core/judge/supervisor/tracetimeline.h"

#include "core/base/timetext.h"
#include "core/judge/supervisor/candidateprocess.h"
#include "core/judge/supervisor/countbyncu.h"
#include "core/judge/supervisor/countermetrics.h"
#include "core/judge/supervisor/machine.h"
#include "core/judge/supervisor/reference.h"
#include "core/kernels/cubin.h"
#include "core/kernels/disassemble.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>

namespace cudal1::judge {

using nlohmann::json;
using protocol::CounterSource;
using protocol::Timeline;
using protocol::TimelineAnswer;
using protocol::TimelineRequest;

namespace {

/// A candidate's process, ended with its owner.
class RecordedCandidate {
public:
    RecordedCandidate(Supervisor& supervisor, const ReferenceSession& reference, const std::string& source)
        : m_supervisor(supervisor), m_folder("timeline")
    {
        m_subject = forkCandidate(supervisor, reference, source, m_folder.path());
    }
    RecordedCandidate(const RecordedCandidate&) = delete;
    RecordedCandidate& operator=(const RecordedCandidate&) = delete;
    ~RecordedCandidate() { m_supervisor.endQuietly(*m_subject); }
    SubjectHandle& subject() { return *m_subject; }
    const std::string& folder() const { return m_folder.path(); }

private:
    Supervisor& m_supervisor;
    TemporaryFolder m_folder;
    std::shared_ptr<SubjectHandle> m_subject;
};

Timeline timelineOf(const RecordTimeline::Reply& reply, const char* whose)
{
    Timeline timeline;
    std::string problem;
    try {
        timeline = reply.timeline.get<Timeline>();
        problem = problemOf(timeline);
    } catch (const json::exception& error) {
        problem = error.what();
    }
    if (!problem.empty())
        throw RequestFailed("process_failed",
                            std::string("The timeline of the ") + whose + " cannot be read: " + problem,
                            "Its process may have written over its own records; `cudal1 evaluate` judges it");
    return timeline;
}

std::set<std::string> launched(const Timeline& timeline)
{
    std::set<std::string> names;
    for (const protocol::TimelineEvent& event : timeline.events)
        if (event.category == protocol::TimelineEvent::Category::Kernel)
            names.insert(event.name);
    return names;
}

/// PTX that compilers left in a candidate's folder, such as Triton's cache.
std::vector<std::string> textsUnder(const std::string& folder)
{
    namespace fs = std::filesystem;
    std::vector<std::string> texts;
    std::error_code error;
    for (fs::recursive_directory_iterator it(folder, error), end;
         !error && it != end && texts.size() < protocol::Kernels::maxModules; it.increment(error)) {
        std::error_code ignored;
        if (it->path().extension() != ".ptx" || it->symlink_status(ignored).type() != fs::file_type::regular ||
            it->file_size(ignored) > protocol::KernelModule::maxPtx_bytes)
            continue;
        std::ifstream file(it->path(), std::ios::binary);
        std::string text(std::istreambuf_iterator<char>(file), {});
        if (kernels::isPtx(text))
            texts.push_back(std::move(text));
    }
    return texts;
}

std::string withLine(const Refused& refused)
{
    return std::string(refused.what()) + (refused.line > 0 ? " (line " + std::to_string(refused.line) + ")" : "");
}

constexpr std::size_t mostCountedKernels = 2000; // in each of some 12 calls

class Tracing {
public:
    Tracing(Supervisor& supervisor, const TimelineRequest& request) : m_supervisor(supervisor), m_request(request)
    {
        m_out.task = request.task.name;
        m_out.candidateName = request.candidateName;
        m_out.precision = request.precision;
        m_out.device = requireDevice(supervisor, request.device);
        m_out.environment = supervisor.environment();
        m_out.recorded_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                                std::chrono::system_clock::now().time_since_epoch())
                                .count();
    }

    /// Of a run that watches modules.
    protocol::Kernels takeKernels() { return std::move(m_kernels); }
    void watchModules() { m_watches = true; }
    /// Has both sides count after they were recorded.
    void count(std::vector<std::string> metrics) { m_count = CountKernels{0, std::move(metrics), 0}; }
    const std::optional<CountKernels::Reply>& counted(bool reference) const
    {
        return reference ? m_referenceCounts : m_candidateCounts;
    }

    TimelineAnswer run()
    {
        // CUPTI leaves its hooks in a process that it has been in. None such may be timed later.
        struct Guard {
            Supervisor* supervisor;
            ~Guard()
            {
                if (supervisor)
                    supervisor->dropReference();
            }
        } const guard{m_request.device == "cpu" ? nullptr : &m_supervisor};
        traceReference();
        if (!m_request.candidate.empty())
            traceCandidate();
        return std::move(m_out);
    }

private:
    void traceReference()
    {
        m_supervisor.progress({"build", 0.05, "loading the reference"});
        protocol::EvaluateRequest like;
        like.task = m_request.task;
        like.device = m_request.device;
        like.precision = m_request.precision;
        like.seed = m_request.seed;
        try {
            m_reference = &m_supervisor.reference(like);
            m_out.seed = m_reference->seed();
            m_command = {m_request.calls, SeedSequence(m_out.seed, SeedSequence::TimelineForwards).next()};
            m_reference->ask(WriteInputs{SeedSequence(m_out.seed, SeedSequence::TimelineInputs).next()});
            m_supervisor.progress({"trace", 0.3, "recording the reference"});
            m_out.reference = timelineOf(m_reference->ask(m_command), "reference");
            if (m_count)
                countInReference(like);
        } catch (const Refused& refused) {
            throw RequestFailed("unreadable", "The reference of " + m_out.task + " cannot be run: " + withLine(refused),
                                refused.evidence);
        } catch (const ReferenceLost& lost) {
            m_supervisor.dropReference();
            throw RequestFailed("process_failed",
                                "The reference of " + m_out.task + " cannot be run: " + lost.reason.text,
                                lost.reason.evidence);
        }
    }

    /// What to ask of a side that was recorded; none, and the reason in `reply`, where its calls launch too much.
    std::optional<CountKernels> countRequest(const Timeline& timeline, std::optional<CountKernels::Reply>& reply) const
    {
        const std::size_t kernels = launchesOfLastCall(timeline);
        if (kernels > mostCountedKernels) {
            reply.emplace().problem = "a call launches " + std::to_string(kernels) + " kernels, and at most " +
                                      std::to_string(mostCountedKernels) + " are counted in";
            return {};
        }
        constexpr std::size_t more = 64; // that a call may launch and the recorded one did not
        return CountKernels{m_command.seed, m_count->metrics, kernels + more};
    }

    /// A process that ends while it is counted in takes its counts with it, and no more: the reference is loaded anew.
    void countInReference(protocol::EvaluateRequest like)
    {
        const auto request = countRequest(m_out.reference, m_referenceCounts);
        if (!request)
            return;
        m_supervisor.progress({"count", 0.4, "counting in the reference"});
        try {
            m_referenceCounts = m_reference->ask(*request);
        } catch (const Refused& refused) {
            m_referenceCounts.emplace().problem = withLine(refused);
        } catch (const ReferenceLost& lost) {
            m_referenceCounts.emplace().problem = "the process ended while CUPTI counted in it: " + lost.reason.text;
            m_supervisor.dropReference();
            like.seed = m_out.seed;
            m_reference = &m_supervisor.reference(like);
            m_reference->ask(WriteInputs{SeedSequence(m_out.seed, SeedSequence::TimelineInputs).next()});
        }
    }

    /// False where the process is no more, or does not answer.
    bool countInCandidate(SubjectHandle& subject)
    {
        const auto request = countRequest(*m_out.candidate, m_candidateCounts);
        if (!request)
            return true;
        m_supervisor.progress({"count", 0.85, "counting in the candidate"});
        std::string& problem = m_candidateCounts.emplace().problem;
        try {
            m_candidateCounts = demand(m_supervisor, subject, *request, m_request.buildLimit_s);
            return true;
        } catch (const Refused& refused) {
            problem = withLine(refused);
            return true;
        } catch (const SubjectGone& gone) {
            problem = "the process ended while CUPTI counted in it: " + reasonOf(gone, subject.printed()).text;
        } catch (const DeadlinePassed&) {
            problem = "no counts came in " + base::durationText(m_request.buildLimit_s);
        }
        return false;
    }

    void traceCandidate()
    {
        m_supervisor.progress({"build", 0.5, "building the candidate"});
        RecordedCandidate candidate(m_supervisor, *m_reference, m_request.candidate);
        SubjectHandle& subject = candidate.subject();
        m_out.environment.isolation = subject.isolation;
        m_out.environment.isolationMissing = subject.isolationMissing;
        const char* doing = "being built";
        const auto failed = [&](const char* code, const std::string& why, const std::string& evidence) {
            return RequestFailed(code,
                                 "The candidate " + m_request.candidateName + " has no timeline, it failed while " +
                                     doing + ": " + why,
                                 evidence.empty() ? "`cudal1 evaluate` judges it" : evidence);
        };
        try {
            if (m_watches)
                demand(m_supervisor, subject, WatchModules{}, m_request.buildLimit_s);
            demand(m_supervisor, subject, loadRequest(*m_reference, m_request.candidate), m_request.buildLimit_s);
            doing = "being recorded";
            m_supervisor.progress({"trace", 0.75, "recording the candidate"});
            m_out.candidate = timelineOf(demand(m_supervisor, subject, m_command, m_request.buildLimit_s), "candidate");
            if (m_count && !countInCandidate(subject))
                return;
            if (m_watches)
                collectKernels(candidate);
            subject.drain();
        } catch (const Refused& refused) {
            throw failed("invalid_argument", withLine(refused), refused.evidence);
        } catch (const SubjectGone& gone) {
            throw failed("invalid_argument", reasonOf(gone, subject.printed()).text, subject.printed());
        } catch (const DeadlinePassed&) {
            throw failed("timed_out", "no answer in " + base::durationText(m_request.buildLimit_s), subject.printed());
        } catch (const OutputFlood&) {
            throw failed("invalid_argument", "it printed more than 64 MiB", {});
        }
        m_out.output = subject.printed();
    }

    void collectKernels(RecordedCandidate& candidate)
    {
        const std::set<std::string> theirs = launched(m_out.reference);
        std::set<std::string> own = launched(*m_out.candidate);
        std::erase_if(own,
                      [&](const std::string& name) { return theirs.contains(name) || kernels::isLibraryKernel(name); });
        m_kernels.task = m_out.task;
        m_kernels.device = m_out.device;
        m_kernels.notes = m_out.candidate->notes;
        if (own.empty()) {
            m_kernels.notes.push_back(
                "It launches no kernel of its own: all are the reference's, the framework's or NVIDIA's.");
            return;
        }
        TakeModules::Reply found = demand(m_supervisor, candidate.subject(), TakeModules{{own.begin(), own.end()}},
                                          m_request.buildLimit_s);
        m_kernels.modules = std::move(found.modules);
        if (found.leftOut > 0)
            m_kernels.notes.push_back(std::to_string(found.leftOut) +
                                      " modules were larger or more than are kept; most of them are the framework's.");
        if (m_kernels.modules.empty())
            m_kernels.notes.push_back("CUPTI told of no module with the kernels " + *own.begin() +
                                      (own.size() > 1 ? " and others." : "."));
        std::vector<std::string>& texts = found.ptx;
        for (std::string& text : textsUnder(candidate.folder()))
            texts.push_back(std::move(text));
        disassembleAll(candidate.folder(), texts);
    }

    void disassembleAll(const std::string& folder, const std::vector<std::string>& texts)
    {
        const std::filesystem::path tool = kernels::findDisassembler(CUDAL1_PYTHON);
        bool said = false;
        for (protocol::KernelModule& module : m_kernels.modules) {
            for (const std::string& text : texts) {
                const std::vector<std::string> entries = kernels::ptxEntries(text);
                if (std::any_of(entries.begin(), entries.end(), [&](const std::string& entry) {
                        return std::find(module.kernels.begin(), module.kernels.end(), entry) != module.kernels.end();
                    }))
                    module.ptx = text;
            }
            if (module.ptx.empty())
                m_kernels.notes.push_back("The PTX of " +
                                          (module.kernels.empty() ? std::string("a module") : module.kernels.front()) +
                                          " cannot be reached: it was compiled to machine code before it was loaded.");
            auto sass = kernels::disassemble(module.image, tool, folder);
            if (sass)
                module.sass = std::move(*sass);
            else if (!std::exchange(said, true))
                m_kernels.notes.push_back(sass.error().text());
        }
    }

    Supervisor& m_supervisor;
    const TimelineRequest& m_request;
    TimelineAnswer m_out;
    protocol::Kernels m_kernels;
    bool m_watches = false;
    std::optional<CountKernels> m_count;
    std::optional<CountKernels::Reply> m_referenceCounts, m_candidateCounts;
    ReferenceSession* m_reference = nullptr;
    RecordTimeline m_command;
};

void demandGpu(const std::string& device, const char* what)
{
    if (device == "cpu")
        throw RequestFailed("invalid_argument", std::string(what) + " on a GPU, and " + device + " is none",
                            "Choose a CUDA device");
}

/// What a request of this kind shares with one for a timeline.
template<class Request> TimelineRequest likeTimeline(const Request& request, int calls)
{
    TimelineRequest like;
    like.task = request.task;
    like.candidate = request.candidate;
    like.candidateName = request.candidateName;
    like.device = request.device;
    like.precision = request.precision;
    like.seed = request.seed;
    like.calls = calls;
    like.buildLimit_s = request.buildLimit_s;
    return like;
}

/// What was counted in one side, by whatever means.
struct Counted {
    std::vector<CountedLaunch> launches;
    std::string tool, problem;
};

Counted countedBy(const CountKernels::Reply& reply)
{
    Counted out{{}, reply.tool, reply.problem};
    for (const auto& metrics : reply.launches)
        out.launches.push_back({{}, metrics});
    return out;
}

/// Gives a side its rows and their counts; returns why it has none, or nothing.
std::string takeCounts(protocol::CounterSide& side, const Timeline& timeline, const Counted& counted)
{
    side = protocol::launchedKernels(timeline);
    if (!counted.problem.empty())
        return counted.problem;
    if (addCounts(side, timeline, counted.launches))
        return {};
    std::string why = std::move(side.notes.back());
    side.notes.pop_back();
    return why;
}

/// Counts both sides by one means, and says what a side lacks.
template<class Count>
void takeSides(protocol::Counters& out, const TimelineAnswer& recorded, const Count& countedIn, CounterSource source)
{
    const Counted reference = countedIn(true);
    const std::string inReference = takeCounts(out.reference, recorded.reference, reference);
    std::string inCandidate = inReference, tool = reference.tool;
    if (recorded.candidate) {
        const Counted candidate = countedIn(false);
        inCandidate = takeCounts(out.candidate.emplace(), *recorded.candidate, candidate);
        tool = tool.empty() ? candidate.tool : tool;
    }
    const bool any = inReference.empty() || inCandidate.empty();
    out.source = any ? source : CounterSource::Static;
    out.tool = out.source == CounterSource::Static ? std::string() : tool;
    if (inReference == inCandidate)
        out.reason = inReference;
    else if (any)
        out.reason = inReference.empty() ? "in the variant: " + inCandidate : "in the reference: " + inReference;
    else
        out.reason = inReference + "; in the variant: " + inCandidate;
}

} // namespace

TimelineAnswer traceTimeline(Supervisor& supervisor, const TimelineRequest& request)
{
    if (request.calls < 1 || request.calls > TimelineRequest::maxCalls)
        throw RequestFailed("invalid_argument",
                            "A timeline of " + std::to_string(request.calls) + " calls was asked for",
                            "Ask for 1 to " + std::to_string(TimelineRequest::maxCalls));
    return Tracing(supervisor, request).run();
}

protocol::Kernels traceKernels(Supervisor& supervisor, const protocol::KernelsRequest& request)
{
    demandGpu(request.device, "Kernels are captured");
    if (request.candidate.empty())
        throw RequestFailed("invalid_argument", "There is no candidate to capture kernels of",
                            "Name a file or a variant");
    const TimelineRequest like = likeTimeline(request, 1);
    Tracing tracing(supervisor, like);
    tracing.watchModules();
    tracing.run();
    return tracing.takeKernels();
}

protocol::Counters traceCounters(Supervisor& supervisor, const protocol::CountersRequest& request)
{
    demandGpu(request.device, "Counters are taken");
    const TimelineRequest like = likeTimeline(request, 3);
    Tracing tracing(supervisor, like);
    if (request.source == CounterSource::Cupti)
        tracing.count(counterMetrics());
    const TimelineAnswer recorded = tracing.run();
    protocol::Counters out;
    out.task = recorded.task;
    out.candidateName = recorded.candidateName;
    out.device = recorded.device;
    out.precision = recorded.precision;
    out.seed = recorded.seed;
    out.recorded_ms = recorded.recorded_ms;
    const auto byCupti = [&](bool reference) { return countedBy(*tracing.counted(reference)); };
    const auto byNcu = [&](bool reference) -> Counted {
        supervisor.progress({"count", reference ? 0.9 : 0.95, "counting by ncu"});
        const NcuCounts counts = countByNcu(request.task.source, reference ? std::string() : request.candidate,
                                            std::string(protocol::toString(request.precision)), recorded.seed,
                                            recorded.device.uuid, request.buildLimit_s);
        return {counts.launches, counts.tool, counts.problem};
    };
    if (request.source == CounterSource::Static)
        takeSides(
            out, recorded,
            [](bool) {
                return Counted{{}, {}, "no counters were asked for"};
            },
            request.source);
    else if (request.source == CounterSource::Ncu)
        takeSides(out, recorded, byNcu, request.source);
    else
        takeSides(out, recorded, byCupti, request.source);
    if (request.source != CounterSource::Cupti || out.source != CounterSource::Static)
        return out;
    const std::string why = "CUPTI counts nothing: " + out.reason;
    if (request.mayLeaveIsolation)
        takeSides(out, recorded, byNcu, CounterSource::Ncu);
    else
        out.reason = "ncu was not asked, since it runs code outside of the judge's isolation";
    out.reason = why + (out.reason.empty() ? "" : "; " + out.reason);
    return out;
}

} // namespace cudal1::judge
