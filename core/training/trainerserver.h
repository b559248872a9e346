// SPDX-License-Identifier: GPL-3.0-or-later
// Answers the requests of a client for a training, as core/protocol/training.h says.
#pragma once

#include "core/decoder/interpreter.h"
#include "core/decoder/linechannel.h"
#include "core/decoder/replyengine.h"
#include "core/decoder/tokenizer.h"
#include "core/training/livesampler.h"
#include "core/training/trainingsession.h"
#include "core/training/workgroup.h"

#include <nlohmann/json.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace cudal1::training {

/// The first process of a training speaks with the client, turns texts into tokens, and passes every request that
/// touches the weights on to the others; those read no input. Ends with `quit`, at the end of the input once all is
/// answered, or when nobody reads the output any more.
class TrainerServer : private decoder::ReplyListener {
public:
    TrainerServer(int input, int output, std::string python);
    ~TrainerServer() override;

    int run(); ///< exit status

private:
    bool greet();
    void lead();
    void follow();
    std::string awaited();
    void takeLine(const std::string& line);
    void request(const std::string& type, std::uint64_t id, const nlohmann::json& body);
    base::Result<nlohmann::json> prepared(const std::string& type, const nlohmann::json& body) const;
    void share(const std::string& type, std::uint64_t id, const nlohmann::json& body);
    void execute(const std::string& type, std::uint64_t id, const nlohmann::json& body);
    base::Result<void> perform(const std::string& type, std::uint64_t id, const nlohmann::json& body);
    base::Result<void> open(std::uint64_t id, const nlohmann::json& body);
    base::Result<void> unpack(protocol::OpenTraining& asked);
    base::Result<void> generate(std::uint64_t id, const nlohmann::json& body);

    void send(std::string_view type, std::uint64_t id, nlohmann::json payload);
    void sendError(std::uint64_t id, const base::Error& error);
    void added(std::uint64_t id, const protocol::ReplyPart& part) override;
    void replied(std::uint64_t id, const protocol::GeneratedReply& reply) override;
    void cancelled(std::uint64_t id) override;
    void failed(const std::string& problem) override;

    decoder::LineChannel m_channel;
    std::string m_pythonProgram;
    decoder::Interpreter* m_python = nullptr;
    std::unique_ptr<Workgroup> m_workgroup;
    std::unique_ptr<TrainingSession> m_session;
    std::unique_ptr<decoder::Checkpoint> m_files; ///< of the model that was opened, for its tokenizer
    std::unique_ptr<decoder::Tokenizer> m_tokenizer;
    std::optional<base::Error> m_lack;      ///< why there is no tokenizer
    std::unique_ptr<LiveSampler> m_sampler; ///< behind what it uses
    int m_sampledStep = -1;                 ///< whose weights the sampler has
    double m_tokenizeSeconds = 0;           ///< of the request at work, until it is told
    bool m_quits = false;
    std::atomic<bool> m_hasFailed{false};
};

} // namespace cudal1::training
