// SPDX-License-Identifier: GPL-3.0-or-later
// The evaluator's main loop.
#include "core/judge/supervisor/supervisor.h"

#include "core/judge/supervisor/evaluate.h"
#include "core/judge/supervisor/machine.h"
#include "core/judge/supervisor/reference.h"
#include "core/judge/supervisor/temporaryfolder.h"
#include "core/judge/supervisor/tracetimeline.h"
#include "core/judge/wire/steadyclock.h"
#include "core/judge/wire/wire.h"
#include "core/protocol/wireerror.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace cudal1::judge {

using nlohmann::json;

namespace {

constexpr std::size_t maxLine = 64u << 20;
constexpr std::size_t maxAnswer = 256u << 20;
/// For an answer that has begun: its sender has it ready, and a stranger must not hold the supervisor by being slow.
constexpr std::chrono::seconds answerTime{10};

/// A field of a request that is still to be checked; empty when it is no text.
std::string textOf(const json& body, const char* key)
{
    const auto found = body.find(key);
    return found != body.end() && found->is_string() ? found->get<std::string>() : std::string();
}

} // namespace

Supervisor::Supervisor(int input, int output, std::string zygoteProgram)
    : m_input(input), m_output(output), m_zygoteProgram(std::move(zygoteProgram))
{
}

Supervisor::~Supervisor() = default;

int Supervisor::run()
{
    sweepTemporaryFolders();
    while (!m_quit) {
        if (m_queue.empty()) {
            if (!m_inputOpen)
                break;
            m_next.drop();
            m_next.awaitRetired();
            readInput(true);
            continue;
        }
        buildAhead();
        const auto next = nextRequest();
        if (next == m_queue.end()) {
            waitForBuilds(1000);
            continue;
        }
        const QueuedRequest request = m_queue.take(next);
        m_current = request.id;
        m_cancelCurrent = false;
        m_lastPhase.clear();
        answer(request);
        m_timingCore.reset();
        m_current.reset();
    }
    m_builds.cancelAll();
    return 0;
}

RequestQueue::Place Supervisor::nextRequest() const
{
    // What waits for a compiler lets others pass, and so does what waits for one to be free: compiling in its turn
    // would keep the GPU idle for a minute.
    const auto mayBegin = [this](const QueuedRequest& request) {
        return !(request.type == "evaluate" && m_builds.building(textOf(request.body, "candidate"))) &&
               !(m_builds.full() && canBeBuiltAhead(request));
    };
    const auto isServed = [this](const QueuedRequest& request) {
        try {
            return m_reference && m_reference->serves(request.body.get<protocol::EvaluateRequest>());
        } catch (const json::exception&) {
            return false; // it is refused in its turn
        }
    };
    return m_queue.next(mayBegin, isServed);
}

void Supervisor::startNext()
{
    const auto next = nextRequest();
    if (next == m_queue.end() || next->type != "evaluate" || !m_reference)
        return;
    try {
        const auto request = next->body.get<protocol::EvaluateRequest>();
        if (m_reference->serves(request))
            m_next.start(*m_reference, request.candidate, m_folders.use(request.candidate));
    } catch (const json::exception&) {
        // it is refused in its turn
    }
}

bool Supervisor::canBeBuiltAhead(const QueuedRequest& request) const
{
    if (request.type != "evaluate")
        return false;
    const std::string source = textOf(request.body, "candidate");
    // On the CPU a compiler would disturb what is being timed; there a candidate compiles in its turn.
    return BuildLane::wanted(source) && textOf(request.body, "device").starts_with("cuda") &&
           !m_folders.built(source) && !m_builds.building(source);
}

void Supervisor::buildAhead()
{
    constexpr double limit_s = 300;
    constexpr std::size_t ahead = CandidateFolders::kept / 2; // what is built must still be there when its turn comes
    for (std::size_t i = 0; i < std::min(m_queue.size(), ahead); ++i) {
        const QueuedRequest& request = m_queue[i];
        if (m_builds.full())
            return;
        if (!canBeBuiltAhead(request))
            continue;
        const std::string source = textOf(request.body, "candidate"), device = textOf(request.body, "device");
        const auto known = std::find_if(devices().begin(), devices().end(),
                                        [&](const auto& info) { return info.name == device; });
        if (known == devices().end())
            continue;
        try {
            m_builds.start(source, known->capability,
                           request.body.contains("task") ? textOf(request.body["task"], "source") : std::string(),
                           request.body.value("build_limit_s", limit_s));
        } catch (const std::exception&) {
            return; // without a build ahead a candidate compiles in its turn, and says what is wrong
        }
    }
}

