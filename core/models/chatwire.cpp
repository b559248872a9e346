// SPDX-License-Identifier: GPL-3.0-or-later
// Requests and answers of chat completions as JSON.
#include "core/models/chatwire.h"

#include "core/policy/chattext.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace cudal1::models {

namespace {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

constexpr std::size_t quoted = 400; ///< characters of a server's words in an error

std::string beginning(std::string_view text)
{
    std::string out;
    for (const char c : text.substr(0, quoted)) {
        const bool blank = c == '\n' || c == '\r' || c == '\t' || c == ' ';
        if (!blank && (unsigned(c) & 0xff) < 0x20)
            continue;
        if (!blank || (!out.empty() && out.back() != ' '))
            out += blank ? ' ' : c;
    }
    // No half of a character at the end.
    if (text.size() > quoted) {
        while (!out.empty() && (out.back() & 0xc0) == 0x80)
            out.pop_back();
        if (!out.empty() && (out.back() & 0x80))
            out.pop_back();
        out += "…";
    }
    while (!out.empty() && (out.back() == ' ' || out.back() == '.'))
        out.pop_back();
    return out;
}

Error nonsense(const std::string& message, std::string_view text)
{
    return {ErrorCode::ProcessFailed, message, beginning(text),
            "Check that the URL is that of an OpenAI-compatible server; most end in /v1"};
}

/// The text of a field, a number of it as text, or empty.
std::string word(const json& object, const char* name)
{
    const auto found = object.find(name);
    if (found == object.end())
        return {};
    if (found->is_string())
        return found->get<std::string>();
    return found->is_number_integer() ? found->dump() : std::string();
}

std::optional<std::int64_t> count(const json& object, const char* name)
{
    const auto found = object.find(name);
    if (found == object.end() || !found->is_number_integer() || *found < 0)
        return std::nullopt;
    return found->get<std::int64_t>();
}

/// The object of this field, or null.
const json* part(const json& object, const char* name)
{
    const auto found = object.find(name);
    return found != object.end() && found->is_object() ? &*found : nullptr;
}

/// FastAPI's {"detail": [{"loc": ["body", "a", "b"]}]} as "a.b".
std::string placeOf(const json& object)
{
    std::string out;
    const auto detail = object.find("detail");
    if (detail == object.end() || !detail->is_array() || detail->empty() || !detail->front().is_object())
        return out;
    if (const auto loc = detail->front().find("loc"); loc != detail->front().end() && loc->is_array())
        for (const json& step : *loc)
            if (step.is_string() && (!out.empty() || step != "body"))
                out += (out.empty() ? "" : ".") + step.get<std::string>();
    return out;
}

/// A text, or the texts of a list of parts: {"type": "text", "text": "…"}, and not those of other types.
std::string contentOf(const json& said)
{
    const auto found = said.find("content");
    if (found == said.end() || !found->is_array())
        return word(said, "content");
    std::string out;
    for (const json& one : *found)
        if (one.is_object() && word(one, "type") == "text")
            out += word(one, "text");
    return out;
}

ServerError errorOf(const json& object)
{
    ServerError out;
    // {"error": {"message", "code", "param"}}, {"error": "…"}, {"message": "…", "code"}, {"detail": "…" or [{"msg",
    // "loc"}]}
    const json* inner = part(object, "error");
    const json& from = inner ? *inner : object;
    out.message = word(from, "message");
    if (out.message.empty())
        out.message = word(object, "error");
    if (out.message.empty())
        out.message = word(object, "detail");
    if (const auto detail = object.find("detail"); detail != object.end() && detail->is_array())
        for (const json& one : *detail)
            if (one.is_object())
                out.message += (out.message.empty() ? "" : "; ") + word(one, "msg");
    out.message = beginning(out.message);
    out.code = word(from, "code");
    if (out.code.empty())
        out.code = word(from, "type");
    out.param = word(from, "param");
    if (out.param.empty())
        out.param = placeOf(object);
    return out;
}

/// Without the blanks and the byte order mark at its beginning.
std::string_view withoutMark(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    return text.substr(std::min(first, text.size()));
}

} // namespace

