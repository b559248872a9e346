// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens of prompts and replies.
#include "core/training/trainingrequests.h"

#include <algorithm>
#include <cmath>

namespace cudal1::training {

using nlohmann::json;

namespace {

base::Error refused(const std::string& message, const std::string& hint = "docs/training.md lists the messages")
{
    return {base::ErrorCode::InvalidArgument, message, "", hint};
}

base::Error placed(base::Error error, const std::string& where)
{
    error.context = where + (error.context.empty() ? "" : ", " + error.context);
    return error;
}

/// How often a batch is gone through.
base::Result<void> checkedUse(const auto& request)
{
    if (request.epochs < 1 || request.epochs > 1000 || request.minibatches < 1)
        return refused("epochs must be from 1 to 1000, and minibatches 1 at least");
    return {};
}

base::Result<void> checkedSettings(const protocol::GrpoSettings& settings)
{
    if (!(settings.clipLow > 0 && settings.clipLow < 1) || !(settings.clipHigh > 0))
        return refused("clip_low must be between 0 and 1, and clip_high above 0", "0.2 is usual for both");
    if (!(settings.beta >= 0))
        return refused("beta must not be negative", "0.04 is usual; 0 leaves the divergence out");
    if (!(settings.ratioLimit > 1))
        return refused("ratio_limit must be above 1", "2 is usual");
    if (!(settings.constantLength > 0))
        return refused("constant_length must be above 0");
    if (const auto sound = checkedUse(settings); !sound)
        return sound;
    if (!(settings.temperature > 0))
        return refused("The temperature must be above 0", "Give the one at which the replies were drawn");
    return {};
}

} // namespace

RequestReader::RequestReader(const modelfiles::DecoderConfig& config, const decoder::Tokenizer* tokenizer,
                             std::optional<base::Error> lack)
    : m_config(config), m_tokenizer(tokenizer), m_lack(std::move(lack))
{
}

base::Result<std::vector<int>> RequestReader::prompt(const protocol::TrainingPrompt& given) const
{
    const int kinds = !given.messages.empty() + !given.prompt.empty() + !given.tokens.empty();
    if (kinds != 1)
        return refused("A prompt is either messages, a text (prompt) or tokens (prompt_tokens)");
    if (!given.tokens.empty())
        return given.tokens;
    if (!m_tokenizer)
        return *m_lack;
    if (!given.prompt.empty())
        return m_tokenizer->encode(given.prompt);
    std::vector<std::pair<std::string, std::string>> turns;
    for (const protocol::ChatTurn& turn : given.messages)
        turns.emplace_back(turn.role, turn.content);
    return m_tokenizer->encodeChat(turns);
}

base::Result<Sequence> RequestReader::sequence(const std::vector<int>& prompt,
                                               const protocol::TrainingReply& reply) const
{
    if (!reply.text.empty() && !reply.tokens.empty())
        return refused("A reply is either a text (reply) or tokens");
    Sequence out{prompt, prompt.size()};
    if (!reply.tokens.empty()) {
        out.tokens.insert(out.tokens.end(), reply.tokens.begin(), reply.tokens.end());
    } else {
        if (!m_tokenizer)
            return *m_lack;
        const auto tokens = m_tokenizer->encodeReply(reply.text);
        if (!tokens)
            return tokens.error();
        out.tokens.insert(out.tokens.end(), tokens->begin(), tokens->end());
        if (!reply.isCut && !m_config.endTokens.empty())
            out.tokens.push_back(m_config.endTokens.front());
    }
    if (out.promptTokens == 0 || out.replyTokens() == 0)
        return refused("A prompt and a reply have one token at least");
    if (out.tokens.size() > m_config.context)
        return refused("Prompt and reply have " + std::to_string(out.tokens.size()) +
                           " tokens, and the model's context holds " + std::to_string(m_config.context),
                       "Leave this one out, or shorten it");
    for (const int token : out.tokens)
        if (token < 0 || static_cast<std::size_t>(token) >= m_config.vocabulary)
            return refused(std::to_string(token) + " is no token of this model",
                           "Tokens are from 0 to " + std::to_string(m_config.vocabulary - 1));
    return out;
}

base::Result<std::vector<Sequence>> RequestReader::sequences(const protocol::SftRequest& request) const
{
    if (const auto sound = checkedUse(request); !sound)
        return sound.error();
    std::vector<Sequence> out;
    for (const protocol::SftRequest::Pair& pair : request.pairs) {
        const std::string where = "pair " + std::to_string(out.size());
        const auto tokens = prompt(pair.prompt);
        if (!tokens)
            return placed(tokens.error(), where);
        auto made = sequence(*tokens, pair.reply);
        if (!made)
            return placed(made.error(), where);
        out.push_back(std::move(*made));
    }
    return out;
}

base::Result<std::vector<ReplyGroup>> RequestReader::groups(const protocol::GrpoRequest& request) const
{
    if (const auto sound = checkedSettings(request.settings); !sound)
        return sound.error();
    std::vector<ReplyGroup> out;
    for (const protocol::GrpoRequest::Group& group : request.groups) {
        const std::string where = "group " + std::to_string(out.size());
        if (group.replies.size() < 2)
            return placed(refused("A group has two replies at least, since they are compared with each other"), where);
        const auto tokens = prompt(group.prompt);
        if (!tokens)
            return placed(tokens.error(), where);
        ReplyGroup made;
        for (const protocol::TrainingReply& reply : group.replies) {
            const std::string which = where + ", reply " + std::to_string(made.replies.size());
            auto own = sequence(*tokens, reply);
            if (!own)
                return placed(own.error(), which);
            if (!reply.logprobs.empty() && reply.logprobs.size() != own->replyTokens())
                return placed(refused("There are " + std::to_string(reply.logprobs.size()) + " log-probabilities for " +
                                      std::to_string(own->replyTokens()) + " tokens"),
                              which);
            if (std::any_of(reply.logprobs.begin(), reply.logprobs.end(), [](double p) { return p > 0; }))
                return placed(refused("A log-probability is above 0"), which);
            made.replies.push_back({std::move(*own), reply.logprobs, reply.reward, reply.isCut});
        }
        out.push_back(std::move(made));
    }
    return out;
}

json toJson(const std::vector<Sequence>& sequences)
{
    json out = json::array();
    for (const Sequence& sequence : sequences)
        out.push_back({sequence.promptTokens, sequence.tokens});
    return out;
}

std::vector<Sequence> sequencesOf(const json& given)
{
    std::vector<Sequence> out;
    for (const json& entry : given)
        out.push_back({entry.at(1).get<std::vector<int>>(), entry.at(0).get<std::size_t>()});
    return out;
}

json toJson(const std::vector<ReplyGroup>& groups)
{
    json out = json::array();
    for (const ReplyGroup& group : groups) {
        json& replies = out.emplace_back(json::array());
        for (const ReplyGroup::Reply& reply : group.replies)
            replies.push_back(
                {reply.sequence.promptTokens, reply.sequence.tokens, reply.sampler, reply.reward, reply.isCut});
    }
    return out;
}

std::vector<ReplyGroup> groupsOf(const json& given)
{
    std::vector<ReplyGroup> out;
    for (const json& replies : given) {
        ReplyGroup& group = out.emplace_back();
        for (const json& reply : replies)
            group.replies.push_back({{reply.at(1).get<std::vector<int>>(), reply.at(0).get<std::size_t>()},
                                     reply.at(2).get<std::vector<double>>(),
                                     reply.at(3).get<double>(),
                                     reply.at(4).get<bool>()});
    }
    return out;
}

} // namespace cudal1::training