void Supervisor::waitForBuilds(int atMost_ms)
{
    std::vector<pollfd> sources{{m_inputOpen ? m_input : -1, POLLIN, 0}, {m_zygote.control(), POLLIN, 0}};
    m_builds.addTo(sources);
    ::poll(sources.data(), sources.size(), atMost_ms);
    if (sources[0].revents)
        readInput(false);
    if (sources[1].revents)
        m_zygote.receive();
    m_builds.tend();
}

void Supervisor::readInput(bool wait)
{
    pollfd source{m_input, POLLIN, 0};
    if (::poll(&source, 1, wait ? -1 : 0) <= 0)
        return;
    char buffer[1 << 16];
    const ssize_t size = ::read(m_input, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR)
        return;
    if (size <= 0) {
        m_inputOpen = false;
        m_cancelCurrent = true; // nobody is left to read the answer
        return;
    }
    m_buffer.append(buffer, static_cast<std::size_t>(size));
    std::size_t start = 0;
    for (std::size_t end; (end = m_buffer.find('\n', start)) != std::string::npos; start = end + 1)
        takeLine(m_buffer.substr(start, end - start));
    m_buffer.erase(0, start);
    if (m_buffer.size() > maxLine) {
        sendError(0, "invalid_argument", "A request of more than 64 MiB was refused");
        m_quit = true;
    }
}

void Supervisor::takeLine(const std::string& line)
{
    const json message = json::parse(line, nullptr, false);
    if (!message.is_object() || !message.contains("type") || !message["type"].is_string()) {
        sendError(0, "invalid_argument", "A line that is no JSON object with a type was refused",
                  "One request a line, as core/protocol/messages.h says");
        return;
    }
    QueuedRequest request{message["type"], 0, message};
    if (message.contains("id") && message["id"].is_number_unsigned())
        request.id = message["id"];
    if (request.type == "hello") {
        answerHello(message);
    } else if (!m_greeted) {
        sendError(request.id, "invalid_argument", "The first line must be hello");
    } else if (request.type == "quit") {
        m_quit = true;
        m_cancelCurrent = true;
    } else if (request.type == "cancel") {
        if (m_current == request.id) {
            m_cancelCurrent = true;
        } else if (m_queue.withdraw(request.id)) {
            sendError(request.id, "cancelled", "The request was withdrawn before its turn");
        }
    } else {
        m_queue.add(std::move(request));
    }
}

void Supervisor::answerHello(const json& body)
{
    const auto hello = body.get<protocol::Hello>();
    if (hello.protocolVersion != protocol::protocolVersion) {
        sendError(0, "invalid_argument",
                  "The client speaks version " + std::to_string(hello.protocolVersion) +
                      " of the protocol, this evaluator version " + std::to_string(protocol::protocolVersion),
                  "Install the same version on both machines");
        m_quit = true;
        return;
    }
    protocol::Hello answer;
    answer.program = "cudal1-evaluator " CUDAL1_VERSION;
    try {
        answer.python = zygote().pythonVersion();
        answer.torch = zygote().torchVersion();
    } catch (const std::exception& error) {
        sendError(0, "unavailable", error.what(),
                  "Run ./bootstrap again, or set CUDAL1_PYTHON to a Python that has torch 2.11");
        m_quit = true;
        return;
    }
    m_greeted = true;
    send("hello", 0, answer);
}

void Supervisor::send(std::string_view type, std::uint64_t id, json payload)
{
    const std::string line = protocol::line(type, id, std::move(payload));
    for (std::size_t sent = 0; sent < line.size();) {
        const ssize_t size = ::write(m_output, line.data() + sent, line.size() - sent);
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0) {
            m_quit = true; // the client is gone
            return;
        }
        sent += static_cast<std::size_t>(size);
    }
}

void Supervisor::sendError(std::uint64_t id, const char* code, const std::string& message, const std::string& hint)
{
    send("error", id, protocol::wireError({protocol::errorCode(code), message, "", hint}));
}