std::string requestBody(const EndpointSettings& settings, const policy::ChatRequest& request, int reply,
                        const RequestForm& form)
{
    policy::SamplingSettings drawn = policy::filled(request.settings, settings.sampling);
    if (drawn.seed)
        *drawn.seed += std::uint64_t(reply);
    json out = json::parse(policy::settingsText(drawn));
    if (!form.oldLimitName && drawn.maxTokens) {
        out["max_completion_tokens"] = *drawn.maxTokens;
        out.erase("max_tokens");
    }
    out["model"] = settings.model;
    out["stream"] = true;
    if (form.countedStream)
        out["stream_options"] = {{"include_usage", true}};
    if (request.logProbabilities)
        out["logprobs"] = true;
    json& messages = out["messages"] = json::array();
    for (const policy::ChatMessage& message : request.messages)
        messages.push_back({{"role", message.role}, {"content", message.content}});
    return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

ServerError serverError(std::string_view body)
{
    const json read = json::parse(body, nullptr, false);
    if (read.is_object())
        return errorOf(read);
    if (read.is_array() && !read.empty() && read[0].is_object())
        return errorOf(read[0]);
    const std::size_t first = body.find_first_not_of(" \t\r\n");
    if (first == body.npos || body[first] == '<')
        return {};
    return {beginning(body.substr(first)), {}, {}};
}

AnswerReader::Kind AnswerReader::kindOf(std::string_view text)
{
    if (text.starts_with('{'))
        return Kind::Object;
    bool maybe = false; // so far it could become one
    for (const std::string_view field : {":", "data:", "event:", "id:", "retry:"}) {
        if (text.starts_with(field))
            return Kind::Stream;
        maybe = maybe || field.starts_with(text);
    }
    return maybe ? Kind::Unknown : Kind::Neither;
}

base::Result<AnswerReader::Pieces> AnswerReader::feed(std::string_view bytes)
{
    Pieces added;
    if (m_kind == Kind::Unknown) {
        // The first bytes tell more than the type that servers give.
        m_object += bytes;
        const std::string_view text = withoutMark(m_object);
        m_kind = kindOf(text);
        if (m_kind == Kind::Unknown)
            return added;
        if (m_kind == Kind::Neither)
            return nonsense("The server answers with something that is no JSON", text);
        if (m_kind == Kind::Stream) {
            const std::string whole = std::move(m_object);
            m_object.clear();
            return feed(whole);
        }
        bytes = {};
    }
    if (m_kind == Kind::Object) {
        m_object += bytes;
        return added;
    }
    base::Status status;
    m_events.feed(bytes, [&](const std::string& data) {
        if (data == "[DONE]")
            m_done = true;
        else
            status = feedObject(data, added);
        return status.ok() && !m_done;
    });
    if (!status)
        return status.error();
    return added;
}

base::Status AnswerReader::feedObject(const std::string& text, Pieces& added)
{
    const json read = json::parse(text, nullptr, false);
    if (!read.is_object())
        return nonsense("The server sends broken JSON", text);
    return take(read, added);
}

base::Status AnswerReader::take(const json& object, Pieces& added)
{
    // vLLM's older streams have {"object": "error", "message": …}.
    const auto error = object.find("error");
    if ((error != object.end() && !error->is_null()) || word(object, "object") == "error") {
        m_told = errorOf(object);
        return Error{ErrorCode::ProcessFailed, "The server gives up: " + m_told->message, {}, {}};
    }
    if (const std::string model = word(object, "model"); !model.empty())
        m_reply.model = model;
    if (const json* usage = part(object, "usage"))
        takeUsage(*usage);
    if (const auto choices = object.find("choices"); choices != object.end() && choices->is_array())
        for (const json& choice : *choices)
            // One was asked for. Those of another number are of no use.
            if (choice.is_object() && count(choice, "index").value_or(0) == 0)
                takeChoice(choice, added);
    return {};
}

void AnswerReader::takeChoice(const json& choice, Pieces& added)
{
    m_choices = true;
    const json* said = part(choice, "delta");
    if (!said)
        said = part(choice, "message");
    if (said) {
        std::string text = contentOf(*said);
        if (text.empty() && !(text = word(*said, "refusal")).empty())
            m_refusal = true;
        m_reply.text += text;
        // Some servers send the same under both names.
        m_thoughtBytes += std::max(word(*said, "reasoning_content").size(), word(*said, "reasoning").size());
        if (!text.empty())
            added.push_back(std::move(text));
    }
    if (const json* probabilities = part(choice, "logprobs"))
        if (const auto tokens = probabilities->find("content"); tokens != probabilities->end() && tokens->is_array())
            for (const json& token : *tokens)
                if (token.is_object() && token.contains("logprob") && token["logprob"].is_number())
                    m_reply.logProbabilities.push_back(token["logprob"].get<float>());
    const std::string reason = word(choice, "finish_reason");
    if (reason.empty())
        return;
    m_finished = true;
    if (reason == "length" || reason == "max_tokens")
        m_reply.end = policy::ChatReply::End::Length;
    else if (reason == "content_filter")
        m_reply.end = policy::ChatReply::End::Refused;
    else if (reason == "abort" || reason == "error")
        m_abandoned = true;
}

void AnswerReader::takeUsage(const json& usage)
{
    if (const auto tokens = count(usage, "prompt_tokens"))
        m_reply.usage.promptTokens = tokens;
    if (const auto tokens = count(usage, "completion_tokens"))
        m_reply.usage.replyTokens = tokens;
}

base::Result<policy::ChatReply> AnswerReader::finish(bool endedWell)
{
    if (m_kind == Kind::Object) {
        Pieces added;
        if (!endedWell) {
            m_brokenOff = true;
            return Error{ErrorCode::ProcessFailed, "The connection broke in the middle of an answer", {}, {}};
        }
        if (const auto read = feedObject(m_object, added); !read)
            return read.error();
        m_finished = m_finished || m_choices; // a whole object is a whole answer
    }
    if (m_finished && !m_abandoned) {
        if (m_refusal)
            m_reply.end = policy::ChatReply::End::Refused;
        return m_reply;
    }
    if (m_done && m_choices && !m_abandoned)
        return m_reply;
    if (endedWell && !m_choices && (m_done || m_kind == Kind::Object))
        return nonsense("The server's answer has no choices, so no reply", m_object);
    m_brokenOff = true;
    if (m_abandoned)
        return Error{ErrorCode::ProcessFailed, "The server has given up in the middle of a reply", {}, {}};
    if (m_kind == Kind::Unknown && endedWell)
        return Error{ErrorCode::ProcessFailed, "The server's answer is empty", {}, {}};
    return Error{ErrorCode::ProcessFailed, "The answer broke off in the middle of a reply", {}, {}};
}

} // namespace cudal1::models
