// SPDX-License-Identifier: GPL-3.0-or-later
// A task's reference at work: its subject, the arena's layout, a folder; kept warm across candidates.
#pragma once

#include "core/judge/supervisor.h"
#include "core/judge/temporaryfolder.h"

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
nlohmann::json demand(Supervisor& supervisor, SubjectHandle& subject, const nlohmann::json& request, double limit_s);

class ReferenceSession {
public:
    /// Loads the task and runs its reference once. Throws Refused, ReferenceLost, Cancelled.
    ReferenceSession(Supervisor& supervisor, const protocol::EvaluateRequest& request);
    ~ReferenceSession();

    bool serves(const protocol::EvaluateRequest& request) const;
    nlohmann::json ask(const nlohmann::json& request); ///< throws Refused, ReferenceLost, Cancelled
    /// Of the process whose calls are timed, which is started when it is first wanted; the one that judges, where two
    /// have no room.
    nlohmann::json askTimed(const nlohmann::json& request);
    bool wasTimed() const { return m_wasTimed; }
    /// Has a GPU's other processes of this reference load beside what is done until they are wanted.
    void startAhead();
    void settle(); ///< waits until none of them loads any more; throws ReferenceLost
    void setFlags(const nlohmann::json& flags); ///< of both

    const nlohmann::json& layout() const { return m_layout; } ///< answer to load_task: specs of inputs and outputs, handle
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
    struct Traffic {
        double read = 0, written = 0;
    };
    const Traffic& traffic();
    /// Busy time of calls, and kernels of one call with their counts. Asked once, of a process of its own: the one that
    /// is timed never records activity, which would slow its launches down for good (by some 6 % on an H200). Throws Refused.
    const nlohmann::json& busy();

private:
    /// Another process of this reference.
    struct Helper {
        TemporaryFolder folder{"reference"};
        std::shared_ptr<SubjectHandle> subject;
        std::uint64_t loading = 0; ///< number of the request to load; 0 once it is answered
    };

    nlohmann::json ask(SubjectHandle& subject, const nlohmann::json& request);
    /// What `fetch` gives, asked of a process of this reference; throws Refused, ReferenceLost, Cancelled.
    nlohmann::json answerOf(SubjectHandle& subject, const std::function<nlohmann::json()>& fetch);
    std::shared_ptr<SubjectHandle> beginSubject(const char* role, const TemporaryFolder& folder, int memoryFile) const;
    std::unique_ptr<Helper> begin(const char* role, int memoryFile, const nlohmann::json& request) const;
    void settle(Helper& helper); ///< throws Refused
    void beginTimed();
    void settleTimed();
    void beginBusy();
    void end(std::unique_ptr<Helper>& helper) noexcept;
    nlohmann::json taskRequest() const;

    Supervisor& m_supervisor;
    TemporaryFolder m_folder;
    int m_memoryFile;
    std::string m_source, m_device;
    protocol::Precision m_precision;
    std::uint64_t m_wantedSeed, m_seed, m_initSeed;
    std::shared_ptr<SubjectHandle> m_subject;
    std::unique_ptr<Helper> m_timed, m_observed; ///< null before they are wanted
    bool m_timedHasRoom = true, m_wasTimed = false;
    nlohmann::json m_layout;
    std::optional<Traffic> m_traffic;
    nlohmann::json m_busy;
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
