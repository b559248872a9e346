// SPDX-License-Identifier: GPL-3.0-or-later
// JSON of the messages of a local model.
#include "core/protocol/localmodelmessages.h"

#include "core/protocol/chatturnfields.h"

namespace cudal1::protocol {

namespace {

constexpr Words<ReplyEnd, 2> endWords{{
    {ReplyEnd::Stop, "stop"},
    {ReplyEnd::Length, "length"},
}};

} // namespace

std::string_view toString(ReplyEnd end)
{
    return wordOf(endWords, end);
}
bool fromString(std::string_view word, ReplyEnd& out)
{
    return valueOf(endWords, word, out);
}

void fields(auto& io, Is<DrawSettings> auto& v)
{
    io("temperature", v.temperature, v.temperature.has_value());
    io("top_p", v.topP, v.topP.has_value());
    io("top_k", v.topK, v.topK.has_value());
    io("min_p", v.minP, v.minP.has_value());
    io("max_tokens", v.maxTokens, v.maxTokens.has_value());
    io("seed", v.seed, v.seed.has_value());
    io("stop", v.stop, !v.stop.empty());
}
CUDAL1_JSON(DrawSettings)

/// A list that may be missing, unlike Reader::list.
template<class Message> void turns(Writer& io, const Message& v)
{
    if (!v.messages.empty())
        io.list("messages", v.messages);
}
template<class Message> void turns(Reader& io, Message& v)
{
    nlohmann::json given;
    io("messages", given);
    if (!given.is_null())
        io.list("messages", v.messages);
}

void fields(auto& io, Is<GenerateRequest> auto& v)
{
    turns(io, v);
    io("prompt", v.prompt, !v.prompt.empty());
    io("settings", v.settings);
    io("replies", v.replies);
    io("partials", v.partials);
    io("logprobs", v.logprobs);
    io("tokens", v.tokens, v.tokens);
}
CUDAL1_JSON(GenerateRequest)

void fields(auto& io, Is<CountRequest> auto& v)
{
    turns(io, v);
    io("prompt", v.prompt, !v.prompt.empty());
}
CUDAL1_JSON(CountRequest)

void fields(auto& io, Is<TokenCount> auto& v)
{
    io("count", v.count);
    io("tokens", v.tokens, !v.tokens.empty());
}
CUDAL1_JSON(TokenCount)

void fields(auto& io, Is<ReplyPart> auto& v)
{
    io("reply", v.reply);
    io("text", v.text);
}
CUDAL1_JSON(ReplyPart)

void fields(auto& io, Is<GeneratedReply> auto& v)
{
    io("reply", v.reply);
    io("text", v.text);
    io("end", v.end);
    io("prompt_tokens", v.promptTokens);
    io("reply_tokens", v.replyTokens);
    io("logprobs", v.logprobs, !v.logprobs.empty());
    io("tokens", v.tokens, !v.tokens.empty());
    io("seconds", v.seconds);
}
CUDAL1_JSON(GeneratedReply)

void fields(auto& io, Is<ModelFacts> auto& v)
{
    io("name", v.name);
    io("path", v.path);
    io("family", v.family);
    io("device", v.device);
    io("numbers", v.numbers);
    io("formats", v.formats);
    io("parameters", v.parameters);
    io("vocabulary", v.vocabulary);
    io("context", v.context);
    io("chats", v.chats);
    io("file_bytes", v.fileBytes);
    io("weight_bytes", v.weightBytes);
    io("cache_bytes", v.cacheBytes);
    io("cache_tokens", v.cacheTokens);
    io("max_replies", v.maxReplies);
    io("running", v.running);
    io("waiting", v.waiting);
    io("load_seconds", v.loadSeconds);
}
CUDAL1_JSON(ModelFacts)

} // namespace cudal1::protocol
