// SPDX-License-Identifier: GPL-3.0-or-later
// Answers a request for a timeline.
#include "core/judge/tracetimeline.h"

#include "core/judge/candidateprocess.h"
#include "core/judge/machine.h"
#include "core/judge/reference.h"

#include <algorithm>

namespace cudal1::judge {

using nlohmann::json;
using protocol::Timeline;
using protocol::TimelineAnswer;
using protocol::TimelineRequest;

namespace {

enum SeedPurpose : std::uint32_t { TimelineInputs = 41, TimelineForwards = 42, TimelineKeys = 43 };

/// A candidate's process, ended with its owner.
class Candidate {
public:
    Candidate(Supervisor& supervisor, const ReferenceSession& reference, const std::string& source)
        : m_supervisor(supervisor), m_folder("timeline")
    {
        m_subject = forkCandidate(supervisor, reference, source, m_folder.path());
    }
    Candidate(const Candidate&) = delete;
    Candidate& operator=(const Candidate&) = delete;
    ~Candidate() { m_supervisor.endQuietly(*m_subject); }
    SubjectHandle& subject() { return *m_subject; }

private:
    Supervisor& m_supervisor;
    TemporaryFolder m_folder;
    std::shared_ptr<SubjectHandle> m_subject;
};

Timeline timelineOf(const json& reply, const char* whose)
{
    Timeline timeline;
    std::string problem;
    try {
        timeline = reply.at("timeline").get<Timeline>();
        problem = problemOf(timeline);
    } catch (const json::exception& error) {
        problem = error.what();
    }
    if (!problem.empty())
        throw RequestFailed("process_failed", std::string("The timeline of the ") + whose + " cannot be read: " + problem,
                            "Its process may have written over its own records; `cudal1 evaluate` judges it");
    return timeline;
}

std::string withLine(const Refused& refused)
{
    return std::string(refused.what()) + (refused.line > 0 ? " (line " + std::to_string(refused.line) + ")" : "");
}

class Tracing {
public:
    Tracing(Supervisor& supervisor, const TimelineRequest& request) : m_supervisor(supervisor), m_request(request)
    {
        m_out.task = request.task.name;
        m_out.candidateName = request.candidateName;
        m_out.precision = request.precision;
        m_out.device = requireDevice(supervisor, request.device);
        m_out.environment = supervisor.environment();
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
            m_command = {{"command", "timeline"},
                         {"calls", m_request.calls},
                         {"seed", SeedSequence(m_out.seed, TimelineForwards).next()},
                         {"key", SeedSequence(m_out.seed, TimelineKeys).next()}};
            drawInputs();
            m_supervisor.progress({"trace", 0.3, "recording the reference"});
            m_out.reference = timelineOf(m_reference->ask(m_command), "reference");
        } catch (const Refused& refused) {
            throw RequestFailed("unreadable", "The reference of " + m_out.task + " cannot be run: " + withLine(refused), refused.evidence);
        } catch (const ReferenceLost& lost) {
            m_supervisor.dropReference();
            throw RequestFailed("process_failed", "The reference of " + m_out.task + " cannot be run: " + lost.reason.text, lost.reason.evidence);
        }
    }

    void drawInputs()
    {
        m_reference->ask({{"command", "prepare"},
                          {"family", "as_given"},
                          {"seed", SeedSequence(m_out.seed, TimelineInputs).next()},
                          {"forward_seed", m_command.at("seed")},
                          {"as_base", true}});
    }

    void traceCandidate()
    {
        m_supervisor.progress({"build", 0.5, "building the candidate"});
        Candidate candidate(m_supervisor, *m_reference, m_request.candidate);
        SubjectHandle& subject = candidate.subject();
        m_out.environment.isolation = subject.isolation;
        m_out.environment.isolationMissing = subject.isolationMissing;
        const char* doing = "being built";
        const auto failed = [&](const char* code, const std::string& why, const std::string& evidence) {
            return RequestFailed(code, "The candidate " + m_request.candidateName + " has no timeline, it failed while " + doing + ": " + why,
                                 evidence.empty() ? "`cudal1 evaluate` judges it" : evidence);
        };
        try {
            demand(m_supervisor, subject, loadRequest(*m_reference, m_request.candidate), m_request.buildLimit_s);
            doing = "being recorded";
            m_supervisor.progress({"trace", 0.75, "recording the candidate"});
            m_out.candidate = timelineOf(demand(m_supervisor, subject, m_command, m_request.buildLimit_s), "candidate");
            subject.drain();
        } catch (const Refused& refused) {
            throw failed("invalid_argument", withLine(refused), refused.evidence);
        } catch (const SubjectGone& gone) {
            throw failed("invalid_argument", reasonOf(gone, subject.printed()).text, subject.printed());
        } catch (const DeadlinePassed&) {
            throw failed("timed_out", "no answer in " + std::to_string(static_cast<int>(m_request.buildLimit_s)) + " s", subject.printed());
        } catch (const OutputFlood&) {
            throw failed("invalid_argument", "it printed more than 64 MiB", {});
        }
        m_out.output = subject.printed();
    }

    Supervisor& m_supervisor;
    const TimelineRequest& m_request;
    TimelineAnswer m_out;
    ReferenceSession* m_reference = nullptr;
    json m_command;
};

} // namespace

TimelineAnswer traceTimeline(Supervisor& supervisor, const TimelineRequest& request)
{
    if (request.calls < 1 || request.calls > TimelineRequest::maxCalls)
        throw RequestFailed("invalid_argument", "A timeline of " + std::to_string(request.calls) + " calls was asked for",
                            "Ask for 1 to " + std::to_string(TimelineRequest::maxCalls));
    return Tracing(supervisor, request).run();
}

} // namespace cudal1::judge
