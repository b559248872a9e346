// SPDX-License-Identifier: GPL-3.0-or-later
// A task's reference at work: the witness and the timed reference, kept warm across candidates.
#pragma once

#include "core/judge/supervisor/supervisor.h"
#include "core/judge/supervisor/temporaryfolder.h"
#include "core/judge/wire/messages.h"

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>

namespace cudal1::judge {

/// A subject answered {"ok": false}.
struct Refused : std::runtime_error {
    explicit Refused(const nlohmann::json& reply)
        : std::runtime_error(reply.value("text", std::string())), code(reply.value("code", std::string())),
          evidence(reply.value("evidence", std::string())), line(reply.value("line", 0))
    {
    }
    std::string code, evidence;
    int line;
};

/// The request cannot be answered at all; becomes an error message.
struct RequestFailed : std::runtime_error {
    RequestFailed(std::string errorCode, const std::string& message, std::string errorHint = {})
        : std::runtime_error(message), code(std::move(errorCode)), hint(std::move(errorHint))
    {
    }
    std::string code, hint;
};

/// The reference's process ended or hung: not the candidate's doing, and the session is of no more use.
struct ReferenceLost {
    protocol::Reason reason;
};

/// Where a subject keeps what it compiles and writes: all below its folder.
std::map<std::string, std::string> subjectEnvironment(const std::string& folder);

/// How a subject ended, as a reason: signal, exit status, or killed by the kernel.
protocol::Reason reasonOf(const SubjectGone& gone, const std::string& printed);

/// Asks and throws Refused unless the answer is ok.
nlohmann::json demandBody(Supervisor& supervisor, SubjectHandle& subject, const nlohmann::json& request, double limit_s);
template <typename Request>
typename Request::Reply demand(Supervisor& supervisor, SubjectHandle& subject, const Request& request, double limit_s)
{
    return demandBody(supervisor, subject, bodyOf(request), limit_s).template get<typename Request::Reply>();
}

class ReferenceSession {
public:
    /// Loads the task and runs its reference once. Throws Refused, ReferenceLost, Cancelled.
    ReferenceSession(Supervisor& supervisor, const protocol::EvaluateRequest& request);
    ~ReferenceSession();

    bool serves(const protocol::EvaluateRequest& request) const;
    /// Of the witness. Throws Refused, ReferenceLost, Cancelled.
    template <typename Request>
    typename Request::Reply ask(const Request& request)
    {
        return askBody(*m_subject, bodyOf(request)).template get<typename Request::Reply>();
    }

    /// From now on the witness drives this candidate: before its first trial or round.
    void attach(SubjectHandle& candidate);
    /// The witness drives the candidate through a trial. Throws Refused (also what the candidate itself says), SubjectGone and
    /// DeadlinePassed of the candidate, and what ask() throws.
    RunTrial::Reply trial(SubjectHandle& candidate, const RunTrial& request);
    /// A round of the candidate, or of the reference where it is null; in a process of its own, which is started when it is first
    /// wanted, or in the witness where that has no room or `request` says so. `events_ns` gets what the process says of each call
    /// by events. Throws as trial().
    RunRound::Reply round(SubjectHandle* candidate, RunRound request, std::vector<double>& events_ns);

    bool wasTimed() const { return m_wasTimed; }
    /// Has a GPU's other processes of this reference load beside what is done until they are wanted.
    void startAhead();
    void settle(); ///< waits until none of them loads any more; throws ReferenceLost
    void setFlags(const PrecisionFlags& flags); ///< of both

    const Layout& layout() const { return m_loaded.layout; }
    double first_ns() const { return m_loaded.first_ns; } ///< the reference's first call
    const PrecisionFlags& flags() const { return m_loaded.flags; }
    int memoryFile() const { return m_memoryFile; }
    std::uint64_t initSeed() const { return m_initSeed; }
    std::uint64_t seed() const { return m_seed; }
    const std::string& device() const { return m_device; }
    protocol::Precision precision() const { return m_precision; }

    /// Null candidates that passed every trial so far, and on how many they were tried.
    struct Nulls {
        std::vector<std::string> left;
        int trials = 0;
    } nulls;
    /// Bytes that a call must move: inputs that its result depends on as a whole, and the result. Asked once.
    const MeasureTraffic::Reply& traffic();
    /// Busy time of calls, and kernels of one call with their counts. Asked once, of a process of its own: the one that
    /// is timed never records activity, which would slow its launches down for good (by some 6 % on an H200). Throws Refused.
    const ObserveBusy::Reply& busy();

private:
    /// Another process of this reference.
    struct Helper {
        TemporaryFolder folder{"reference"};
        std::shared_ptr<SubjectHandle> subject;
        std::uint64_t loading = 0; ///< number of the request to load; 0 once it is answered
    };

    nlohmann::json askBody(SubjectHandle& subject, const nlohmann::json& request);
    /// What `fetch` gives, asked of a process of this reference; throws Refused, ReferenceLost, Cancelled.
    nlohmann::json answerOf(SubjectHandle& subject, const std::function<nlohmann::json()>& fetch);
    void attach(Side side, SubjectHandle& subject);
    /// `request` of the witness, while `driven` answers its steps. What the witness answers; `served` gets what the driven says.
    nlohmann::json drive(SubjectHandle& driven, const nlohmann::json& request, bool events, double limit_s, ServeCalls::Reply& served);
    void abandon(std::uint64_t number); ///< has the witness give up what it was asked under this number
    SubjectHandle& timed();             ///< the process of the timed reference, ready
    std::shared_ptr<SubjectHandle> beginSubject(const char* role, const TemporaryFolder& folder, int memoryFile) const;
    std::unique_ptr<Helper> begin(const char* role, int memoryFile, const nlohmann::json& request) const;
    void settle(Helper& helper); ///< throws Refused
    void beginTimed();
    void settleTimed();
    void beginBusy();
    void end(std::unique_ptr<Helper>& helper) noexcept;
    LoadTask taskRequest() const;

    Supervisor& m_supervisor;
    TemporaryFolder m_folder;
    int m_memoryFile;
    std::string m_source, m_device;
    protocol::Precision m_precision;
    std::uint64_t m_wantedSeed, m_seed, m_initSeed;
    std::shared_ptr<SubjectHandle> m_subject;
    std::unique_ptr<Helper> m_timed, m_observed; ///< null before they are wanted
    bool m_timedHasRoom = true, m_timedAttached = false, m_wasTimed = false;
    LoadTask::Reply m_loaded;
    std::optional<MeasureTraffic::Reply> m_traffic;
    std::optional<ObserveBusy::Reply> m_busy;
};

/// Independent numbers from one seed; the forward seeds that a candidate sees say nothing about those of the inputs.
class SeedSequence {
public:
    SeedSequence(std::uint64_t seed, std::uint32_t purpose) : m_seed(seed), m_purpose(purpose) {}
    std::uint64_t next();

private:
    std::uint64_t m_seed;
    std::uint32_t m_purpose, m_index = 0;
};

} // namespace cudal1::judge
