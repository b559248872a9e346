// SPDX-License-Identifier: GPL-3.0-or-later
// The evaluator's main loop: reads requests, works through them one by one, keeps listening while subjects work.
//
// Never runs Python and never links torch, so nothing that a candidate does can reach it but through its socket.
#pragma once

#include "core/judge/supervisor/buildlane.h"
#include "core/judge/supervisor/candidatefolders.h"
#include "core/judge/supervisor/candidateprocess.h"
#include "core/judge/sandbox/devicelease.h"
#include "core/judge/supervisor/gpustate.h"
#include "core/judge/supervisor/nextcandidate.h"
#include "core/judge/sandbox/timingcore.h"
#include "core/judge/supervisor/zygotehandle.h"
#include "core/protocol/messages.h"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace cudal1::judge {

class ReferenceSession;

class Supervisor {
public:
    Supervisor(int input, int output, std::string zygoteProgram);
    ~Supervisor();

    /// Until "quit" or the end of the input; the exit status of the program.
    int run();

    // For the procedures that answer requests.

    /// A subject's answer to a command. Serves the input meanwhile. Throws SubjectGone, DeadlinePassed, OutputFlood,
    /// Cancelled, and WireClosed when the zygote is gone. What can be stopped runs from the request to the answer alone.
    nlohmann::json ask(SubjectHandle& subject, nlohmann::json request, double limit_s);
    /// Its two halves, for what one subject does while others are asked: `begin` returns the number that `await` takes. A
    /// process that was only begun to fork may be sent its first request. `driven` is one that works meanwhile: when it ends,
    /// prints without end or says something else than its answer, the waiting ends with what is thrown of it. An answer that comes
    /// meanwhile is kept, and the process runs on, for whoever drives it may not be done; `finish` takes the answer and stops it.
    std::uint64_t begin(SubjectHandle& subject, nlohmann::json request, std::span<const int> descriptors = {});
    struct Driven {
        SubjectHandle& subject;
        std::uint64_t number; ///< of the request that it works on
        std::optional<nlohmann::json> reply = {};
    };
    nlohmann::json await(SubjectHandle& subject, std::uint64_t number, double limit_s, Driven* driven = nullptr);
    nlohmann::json finish(Driven& driven, double limit_s);
    void progress(const protocol::Progress& progress); ///< of the request at work; within a phase at most every 50 ms
    ZygoteHandle& zygote();                            ///< started when needed; throws std::runtime_error
    /// ZygoteHandle::end, where nobody can be told that the zygote, and the subject with it, is gone already.
    void endQuietly(SubjectHandle& subject) noexcept;
    const protocol::Environment& environment();
    /// The CPU first; asked of a subject once.
    const std::vector<protocol::DeviceInfo>& devices();
    /// The warm reference of this task and settings; a new one replaces the last.
    ReferenceSession& reference(const protocol::EvaluateRequest& request);
    void dropReference();
    /// Throws RequestFailed("unavailable") when this machine has no such device.
    const protocol::DeviceInfo& device(const std::string& name);
    const GpuState& gpuState(const std::string& uuid) { return m_gpuStates.try_emplace(uuid, uuid).first->second; }
    /// The thread of a core that both sides are pinned to while they are timed on a GPU, this evaluator's own until the request
    /// is answered. -1 for the CPU device, where the work itself wants all cores.
    int timingCore(const std::string& device);
    CandidateFolders& folders() { return m_folders; }
    NextCandidate& next() { return m_next; }
    /// Starts the process of what is judged next, when that is known, a candidate of the same reference, and not started yet.
    void startNext();
    GpuIsolation& gpuIsolation() { return m_gpuIsolation; } ///< kept for all candidates of this evaluator

    /// What was learned once about a device and holds for every task on it.
    struct DeviceNotes {
        std::string kernels;          ///< the judge's own, compiled; empty until the first reference has loaded
        double bytesPerSecond = 0;    ///< measured copy bandwidth, read plus written; 0 on the CPU or while unknown
    };
    DeviceNotes& notes(const std::string& device) { return m_notes[device]; }

private:
    struct Request {
        std::string type;
        std::uint64_t id = 0;
        nlohmann::json body;
    };

    /// The next request in the queue that can be worked on; its end while all wait for their compilers.
    std::deque<Request>::const_iterator nextRequest() const;
    void buildAhead(); ///< for what waits in the queue; between the steps of a request
    void waitForBuilds(int atMost_ms);
    void readInput(bool wait);
    void takeLine(const std::string& line);
    void send(std::string_view type, std::uint64_t id, nlohmann::json payload);
    void sendError(std::uint64_t id, const char* code, const std::string& message, const std::string& hint = {});
    void answer(const Request& request);
    SubjectGone lost(SubjectHandle& subject); ///< what is known of its end
    nlohmann::json receive(SubjectHandle& subject, std::uint64_t number); ///< the answer that has begun to arrive; throws SubjectGone
    /// Of the device that the request names, if it computes there; waits while another evaluator has it, serving the input. Throws Cancelled.
    std::unique_ptr<DeviceLease> lease(const nlohmann::json& body);
    void answerHello(const nlohmann::json& body);

    int m_input, m_output;
    std::string m_zygoteProgram;
    std::string m_buffer;
    std::deque<Request> m_queue;
    std::optional<std::uint64_t> m_current;
    bool m_cancelCurrent = false;
    bool m_inputOpen = true;
    bool m_quit = false;
    bool m_greeted = false;
    std::int64_t m_lastProgress_ns = 0;
    std::string m_lastPhase;
    ZygoteHandle m_zygote;
    protocol::Environment m_environment;
    std::vector<protocol::DeviceInfo> m_devices;
    GpuIsolation m_gpuIsolation;
    CandidateFolders m_folders;
    std::optional<TimingCore> m_timingCore;
    BuildLane m_builds{m_zygote, m_folders};
    NextCandidate m_next{*this};
    std::unique_ptr<ReferenceSession> m_reference;
    std::map<std::string, DeviceNotes> m_notes;
    std::map<std::string, GpuState> m_gpuStates; ///< by UUID; to start NVML takes a while
};

} // namespace cudal1::judge
