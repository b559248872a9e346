// SPDX-License-Identifier: GPL-3.0-or-later
// The supervisor: the evaluator's main loop. It reads requests of clients, answers them one by one, and keeps reading
// while a subject works, so that a request can be cancelled.
//
// The supervisor never runs Python and links no torch. A candidate can reach it only through the messages on its
// socket.
#pragma once

#include "core/judge/sandbox/devicelease.h"
#include "core/judge/sandbox/timingcore.h"
#include "core/judge/supervisor/buildlane.h"
#include "core/judge/supervisor/candidatefolders.h"
#include "core/judge/supervisor/candidateprocess.h"
#include "core/judge/supervisor/gpustate.h"
#include "core/judge/supervisor/nextcandidate.h"
#include "core/judge/supervisor/requestqueue.h"
#include "core/judge/supervisor/zygotehandle.h"
#include "core/protocol/messages.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace cudal1::judge {

class ReferenceSession;

/// Used from one thread. Functions that wait for a subject read the client's input meanwhile and throw Cancelled when
/// the client withdraws the request at work.
class Supervisor {
public:
    /// `input` and `output` carry the JSON lines of the client and stay the caller's. `zygoteProgram` is the path of
    /// cudal1-zygote, which is started when it is first needed.
    Supervisor(int input, int output, std::string zygoteProgram);
    ~Supervisor();

    /// Runs until the client sends "quit" or closes the input. Returns the exit status of the program.
    int run();

    // What follows is for the code that answers requests.

    /// Sends a request to a subject and returns its answer. A subject that has a freezer runs only from the request to
    /// the answer. Throws SubjectGone, DeadlinePassed after `limit_s` seconds, OutputFlood, Cancelled, and WireClosed
    /// when the zygote is gone.
    nlohmann::json ask(SubjectHandle& subject, nlohmann::json request, double limit_s);
    /// The first half of ask(), for a subject that is to work while others are asked. Returns the number that await()
    /// takes. `descriptors` travel with the request and stay the caller's. A subject whose fork was only begun may be
    /// sent its first request.
    std::uint64_t begin(SubjectHandle& subject, nlohmann::json request, std::span<const int> descriptors = {})
    {
        subject.thaw();
        return post(subject, std::move(request), descriptors);
    }
    /// A subject that works on a request of its own while another one is waited for: the witness drives it.
    struct Driven {
        SubjectHandle& subject;
        std::uint64_t number;                     ///< of the request that it works on
        std::optional<nlohmann::json> reply = {}; ///< its answer, once that has come
    };
    /// As begin(), for a request that the witness drives. The subject stays stopped until the witness has it take its
    /// first step, so that it has no time of its own before that.
    Driven beginDriven(SubjectHandle& subject, nlohmann::json request)
    {
        subject.handOver();
        return {subject, post(subject, std::move(request), {})};
    }
    /// The second half of ask(). While it waits it also watches `driven`: it throws when that subject ends, prints
    /// without end, or sends something that is no answer. An answer of `driven` is kept in `driven->reply`, and the
    /// subject runs on, since the witness may not be done with it. When `driven` has closed its connection, SubjectGone
    /// may have no status yet: lost() finds it, once the witness has let go of the subject.
    nlohmann::json await(SubjectHandle& subject, std::uint64_t number, double limit_s, Driven* driven = nullptr);
    /// Lets `driven` run, waits for its answer if that has not come yet, stops it and returns the answer.
    nlohmann::json finish(Driven& driven, double limit_s);
    /// Lets a subject run that has closed its connection, and waits up to two seconds for its end. Returns how it
    /// ended, without a status when it has not.
    SubjectGone lost(SubjectHandle& subject);
    /// Tells the client how far the request at work is; within one phase at most every 50 ms.
    void progress(const protocol::Progress& progress);
    ZygoteHandle& zygote(); ///< started when it is needed; throws std::runtime_error when it does not start
    /// Ends a subject. When the zygote is gone the subject is gone with it, and nothing is thrown.
    void endQuietly(SubjectHandle& subject) noexcept;
    const protocol::Environment& environment(); ///< of this machine, as devices() found it
    /// The devices of this machine, the CPU first. A subject is forked once to find them.
    const std::vector<protocol::DeviceInfo>& devices();
    /// The reference of this task and these settings, loaded. It stays loaded until another one is asked for. Throws as
    /// the constructor of ReferenceSession does.
    ReferenceSession& reference(const protocol::EvaluateRequest& request);
    void dropReference(); ///< ends its processes, and that of a candidate that was started for it ahead
    /// Throws RequestFailed("unavailable") when this machine has no such device.
    const protocol::DeviceInfo& device(const std::string& name);
    const GpuState& gpuState(const std::string& uuid) { return m_gpuStates.try_emplace(uuid, uuid).first->second; }
    /// The number of the hardware thread that both sides are pinned to while they are timed on a GPU. Its core is
    /// reserved for this evaluator until the request is answered. -1 for the CPU device, where the work itself uses all
    /// cores.
    int timingCore(const std::string& device);
    CandidateFolders& folders() { return m_folders; }
    NextCandidate& next() { return m_next; }
    /// Starts the process of the next candidate in the queue ahead of its turn, if there is one for the same reference.
    void startNext();
    GpuIsolation& gpuIsolation() { return m_gpuIsolation; } ///< found with the first candidate, kept for all later ones

    /// What has been learned about a device and holds for every task on it.
    struct DeviceNotes {
        std::string kernels;       ///< the judge's own kernels, compiled; empty until the first reference has loaded
        double bytesPerSecond = 0; ///< measured copy bandwidth, read plus written; 0 on the CPU or while unknown
    };
    DeviceNotes& notes(const std::string& device) { return m_notes[device]; }

private:
    /// The first request in the queue whose candidate neither is being compiled ahead nor waits for that, or one behind
    /// it for the task that is loaded; the queue's end when there is none.
    RequestQueue::Place nextRequest() const;
    bool canBeBuiltAhead(const QueuedRequest& request) const;
    void buildAhead();                 ///< starts compilers for candidates that wait in the queue
    void waitForBuilds(int atMost_ms); ///< for input, the zygote, or a compiler to finish
    void readInput(bool wait);
    void takeLine(const std::string& line);
    void send(std::string_view type, std::uint64_t id, nlohmann::json payload);
    void sendError(std::uint64_t id, const char* code, const std::string& message, const std::string& hint = {});
    void answer(const QueuedRequest& request);
    /// Sends a request, whether the subject runs or not. Returns its number.
    std::uint64_t post(SubjectHandle& subject, nlohmann::json request, std::span<const int> descriptors);
    /// Reads an answer that has begun to arrive; throws SubjectGone. How a subject that is `driven` ended, and has
    /// closed its connection, is not waited for, since the witness may keep it stopped.
    nlohmann::json receive(SubjectHandle& subject, std::uint64_t number, bool driven = false);
    /// The lease of the device that the request names; null when the request computes on no device. Waits while another
    /// evaluator holds it. Throws Cancelled.
    std::unique_ptr<DeviceLease> lease(const nlohmann::json& body);
    void answerHello(const nlohmann::json& body);

    int m_input, m_output;
    std::string m_zygoteProgram;
    std::string m_buffer;
    RequestQueue m_queue;
    std::optional<std::uint64_t> m_current;
    bool m_cancelCurrent = false;
    bool m_inputOpen = true;
    bool m_quit = false;
    bool m_greeted = false;
    double m_lastProgress_s = 0;
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
    std::map<std::string, GpuState> m_gpuStates; ///< by UUID; kept since NVML takes a while to start
};

} // namespace cudal1::judge
