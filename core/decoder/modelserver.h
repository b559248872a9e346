// SPDX-License-Identifier: GPL-3.0-or-later
// Answers the requests of a client for a local model, as core/protocol/localmodelmessages.h says.
#pragma once

#include "core/decoder/interpreter.h"
#include "core/decoder/linechannel.h"
#include "core/decoder/loadedmodel.h"
#include "core/decoder/replyengine.h"
#include "core/decoder/tokenizer.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace cudal1::decoder {

/// Reads requests and uses Python on one thread; the replies are drawn on another. Ends when it is told to quit, when
/// its input is closed and what was asked is answered, or when nobody reads its output any more.
class ModelServer : private ReplyListener {
public:
    ModelServer(int input, int output, ModelOptions options, std::string python);
    ~ModelServer() override;

    int run(); ///< exit status

private:
    bool greet();
    bool load();
    std::optional<std::string> nextLine(); ///< nothing at the end of the input
    void takeLine(const std::string& line);
    void generate(std::uint64_t id, const nlohmann::json& body);
    void count(std::uint64_t id, const nlohmann::json& body, bool withTokens);
    void info(std::uint64_t id);
    base::Result<std::vector<int>> tokensOf(const std::vector<protocol::ChatTurn>& messages, const std::string& prompt);
    void awaitReplies();
    void quit();

    void send(std::string_view type, std::uint64_t id, nlohmann::json payload);
    void sendError(std::uint64_t id, const base::Error& error);
    void added(std::uint64_t id, const protocol::ReplyPart& part) override;
    void replied(std::uint64_t id, const protocol::GeneratedReply& reply) override;
    void cancelled(std::uint64_t id) override;
    void failed(const std::string& problem) override;

    LineChannel m_channel;
    ModelOptions m_options;
    std::string m_pythonProgram;
    std::atomic<bool> m_quits{false};
    std::atomic<bool> m_hasFailed{false};
    std::mutex m_openMutex;
    std::map<std::uint64_t, std::size_t> m_open; ///< replies that are still to come
    Interpreter* m_python = nullptr;
    std::unique_ptr<LoadedModel> m_model;
    std::unique_ptr<Tokenizer> m_tokenizer;
    std::unique_ptr<ReplyEngine> m_engine; ///< last: it uses the others
};

} // namespace cudal1::decoder
