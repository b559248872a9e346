// SPDX-License-Identifier: GPL-3.0-or-later
// The protocol of a training.
#include "core/training/trainerserver.h"

#include "core/decoder/clientrequest.h"
#include "core/decoder/enginerequest.h"
#include "core/protocol/wireerror.h"
#include "core/training/trainingrequests.h"
#include "core/training/unpackedmodel.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>

namespace cudal1::training {

using nlohmann::json;

namespace {

constexpr std::size_t maxLine = std::size_t{1} << 30;
constexpr const char* page = "docs/training.md";

std::string firstLine(const std::string& text)
{
    return text.substr(0, text.find('\n'));
}

base::Error lostEachOther(const std::string& how)
{
    return {base::ErrorCode::ProcessFailed, "The processes of the training have lost each other: " + how, "",
            "Start the training again; it goes on from its newest checkpoint"};
}

} // namespace

TrainerServer::TrainerServer(int input, int output, std::string python)
    : m_channel(input, output, maxLine), m_pythonProgram(std::move(python))
{
}

TrainerServer::~TrainerServer() = default;

int TrainerServer::run()
{
    const auto python = decoder::Interpreter::start(m_pythonProgram);
    if (!python) {
        sendError(0, python.error());
        return 1;
    }
    m_python = *python;
    try {
        auto group = Workgroup::join(*m_python);
        if (!group) {
            sendError(0, group.error());
            return 1;
        }
        m_workgroup = std::move(*group);
        m_workgroup->watch([this] {
            sendError(0, lostEachOther("another one has died"));
            std::_Exit(1); // whatever call waits for it
        });
        if (!m_workgroup->isFirst())
            follow();
        else if (greet())
            lead();
        else
            m_hasFailed = true;
        if (m_workgroup->isFirst())
            m_workgroup->fromFirst(json{{"type", "quit"}}.dump());
    } catch (const std::exception& error) {
        sendError(0, lostEachOther(firstLine(error.what())));
        m_hasFailed = true;
    }
    m_sampler.reset();
    m_session.reset();
    return m_hasFailed ? 1 : 0;
}

bool TrainerServer::greet()
{
    const auto line = m_channel.next();
    if (!line)
        return false;
    if (const auto good = decoder::checkGreeting(*line, protocol::trainerProtocolVersion, page); !good) {
        sendError(0, good.error());
        return false;
    }
    protocol::Hello answer;
    answer.protocolVersion = protocol::trainerProtocolVersion;
    answer.program = "cudal1-trainer " CUDAL1_VERSION;
    answer.python = m_python->version();
    answer.torch = m_python->versionOf("torch");
    send("hello", 0, answer);
    return true;
}

void TrainerServer::lead()
{
    while (!m_quits && !m_hasFailed && !m_channel.isOutputClosed()) {
        const auto line = m_channel.next();
        if (!line) {
            if (m_sampler && !m_channel.isOutputClosed())
                m_sampler->waitUntilIdle();
            return;
        }
        takeLine(*line);
    }
}

/// What the first process sends next, which may take hours.
std::string TrainerServer::awaited()
{
    const decoder::Interpreter::Released released;
    return m_workgroup->fromFirst({});
}

void TrainerServer::follow()
{
    for (;;) {
        const json message = json::parse(awaited());
        const auto type = message.at("type").get<std::string>();
        if (type == "quit")
            return;
        if (type == "attend")
            m_session->model().attendWeights();
        else
            execute(type, 0, message.at("body"));
    }
}

void TrainerServer::takeLine(const std::string& line)
{
    const decoder::ClientRequest asked = decoder::clientRequest(line, page);
    const auto& [type, id, message, wrong] = asked;
    try {
        if (wrong)
            sendError(id, *wrong);
        else if (type == "quit")
            m_quits = true;
        else
            request(type, id, message);
    } catch (const json::exception& error) {
        sendError(id, decoder::refusedRequest(std::string("The request cannot be read: ") + error.what(), page));
    }
}

void TrainerServer::request(const std::string& type, std::uint64_t id, const json& body)
{
    if (type == "open" && m_session) {
        sendError(id, base::wrong("A training is open already", "Start another process for another one"));
        return;
    }
    const bool isKnown = type == "open" || type == "sft" || type == "grpo" || type == "save" || type == "generate" ||
                         type == "info";
    if (!isKnown) {
        sendError(id, base::wrong("The request " + type + " is not known to this program",
                                  "Install the same version on both sides"));
        return;
    }
    if (type != "open" && !m_session) {
        sendError(id, base::wrong("No training is open", "Send open first"));
        return;
    }
    if (type == "info") {
        protocol::TrainingOpened facts = m_session->opened();
        facts.step = m_session->step();
        facts.batch = m_session->batch();
        facts.deviceBytes = m_session->model().deviceBytes();
        send("facts", id, facts);
        return;
    }
    if (type == "generate") {
        if (const auto begun = generate(id, body); !begun)
            sendError(id, begun.error());
        return;
    }
    if (m_sampler)
        m_sampler->waitUntilIdle();
    const auto begun = std::chrono::steady_clock::now();
    const auto shared = prepared(type, body);
    m_tokenizeSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    if (!shared)
        sendError(id, shared.error());
    else
        share(type, id, *shared);
}

/// What all processes need of a request, checked.
base::Result<json> TrainerServer::prepared(const std::string& type, const json& body) const
{
    if (type == "open")
        return json(body.get<protocol::OpenTraining>());
    if (type == "save")
        return json(body.get<protocol::SaveRequest>());
    const RequestReader reader(m_session->model().config(), m_tokenizer.get(), m_lack);
    if (type == "sft") {
        const auto asked = body.get<protocol::SftRequest>();
        const auto sequences = reader.sequences(asked);
        if (!sequences)
            return sequences.error();
        json out = protocol::SftRequest{{}, asked.updates, asked.epochs, asked.minibatches};
        out["sequences"] = toJson(*sequences);
        return out;
    }
    const auto asked = body.get<protocol::GrpoRequest>();
    const auto groups = reader.groups(asked);
    if (!groups)
        return groups.error();
    json out = protocol::GrpoRequest{{}, asked.settings};
    out["replies"] = toJson(*groups);
    return out;
}

void TrainerServer::share(const std::string& type, std::uint64_t id, const json& body)
{
    if (m_workgroup->size() > 1)
        m_workgroup->fromFirst(json{{"type", type}, {"body", body}}.dump());
    execute(type, id, body);
}

/// Alone, a process goes on after a failure of its device. With others it must end, since they wait for it.
void TrainerServer::execute(const std::string& type, std::uint64_t id, const json& body)
{
    try {
        const auto done = perform(type, id, body);
        if (!done)
            sendError(id, done.error());
    } catch (const std::exception& error) {
        const base::Error problem{base::ErrorCode::ProcessFailed, "The device failed: " + firstLine(error.what()), type,
                                  "Fewer pass_tokens, recomputes, or LoRA need less memory"};
        sendError(id, problem);
        if (m_workgroup->size() > 1)
            throw;
        if (m_session)
            m_session->model().discardGradients();
    }
}

base::Result<void> TrainerServer::perform(const std::string& type, std::uint64_t id, const json& body)
{
    const auto told = [&](protocol::TrainingStep report) {
        report.seconds.tokenize = std::exchange(m_tokenizeSeconds, 0);
        if (m_workgroup->isFirst())
            send("step", id, report);
    };
    if (type == "open")
        return open(id, body);
    const decoder::Interpreter::Released released;
    if (type == "sft")
        return m_session->sft(sequencesOf(body.at("sequences")), body.get<protocol::SftRequest>(), told);
    if (type == "grpo")
        return m_session->grpo(groupsOf(body.at("replies")), body.get<protocol::GrpoRequest>().settings, told);
    const auto saved = m_session->save(body.get<protocol::SaveRequest>());
    if (!saved)
        return saved.error();
    if (m_workgroup->isFirst())
        send("saved", id, *saved);
    return {};
}

/// A GGUF file is trained as the folder OUT/start, which the first process makes of it.
base::Result<void> TrainerServer::unpack(protocol::OpenTraining& asked)
{
    const std::string folder = asked.out + "/start";
    const bool isThere = asked.model.ends_with(".gguf") && !asked.out.empty() && std::filesystem::exists(folder);
    if (!isThere && !std::filesystem::is_regular_file(asked.model))
        return {};
    if (asked.out.empty())
        return base::Error{base::ErrorCode::InvalidArgument, "A GGUF file is unpacked before it is trained",
                           asked.model, "Name a folder for the training (out)"};
    std::optional<base::Error> problem;
    if (m_workgroup->isFirst() && !isThere) {
        const auto files = decoder::Checkpoint::open(asked.model);
        const auto done = files ? unpackModel(*files, *m_python, folder) : base::Status(files.error());
        if (!done)
            problem = done.error();
    }
    double failures = problem ? 1 : 0;
    m_workgroup->sum(std::span(&failures, 1));
    if (problem)
        return *problem;
    if (failures > 0)
        return base::Error{base::ErrorCode::ProcessFailed, "The first process could not unpack the model", asked.model,
                           "Its standard error says why"};
    asked.model = folder;
    return {};
}

base::Result<void> TrainerServer::open(std::uint64_t id, const json& body)
{
    auto asked = body.get<protocol::OpenTraining>();
    if (const auto unpacked = unpack(asked); !unpacked)
        return unpacked.error();
    auto session = TrainingSession::open(asked, *m_workgroup);
    if (!session)
        return session.error();
    m_session = std::move(*session);
    if (!m_workgroup->isFirst())
        return {};
    auto files = decoder::Checkpoint::open(asked.model);
    if (!files) // the first model may be gone; the checkpoint has its tokenizer
        files = decoder::Checkpoint::open(asked.out + '/' + m_session->opened().checkpoint);
    if (!files)
        return files.error();
    m_files = std::make_unique<decoder::Checkpoint>(std::move(*files));
    auto tokenizer = decoder::Tokenizer::load(*m_python, *m_files);
    if (tokenizer)
        m_tokenizer = std::make_unique<decoder::Tokenizer>(std::move(*tokenizer));
    else
        m_lack = tokenizer.error();
    send("opened", id, m_session->opened());
    return {};
}

base::Result<void> TrainerServer::generate(std::uint64_t id, const json& body)
{
    const auto came = std::chrono::steady_clock::now();
    if (!m_tokenizer)
        return *m_lack;
    const auto asked = body.get<protocol::GenerateRequest>();
    protocol::TrainingPrompt given;
    given.messages = asked.messages;
    given.prompt = asked.prompt;
    if (body.contains("prompt_tokens"))
        body.at("prompt_tokens").get_to(given.tokens);
    auto prompt = RequestReader(m_session->model().config(), m_tokenizer.get(), m_lack).prompt(given);
    if (!prompt)
        return prompt.error();
    if (!m_sampler) {
        const protocol::OpenTraining& settings = m_session->settings();
        auto made = LiveSampler::make(m_session->model(),
                                      {m_files->path(), static_cast<std::size_t>(settings.samplerReplies),
                                       static_cast<std::size_t>(settings.samplerCacheMib) << 20, settings.threads},
                                      *m_tokenizer, *this);
        if (!made)
            return made.error();
        m_sampler = std::move(*made);
    }
    auto request = decoder::engineRequest(asked, std::move(*prompt), m_sampler->context(), m_sampler->defaults());
    if (!request)
        return request.error();
    request->id = id;
    request->came = came;
    if (m_sampledStep != m_session->step()) {
        if (m_session->model().sharding() == protocol::Sharding::Weights)
            m_workgroup->fromFirst(json{{"type", "attend"}}.dump());
        m_sampler->refresh(m_session->model());
        m_sampledStep = m_session->step();
    }
    m_sampler->submit(std::move(*request));
    return {};
}

void TrainerServer::send(std::string_view type, std::uint64_t id, json payload)
{
    m_channel.send(protocol::line(type, id, std::move(payload)));
}

void TrainerServer::sendError(std::uint64_t id, const base::Error& error)
{
    const bool isFirst = !m_workgroup || m_workgroup->isFirst();
    if (isFirst)
        send("error", id, protocol::wireError(error));
    if (!isFirst || id == 0)
        std::fprintf(stderr, "cudal1-trainer: %s\n", error.text().c_str());
}

void TrainerServer::added(std::uint64_t id, const protocol::ReplyPart& part)
{
    send("partial", id, part);
}

void TrainerServer::replied(std::uint64_t id, const protocol::GeneratedReply& reply)
{
    send("reply", id, reply);
}

void TrainerServer::cancelled(std::uint64_t id)
{
    sendError(id, {base::ErrorCode::Cancelled, "The request was withdrawn", "", ""});
}

void TrainerServer::failed(const std::string& problem)
{
    sendError(0, {base::ErrorCode::ProcessFailed, "The device failed while replies were drawn: " + firstLine(problem),
                  "", "Start the training again; it goes on from its newest checkpoint"});
    m_hasFailed = true;
}

} // namespace cudal1::training
