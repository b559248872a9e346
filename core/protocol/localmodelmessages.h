// SPDX-License-Identifier: GPL-3.0-or-later
// The messages between a client and `cudal1-model`, the process of a local model: JSON objects, one a line, over
// standard input and output (docs/localmodel.md).
//
// client -> model   hello · generate · tokenize · count · info · cancel · quit
// model -> client   hello · partial · reply · tokens · facts · error
//
// Both sides begin with hello and stop where the versions differ. Every request has an "id" above 0, chosen by the
// client; every answer repeats it. `generate` is answered by one `reply` for each reply that was asked for, in the
// order of their ends and with any number of `partial` before it, or by one `error`, behind which nothing of the
// request follows. `cancel` names the request by its id and is answered by that request's error "cancelled", or not at
// all where it has ended. Unknown fields are ignored, missing ones keep their defaults.
#pragma once

#include "core/protocol/messages.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudal1::protocol {

inline constexpr int modelProtocolVersion = 1;

struct ChatTurn {
    std::string role; ///< "system", "user", "assistant", or what the model's template knows
    std::string content;
};

/// What is missing is left to the model: what its files recommend, or else temperature 1 and no cuts.
struct DrawSettings {
    std::optional<double> temperature; ///< from 0: always the likeliest token
    std::optional<double> topP;        ///< in (0, 1]
    std::optional<int> topK;           ///< from 1
    std::optional<double> minP;        ///< in [0, 1]
    std::optional<int> maxTokens;      ///< of a reply, from 1; what is left of the context if missing or more
    std::optional<std::uint64_t> seed; ///< reply i is drawn with seed + i; drawn by the model if missing
    std::vector<std::string> stop;     ///< a reply ends before the first of these
};

struct GenerateRequest {
    std::vector<ChatTurn> messages; ///< a conversation, written down by the model's own template; or
    std::string prompt;             ///< a text to go on with, where there are no messages
    DrawSettings settings;
    int replies = 1;       ///< drawn independently; the prompt is computed once
    bool partials = true;  ///< whether `partial` messages are wanted
    bool logprobs = false; ///< whether replies are to carry them
    bool tokens = false;   ///< whether replies are to carry their tokens, the model's own end among them
};

/// `tokenize` and `count`: a conversation or a text, as for generate.
struct CountRequest {
    std::vector<ChatTurn> messages;
    std::string prompt;
};

struct TokenCount {
    int count = 0;
    std::vector<int> tokens; ///< of `tokenize` alone
};

/// What was added to a reply: whole characters.
struct ReplyPart {
    int reply = 0;
    std::string text;
};

enum class ReplyEnd {
    Stop,   ///< the model ended it, or a stop string did
    Length, ///< it was cut off by maxTokens or by the context
};
std::string_view toString(ReplyEnd end);
bool fromString(std::string_view word, ReplyEnd& out);

struct GeneratedReply {
    int reply = 0;    ///< from 0
    std::string text; ///< all of it, without the stop string
    ReplyEnd end = ReplyEnd::Stop;
    int promptTokens = 0;
    int replyTokens = 0; ///< drawn, without the model's own end
    /// Of each token, the natural logarithm of the probability with which it was drawn; at temperature 0 the one that
    /// the model gives it. Where it was asked for.
    std::vector<float> logprobs;
    /// Where they were asked for, as they were drawn: the last is the end token where the model ended the reply itself,
    /// and then has an entry in `logprobs` too. What a trainer learns from; the text's own tokens may be others.
    std::vector<int> tokens;
    double seconds = 0; ///< since the request came
};

/// Answer to `info`.
struct ModelFacts {
    std::string name; ///< of the folder or file
    std::string path;
    std::string family;  ///< "llama", "qwen2", "qwen3"
    std::string device;  ///< "cpu avx512_bf16, 2 threads", "cuda:0"
    std::string numbers; ///< "float32", "bfloat16"
    std::string formats; ///< of the files: "Q4_1, F32, Q8_0"
    std::uint64_t parameters = 0;
    int vocabulary = 0;
    int context = 0;    ///< tokens of prompt and reply together
    bool chats = false; ///< has a template for conversations
    std::uint64_t fileBytes = 0;
    std::uint64_t weightBytes = 0; ///< in memory
    std::uint64_t cacheBytes = 0;  ///< of keys and values, when it is full
    int cacheTokens = 0;
    int maxReplies = 0; ///< at work at once
    int running = 0;
    int waiting = 0;
    double loadSeconds = 0;
};

void to_json(nlohmann::json& j, const DrawSettings& v);
void from_json(const nlohmann::json& j, DrawSettings& v);
void to_json(nlohmann::json& j, const GenerateRequest& v);
void from_json(const nlohmann::json& j, GenerateRequest& v);
void to_json(nlohmann::json& j, const CountRequest& v);
void from_json(const nlohmann::json& j, CountRequest& v);
void to_json(nlohmann::json& j, const TokenCount& v);
void from_json(const nlohmann::json& j, TokenCount& v);
void to_json(nlohmann::json& j, const ReplyPart& v);
void from_json(const nlohmann::json& j, ReplyPart& v);
void to_json(nlohmann::json& j, const GeneratedReply& v);
void from_json(const nlohmann::json& j, GeneratedReply& v);
void to_json(nlohmann::json& j, const ModelFacts& v);
void from_json(const nlohmann::json& j, ModelFacts& v);

} // namespace cudal1::protocol