std::unique_ptr<DeviceLease> Supervisor::lease(const json& body)
{
    const std::string name = textOf(body, "device");
    std::string device = name;
    if (name.starts_with("cuda")) {
        const auto known = std::find_if(devices().begin(), devices().end(),
                                        [&](const auto& info) { return info.name == name; });
        if (known == devices().end())
            return {}; // refused by what the request is for
        device = known->uuid;
    } else if (name != "cpu") {
        return {}; // the meta device computes nothing
    }
    constexpr int again_ms = 5;
    auto lease = std::make_unique<DeviceLease>(device);
    for (bool told = false; !lease->take(); told = true) {
        if (!told)
            progress({"wait", 0, "another program judges on " + name});
        waitForBuilds(again_ms);
        if (m_cancelCurrent)
            throw Cancelled{};
    }
    return lease;
}

void Supervisor::answer(const QueuedRequest& request)
{
    try {
        const auto held = lease(request.body);
        if (request.type == "describe")
            send("machine", request.id, describeMachine(*this));
        else if (request.type == "inspect")
            send("inspection", request.id, inspectTasks(*this, request.body.get<protocol::InspectRequest>()));
        else if (request.type == "facts")
            send("facts", request.id, deriveFacts(*this, request.body.get<protocol::FactsRequest>()));
        else if (request.type == "screen")
            send("screening", request.id, screenTasks(*this, request.body.get<protocol::ScreenRequest>()));
        else if (request.type == "graph")
            send("graph", request.id, traceTask(*this, request.body.get<protocol::GraphRequest>()));
        else if (request.type == "timeline")
            send("timeline", request.id, traceTimeline(*this, request.body.get<protocol::TimelineRequest>()));
        else if (request.type == "kernels")
            send("kernels", request.id, traceKernels(*this, request.body.get<protocol::KernelsRequest>()));
        else if (request.type == "counters")
            send("counters", request.id, traceCounters(*this, request.body.get<protocol::CountersRequest>()));
        else if (request.type == "evaluate")
            send("evaluation", request.id, evaluate(*this, request.body.get<protocol::EvaluateRequest>()));
        else
            sendError(request.id, "invalid_argument", "The request " + request.type + " is not known to this evaluator",
                      "Install the same version on both machines");
    } catch (const Cancelled&) {
        dropReference();
        sendError(request.id, "cancelled", "The request was withdrawn");
    } catch (const RequestFailed& error) {
        sendError(request.id, error.code.c_str(), error.what(), error.hint);
    } catch (const json::exception& error) {
        sendError(request.id, "invalid_argument", std::string("The request cannot be read: ") + error.what());
    } catch (const WireClosed& error) {
        m_reference.reset();
        m_next.forget();
        try {
            m_zygote.start(m_zygoteProgram);
            sendError(request.id, "process_failed", std::string("The zygote ended: ") + error.what(),
                      "It was started again; try once more");
        } catch (const std::exception& again) { // the next request tries once more
            sendError(request.id, "unavailable",
                      std::string("The zygote ended and does not start again: ") + again.what(),
                      "`cudal1 doctor` says more");
        }
    } catch (const std::exception& error) {
        sendError(request.id, "internal", error.what());
    }
}

ZygoteHandle& Supervisor::zygote()
{
    if (!m_zygote.running())
        m_zygote.start(m_zygoteProgram);
    return m_zygote;
}

void Supervisor::endQuietly(SubjectHandle& subject) noexcept
{
    try {
        m_zygote.end(subject);
    } catch (const std::exception&) {
        // as the header says
    }
}

json Supervisor::ask(SubjectHandle& subject, json request, double limit_s)
{
    const double begun = secondsNow();
    const std::string command = request.value("command", "");
    json reply = await(subject, begin(subject, std::move(request)), limit_s);
    subject.trace(command, begun);
    return reply;
}

SubjectGone Supervisor::lost(SubjectHandle& subject)
{
    subject.thaw();
    try {
        subject.drain();
    } catch (const OutputFlood&) {
    }
    m_zygote.awaitStatus(subject, 2000);
    return {subject.status, subject.cause};
}

