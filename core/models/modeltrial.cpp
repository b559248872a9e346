// SPDX-License-Identifier: GPL-3.0-or-later
// A trial question with its times.
#include "core/models/modeltrial.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace cudal1::models {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int fewTokens = 64;

double since(Clock::time_point begun)
{
    return std::chrono::duration<double>(Clock::now() - begun).count();
}

void findSpeed(TrialResult& result)
{
    const auto told = result.reply.usage.replyTokens;
    result.guessed = !told && result.streams();
    const std::int64_t tokens = told.value_or(result.guessed ? result.pieces : 0);
    // The first piece is paid for by reading the prompt.
    if (result.streams() && tokens > 1 && result.seconds > result.first_s)
        result.tokensPerSecond = double(tokens - 1) / (result.seconds - result.first_s);
    else if (tokens > 0 && result.seconds > 0)
        result.tokensPerSecond = double(tokens) / result.seconds;
}

} // namespace

EndpointSettings forTrial(EndpointSettings settings, double limit_s)
{
    Patience& patience = settings.patience;
    patience.reply_s = limit_s;
    patience.silence_s = 2 * limit_s; // the limit of the reply is the one that is told
    patience.retries = std::min(patience.retries, 1);
    settings.sampling.maxTokens = std::min(settings.sampling.maxTokens.value_or(fewTokens), fewTokens);
    return settings;
}

LocalSettings forTrial(LocalSettings settings)
{
    settings.sampling.maxTokens = std::min(settings.sampling.maxTokens.value_or(fewTokens), fewTokens);
    return settings;
}

std::unique_ptr<policy::Question> tryModel(policy::ChatModel& model,
                                           std::function<void(base::Result<TrialResult> result)> then,
                                           std::function<void(const std::string& text)> waiting)
{
    policy::ChatRequest request;
    request.messages = {{"user", "Count from 1 to 20 in digits, with commas between the numbers."}};
    request.settings.maxTokens = fewTokens;
    auto result = std::make_shared<TrialResult>();
    const auto begun = std::make_shared<Clock::time_point>(Clock::now());
    policy::ChatListener listener;
    listener.partial = [result, begun](int, const std::string&) {
        if (result->pieces++ == 0)
            result->first_s = since(*begun);
    };
    listener.replied = [result, begun, then = std::move(then)](int, base::Result<policy::ChatReply> reply) {
        if (!reply)
            return then(reply.error());
        result->seconds = since(*begun);
        if (result->pieces == 0)
            result->first_s = result->seconds;
        result->reply = std::move(*reply);
        findSpeed(*result);
        then(std::move(*result));
    };
    listener.restarted = [result](int) { result->pieces = 0; };
    listener.waiting = [begun, waiting = std::move(waiting)](const std::string& text) {
        *begun = Clock::now();
        if (waiting)
            waiting(text);
    };
    return model.ask(request, std::move(listener));
}

} // namespace cudal1::models
