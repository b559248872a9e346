// SPDX-License-Identifier: GPL-3.0-or-later
// The processes of one task's reference: the witness and the timed reference. They stay loaded while candidates of the
// task are judged.
#pragma once

#include "core/judge/supervisor/seedsequence.h"
#include "core/judge/supervisor/supervisor.h"
#include "core/judge/supervisor/temporaryfolder.h"
#include "core/judge/wire/modulemessages.h"
#include "core/protocol/codes.h"

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace cudal1::judge {

/// A process answered {"ok": false}: it refused a request, with a code, a sentence and evidence.
struct Refused : std::runtime_error {
    explicit Refused(const nlohmann::json& reply)
        : std::runtime_error(reply.value("text", std::string())), code(reply.value("code", std::string())),
          evidence(reply.value("evidence", std::string())), line(reply.value("line", 0))
    {
    }
    std::string code, evidence;
    int line;
};

/// A client's request cannot be answered at all. It becomes an error message of the protocol; `hint` is the next step
/// for a person.
struct RequestFailed : std::runtime_error {
    RequestFailed(std::string errorCode, const std::string& message, std::string errorHint = {})
        : std::runtime_error(message), code(std::move(errorCode)), hint(std::move(errorHint))
    {
    }
    std::string code, hint;
};

/// A process of the reference ended or hung, or the reference cannot be judged after all. That is not the candidate's
/// doing. The session must be dropped.
struct ReferenceLost {
    protocol::Reason reason;
};

/// Environment variables that keep all that a subject compiles and writes below its folder.
std::map<std::string, std::string> subjectEnvironment(const std::string& folder);

/// How a subject ended (signal, exit status, a limit), as a reason of a verdict. `printed` becomes its evidence.
protocol::Reason reasonOf(const SubjectGone& gone, const std::string& printed);

/// Asks a subject and returns its answer. Throws Refused when the subject refuses, and what Supervisor::ask throws.
nlohmann::json demandBody(Supervisor& supervisor, SubjectHandle& subject, const nlohmann::json& request,
                          double limit_s);
template<typename Request>
typename Request::Reply demand(Supervisor& supervisor, SubjectHandle& subject, const Request& request, double limit_s)
{
    return demandBody(supervisor, subject, bodyOf(request), limit_s).template get<typename Request::Reply>();
}

/// Used from the supervisor's thread. Owns its processes and the arena's memory file.
class ReferenceSession {
public:
    /// Starts the witness, which loads the task and makes its first call twice. Throws Refused, ReferenceLost,
    /// Cancelled.
    ReferenceSession(Supervisor& supervisor, const protocol::EvaluateRequest& request);
    ~ReferenceSession();

    /// Whether its processes live and it was made for this task, device, precision and seed.
    bool serves(const protocol::EvaluateRequest& request) const;
    /// Asks the witness. Throws Refused, ReferenceLost, Cancelled.
    template<typename Request> typename Request::Reply ask(const Request& request)
    {
        return askBody(*m_subject, bodyOf(request)).template get<typename Request::Reply>();
    }

    /// How often this source was judged before in this session. Its folder may still have what it learnt of its trials,
    /// so it gets others; not where the client has chosen the seed, and wants the same ones.
    std::uint64_t begin(const std::string& candidate);
    /// Overwrites what an earlier candidate may have left in the arena. Call it before any code of another one runs.
    void clearArena();
    /// Gives this candidate to the witness to drive. Call it before the candidate's first trial or round.
    void attach(SubjectHandle& candidate);
    /// Has the witness drive the candidate through one trial. Throws Refused for what the witness or the candidate's
    /// process refuses, SubjectGone and DeadlinePassed for the candidate, and what ask() throws.
    RunTrial::Reply trial(SubjectHandle& candidate, const RunTrial& request);
    /// Has the witness drive a round of the candidate, or of the reference where `candidate` is null. The reference
    /// runs in the process of the timed reference, which is started when it is first needed. It runs in the witness
    /// instead where the device has no memory for that process, or where `request.local` says so. `events_ns` gets, for
    /// each sample, the time by GPU events that the process reports (a claim). Throws as trial() does.
    RunRound::Reply round(SubjectHandle* candidate, RunRound request, std::vector<double>& events_ns);

    bool wasTimed() const { return m_wasTimed; } ///< a round of the reference has been asked for
    /// RunRound::Reply::withAll_ns, the least of all its rounds; 0 before the first.
    double withAll_ns() const { return m_withAll_ns; }
    /// On a GPU: starts the timed reference, and the process that busy() asks, so that they load while a candidate is
    /// built and checked. Does not wait for them.
    void startAhead();
    void settle();                              ///< waits until those processes have loaded; throws ReferenceLost
    void setFlags(const PrecisionFlags& flags); ///< in the witness and in the timed reference

    /// From now on calls are timed with the weights that this gives, which the candidate finds in the arena; without a
    /// request with the reference's own. The candidate must stand still. The timed reference follows before its next
    /// round. Throws what ask() throws.
    void timeWith(std::optional<Reweigh> weights);
    const std::optional<Reweigh>& timedWith() const { return m_timedWith; }

    /// From its next round on the timed reference keeps so many threads that only sleep. Where there is no such process
    /// nothing follows.
    void keepThreads(int count) noexcept { m_wantedThreads = count; }

    double cpu_s() const; ///< CPU time of the witness, the timed reference and this process, since they were started

    const ArenaLayout& layout() const { return m_loaded.layout; }
    double first_ns() const { return m_loaded.first_ns; }             ///< how long the reference's first call took
    bool keepsFirst() const { return m_loaded.keepsFirst; }           ///< LoadTask::Reply::keepsFirst
    const std::string& unvaried() const { return m_loaded.unvaried; } ///< LoadTask::Reply::unvaried
    std::uint64_t firstInputs() const;                                ///< the seed of the inputs of that call
    /// Has the witness make that call again, with the reference's own weights, and look at what calls have changed.
    /// Throws ReferenceLost where the result is another one, and what ask() throws.
    void repeatFirstCall();
    /// What calls change and nobody compares, as far as is known: RepeatFirstCall::Reply::changed.
    const std::vector<std::string>& changed() const { return m_changed; }
    const PrecisionFlags& flags() const { return m_loaded.flags; }
    int memoryFile() const { return m_memoryFile; } ///< of the arena; stays this object's
    std::uint64_t initSeed() const { return m_initSeed; }
    std::uint64_t seed() const { return m_seed; }
    const std::string& device() const { return m_device; }
    protocol::Precision precision() const { return m_precision; }

    /// The null candidates that have passed every trial so far, and the number of those trials.
    struct Nulls {
        std::vector<std::string> left;
        int trials = 0;
        double lastOperators_ns = 0;                              ///< RunTrial::Reply::lastOperators_ns
        double call_ns = std::numeric_limits<double>::infinity(); ///< the reference's shortest in these trials

        /// "zeros, the mean of the result passed 20 trials"
        std::string text() const
        {
            std::string which;
            for (const std::string& name : left)
                which += (which.empty() ? "" : ", ") + name;
            return which + " passed " + std::to_string(trials) + " trials";
        }
        /// None but the reference without its last operators, which takes all the other work.
        bool onlyLastOperator() const { return left.size() == 1 && left.front() == protocol::lastOperatorLeftOut; }
    } nulls;
    /// The bytes that a call must move: of the inputs that its result depends on as a whole, and of the result. The
    /// witness is asked once.
    const MeasureTraffic::Reply& traffic();
    /// The GPU busy time of some calls, and the kernels of one call. Asked once, of a process that is started for it:
    /// recording activity makes a process's launches slower from then on (by some 6 % on an H200), so the timed one
    /// never does it. Throws Refused.
    const ObserveBusy::Reply& busy();

private:
    /// A process of this reference beside the witness.
    struct Helper {
        TemporaryFolder folder{"reference"};
        std::shared_ptr<SubjectHandle> subject;
        std::uint64_t loading = 0; ///< number of the request to load; 0 once it is answered
    };

    nlohmann::json askBody(SubjectHandle& subject, const nlohmann::json& request);
    /// The answer that `fetch` returns for a process of this reference. Throws ReferenceLost when that process fails,
    /// Refused, Cancelled.
    nlohmann::json answerOf(SubjectHandle& subject, const std::function<nlohmann::json()>& fetch);
    void attach(DrivenSide side, SubjectHandle& subject);
    /// Sends `request` to the witness while `driven` serves its steps. Returns the witness's answer; `served` gets that
    /// of `driven`.
    nlohmann::json drive(SubjectHandle& driven, const nlohmann::json& request, bool events, double limit_s,
                         ServeCalls::Reply& served);
    void abandon(std::uint64_t number); ///< has the witness give up the request of this number
    SubjectHandle& timed();             ///< the process of the timed reference, loaded and attached
    std::shared_ptr<SubjectHandle> beginSubject(const char* role, const TemporaryFolder& folder, int memoryFile) const;
    std::unique_ptr<Helper> begin(const char* role, int memoryFile, const nlohmann::json& request) const;
    void settle(Helper& helper); ///< waits until it has loaded; throws Refused, ReferenceLost
    void giveWeights();          ///< those that calls are timed with, to the witness and the arena
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
    std::shared_ptr<SubjectHandle> m_subject; ///< the witness
    std::unique_ptr<Helper> m_timed;          ///< the timed reference; null until it is needed
    std::unique_ptr<Helper> m_observed;       ///< the process that busy() asks; null until it is needed and afterwards
    std::optional<Reweigh> m_timedWith;       ///< other weights than its own, with which calls are timed
    bool m_timedHasThem = true;               ///< the timed reference has the weights that calls are timed with
    int m_wantedThreads = 0;                  ///< that sleep in the timed reference
    int m_keptThreads = 0;                    ///< as many as it has said that it keeps; -1 where it has not answered
    std::map<std::string, std::uint64_t> m_judged; ///< how often, by source
    bool m_arenaWasUsed = false;                   ///< by a candidate
    bool m_timedHasRoom = true, m_timedAttached = false, m_wasTimed = false;
    double m_withAll_ns = 0;
    LoadTask::Reply m_loaded;
    std::vector<std::string> m_changed;
    std::optional<MeasureTraffic::Reply> m_traffic;
    std::optional<ObserveBusy::Reply> m_busy;
};

} // namespace cudal1::judge
