// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of requests to draw replies.
#include "core/decoder/enginerequest.h"

#include <algorithm>
#include <random>

namespace cudal1::decoder {

namespace {

constexpr int maxReplies = 4096;

base::Error refused(const std::string& message, const std::string& hint = "docs/localmodel.md lists the messages")
{
    return {base::ErrorCode::InvalidArgument, message, "", hint};
}

} // namespace

base::Result<ReplyEngine::Request> engineRequest(const protocol::GenerateRequest& asked, std::vector<int> prompt,
                                                 std::size_t context, const TokenSampling& defaults)
{
    const protocol::DrawSettings& settings = asked.settings;
    if (asked.replies < 1 || asked.replies > maxReplies)
        return refused("From 1 to " + std::to_string(maxReplies) + " replies can be asked for at once");
    if (settings.temperature && !(*settings.temperature >= 0 && *settings.temperature <= 100))
        return refused("The temperature must be from 0 to 100");
    if (settings.topP && !(*settings.topP > 0 && *settings.topP <= 1))
        return refused("top_p must be above 0 and at most 1");
    if (settings.topK && *settings.topK < 1)
        return refused("top_k must be 1 at least");
    if (settings.minP && !(*settings.minP >= 0 && *settings.minP <= 1))
        return refused("min_p must be from 0 to 1");
    if (settings.maxTokens && *settings.maxTokens < 1)
        return refused("max_tokens must be 1 at least");
    if (prompt.size() >= context)
        return base::Error{base::ErrorCode::InvalidArgument,
                           "The prompt has " + std::to_string(prompt.size()) + " tokens, and the context holds " +
                               std::to_string(context) + " with the reply",
                           "", "Shorten the prompt, or use a model with a longer context"};
    if (prompt.empty())
        return refused("The prompt has no tokens", "Give some text");
    ReplyEngine::Request out;
    out.maxTokens = context - prompt.size();
    if (settings.maxTokens)
        out.maxTokens = std::min(out.maxTokens, static_cast<std::size_t>(*settings.maxTokens));
    out.prompt = std::move(prompt);
    out.replies = static_cast<std::size_t>(asked.replies);
    out.drawing = defaults;
    out.drawing.temperature = settings.temperature.value_or(out.drawing.temperature);
    out.drawing.topP = settings.topP.value_or(out.drawing.topP);
    out.drawing.topK = settings.topK ? static_cast<std::size_t>(*settings.topK) : out.drawing.topK;
    out.drawing.minP = settings.minP.value_or(out.drawing.minP);
    std::random_device random;
    out.drawing.seed = settings.seed.value_or(std::uint64_t{random()} << 32 | random());
    out.stop = settings.stop;
    out.partials = asked.partials;
    out.logprobs = asked.logprobs;
    out.tokens = asked.tokens;
    return out;
}

} // namespace cudal1::decoder