json Supervisor::receive(SubjectHandle& subject, std::uint64_t number, bool driven)
{
    json reply;
    try {
        reply = receiveMessage(subject.socket(), nullptr, maxAnswer, std::chrono::steady_clock::now() + answerTime);
    } catch (const FrameRefused&) {
        throw SubjectGone{subject.status, "protocol"};
    } catch (const WireClosed&) {
        throw driven ? SubjectGone{subject.status, subject.cause} : lost(subject);
    }
    // Each request has one answer, and a subject that was asked in vain is ended: no other can be under way.
    const auto answered = reply.find("nonce");
    if (answered == reply.end() || *answered != number || !reply.contains("ok") || !reply["ok"].is_boolean())
        throw SubjectGone{subject.status, "protocol"};
    return reply;
}

std::uint64_t Supervisor::post(SubjectHandle& subject, json request, std::span<const int> descriptors)
{
    const std::uint64_t number = subject.nextNonce();
    request["nonce"] = number;
    try {
        sendMessage(subject.socket(), request, descriptors);
    } catch (const WireClosed&) {
        throw lost(subject);
    }
    return number;
}

json Supervisor::await(SubjectHandle& subject, std::uint64_t number, double limit_s, Driven* driven)
{
    const double deadline_s = secondsNow() + limit_s;
    for (;;) {
        if (m_cancelCurrent)
            throw Cancelled{};
        if (driven && driven->subject.status)
            throw lost(driven->subject);
        const double left_s = deadline_s - secondsNow();
        if (left_s <= 0)
            throw DeadlinePassed{limit_s};
        pollfd sources[6] = {{subject.socket(), POLLIN, 0},
                             {m_zygote.control(), POLLIN, 0},
                             {subject.output(), POLLIN, 0},
                             {m_inputOpen ? m_input : -1, POLLIN, 0},
                             {driven ? driven->subject.output() : -1, POLLIN, 0},
                             {driven && !driven->reply ? driven->subject.socket() : -1, POLLIN, 0}};
        if (::poll(sources, 6, static_cast<int>(std::min(left_s * 1e3 + 1, 1000.0))) < 0)
            continue;
        if (sources[5].revents)
            driven->reply.emplace(receive(driven->subject, driven->number, true));
        if (sources[4].revents)
            driven->subject.drain();
        if (sources[3].revents)
            readInput(false);
        if (sources[2].revents)
            subject.drain();
        if (sources[1].revents)
            m_zygote.receive();
        if (sources[0].revents) {
            json reply = receive(subject, number);
            subject.freeze();
            return reply;
        }
    }
}

json Supervisor::finish(Driven& driven, double limit_s)
{
    driven.subject.thaw();
    if (!driven.reply)
        return await(driven.subject, driven.number, limit_s);
    driven.subject.freeze();
    return *driven.reply;
}

void Supervisor::progress(const protocol::Progress& progress)
{
    m_builds.tend(); // no subject is being waited for here, so nothing that is timed waits for this
    buildAhead();
    const double now_s = secondsNow();
    if (!m_current || (now_s - m_lastProgress_s < 0.05 && progress.phase == m_lastPhase))
        return;
    m_lastPhase = progress.phase;
    m_lastProgress_s = now_s;
    send("progress", *m_current, progress);
}

const std::vector<protocol::DeviceInfo>& Supervisor::devices()
{
    if (m_devices.empty())
        m_devices = askDevices(*this, m_environment);
    return m_devices;
}

const protocol::DeviceInfo& Supervisor::device(const std::string& name)
{
    return requireDevice(*this, name);
}

const protocol::Environment& Supervisor::environment()
{
    devices();
    return m_environment;
}

int Supervisor::timingCore(const std::string& device)
{
    if (device == "cpu")
        return -1;
    if (!m_timingCore)
        m_timingCore.emplace(timingCores());
    return m_timingCore->thread();
}

ReferenceSession& Supervisor::reference(const protocol::EvaluateRequest& request)
{
    if (!m_reference || !m_reference->serves(request)) {
        dropReference();
        m_reference = std::make_unique<ReferenceSession>(*this, request);
    }
    return *m_reference;
}

void Supervisor::dropReference()
{
    m_next.drop(); // it works on this reference's arena
    m_reference.reset();
}

} // namespace cudal1::judge
