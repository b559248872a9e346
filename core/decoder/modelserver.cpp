// SPDX-License-Identifier: GPL-3.0-or-later
// The protocol of a local model.
#include "core/decoder/modelserver.h"

#include "core/decoder/clientrequest.h"
#include "core/decoder/enginerequest.h"
#include "core/protocol/wireerror.h"

#include <poll.h>

#include <cstdio>
#include <filesystem>

namespace cudal1::decoder {

using modelfiles::DecoderConfig;

using nlohmann::json;

namespace {

constexpr std::size_t maxLine = 64u << 20;
constexpr const char* page = "docs/localmodel.md";

} // namespace

ModelServer::ModelServer(int input, int output, ModelOptions options, std::string python)
    : m_channel(input, output, maxLine), m_options(std::move(options)), m_pythonProgram(std::move(python))
{
}

ModelServer::~ModelServer() = default;

int ModelServer::run()
{
    if (!greet() || !load())
        return 1;
    while (!m_quits && !m_hasFailed && !m_channel.isOutputClosed()) {
        const auto line = nextLine();
        if (!line) {
            if (!m_quits)
                awaitReplies();
            break;
        }
        takeLine(*line);
    }
    m_engine.reset();
    return m_hasFailed ? 1 : 0;
}

bool ModelServer::greet()
{
    const auto line = nextLine();
    if (!line)
        return false;
    if (const auto good = checkGreeting(*line, protocol::modelProtocolVersion, page); !good) {
        sendError(0, good.error());
        return false;
    }
    const auto python = Interpreter::start(m_pythonProgram);
    if (!python) {
        sendError(0, python.error());
        return false;
    }
    m_python = *python;
    protocol::Hello answer;
    answer.protocolVersion = protocol::modelProtocolVersion;
    answer.program = "cudal1-model " CUDAL1_VERSION;
    answer.python = m_python->version();
    answer.torch = m_python->versionOf("torch");
    send("hello", 0, answer);
    return true;
}

bool ModelServer::load()
{
    auto model = loadModel(m_options);
    if (!model) {
        sendError(0, model.error());
        return false;
    }
    m_model = std::move(*model);
    auto tokenizer = Tokenizer::load(*m_python, *m_model->checkpoint);
    if (!tokenizer) {
        sendError(0, tokenizer.error());
        return false;
    }
    m_tokenizer = std::make_unique<Tokenizer>(std::move(*tokenizer));
    m_engine = std::make_unique<ReplyEngine>(*m_model, *m_tokenizer, static_cast<ReplyListener&>(*this));
    return true;
}

std::optional<std::string> ModelServer::nextLine()
{
    auto line = m_channel.next();
    if (line)
        return line;
    if (m_channel.isTooLong())
        sendError(0, refusedRequest("A request of more than 64 MiB was refused", page));
    if (m_channel.isTooLong() || m_channel.isOutputClosed() || m_hasFailed) // what was asked is not waited for
        quit();
    return {};
}

void ModelServer::quit()
{
    m_quits = true;
    m_channel.giveUp();
}

void ModelServer::awaitReplies()
{
    constexpr int again_ms = 20;
    while (!m_engine->idle() && !m_hasFailed && !m_channel.isOutputClosed())
        ::poll(nullptr, 0, again_ms);
}

void ModelServer::takeLine(const std::string& line)
{
    const ClientRequest request = clientRequest(line, page);
    const auto& [type, id, message, wrong] = request;
    try {
        if (wrong)
            sendError(id, *wrong);
        else if (type == "quit")
            quit();
        else if (type == "generate")
            generate(id, message);
        else if (type == "tokenize" || type == "count")
            count(id, message, type == "tokenize");
        else if (type == "info")
            info(id);
        else if (type == "cancel")
            m_engine->cancel(id);
        else
            sendError(id, {base::ErrorCode::InvalidArgument, "The request " + type + " is not known to this program",
                           "", "Install the same version on both sides"});
    } catch (const json::exception& error) {
        sendError(id, refusedRequest(std::string("The request cannot be read: ") + error.what(), page));
    }
}

base::Result<std::vector<int>> ModelServer::tokensOf(const std::vector<protocol::ChatTurn>& messages,
                                                     const std::string& prompt)
{
    if (messages.empty() == prompt.empty())
        return refusedRequest("A request has either messages or a prompt", page);
    if (messages.empty())
        return m_tokenizer->encode(prompt);
    std::vector<std::pair<std::string, std::string>> turns;
    turns.reserve(messages.size());
    for (const protocol::ChatTurn& turn : messages)
        turns.emplace_back(turn.role, turn.content);
    return m_tokenizer->encodeChat(turns);
}

void ModelServer::generate(std::uint64_t id, const json& body)
{
    {
        const std::lock_guard lock(m_openMutex);
        if (m_open.contains(id)) {
            sendError(0, refusedRequest("A request with the id " + std::to_string(id) + " is still at work", page));
            return;
        }
    }
    const auto came = std::chrono::steady_clock::now();
    const auto asked = body.get<protocol::GenerateRequest>();
    auto prompt = tokensOf(asked.messages, asked.prompt);
    if (!prompt) {
        sendError(id, prompt.error());
        return;
    }
    auto request = engineRequest(asked, std::move(*prompt), m_model->context, m_model->defaults);
    if (!request) {
        sendError(id, request.error());
        return;
    }
    request->id = id;
    request->came = came;
    {
        const std::lock_guard lock(m_openMutex);
        m_open[id] = request->replies;
    }
    m_engine->submit(std::move(*request));
}

void ModelServer::count(std::uint64_t id, const json& body, bool withTokens)
{
    const auto asked = body.get<protocol::CountRequest>();
    auto tokens = tokensOf(asked.messages, asked.prompt);
    if (!tokens) {
        sendError(id, tokens.error());
        return;
    }
    protocol::TokenCount answer;
    answer.count = static_cast<int>(tokens->size());
    if (withTokens)
        answer.tokens = std::move(*tokens);
    send("tokens", id, answer);
}

void ModelServer::info(std::uint64_t id)
{
    const DecoderConfig& config = m_model->checkpoint->config();
    const StepRunner& runner = *m_model->runner;
    protocol::ModelFacts facts;
    const std::filesystem::path path = std::filesystem::absolute(m_model->checkpoint->path()).lexically_normal();
    facts.name = (path.has_filename() ? path : path.parent_path()).filename().string();
    facts.path = path.string();
    facts.family = config.family;
    facts.device = runner.name();
    facts.numbers = m_model->numbers;
    facts.formats = m_model->checkpoint->formats();
    facts.parameters = m_model->checkpoint->parameters();
    facts.vocabulary = static_cast<int>(config.vocabulary);
    facts.context = static_cast<int>(m_model->context);
    facts.chats = m_tokenizer->chats();
    facts.fileBytes = m_model->checkpoint->bytes();
    facts.weightBytes = runner.weightBytes();
    facts.cacheBytes = runner.cacheBytes();
    facts.cacheTokens = runner.blocks() * static_cast<int>(blockTokens);
    facts.maxReplies = static_cast<int>(m_options.maxReplies);
    facts.running = static_cast<int>(m_engine->running());
    facts.waiting = static_cast<int>(m_engine->waiting());
    facts.loadSeconds = m_model->loadSeconds;
    send("facts", id, facts);
}

void ModelServer::send(std::string_view type, std::uint64_t id, json payload)
{
    m_channel.send(protocol::line(type, id, std::move(payload)));
}

void ModelServer::sendError(std::uint64_t id, const base::Error& error)
{
    send("error", id, protocol::wireError(error));
    if (id == 0)
        std::fprintf(stderr, "cudal1-model: %s\n", error.text().c_str());
}

void ModelServer::added(std::uint64_t id, const protocol::ReplyPart& part)
{
    send("partial", id, part);
}

void ModelServer::replied(std::uint64_t id, const protocol::GeneratedReply& reply)
{
    {
        // Before it is told: the client may use the number again at once.
        const std::lock_guard lock(m_openMutex);
        if (const auto open = m_open.find(id); open != m_open.end() && --open->second == 0)
            m_open.erase(open);
    }
    send("reply", id, reply);
}

void ModelServer::cancelled(std::uint64_t id)
{
    {
        const std::lock_guard lock(m_openMutex);
        m_open.erase(id);
    }
    sendError(id, {base::ErrorCode::Cancelled, "The request was withdrawn", "", ""});
}

void ModelServer::failed(const std::string& problem)
{
    std::map<std::uint64_t, std::size_t> open;
    {
        const std::lock_guard lock(m_openMutex);
        open.swap(m_open);
    }
    const base::Error error{base::ErrorCode::ProcessFailed, "The device failed: " + problem, m_options.device,
                            "Start the model again"};
    for (const auto& [id, left] : open)
        sendError(id, error);
    sendError(0, error);
    m_hasFailed = true;
    m_channel.giveUp();
}

} // namespace cudal1::decoder
