// SPDX-License-Identifier: GPL-3.0-or-later
// A language model as something that can be asked: the seam between what writes prompts and what answers them.
#pragma once

#include "core/policy/policy.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cudal1::policy {

struct ChatMessage {
    std::string role; ///< "system", "user" or "assistant"
    std::string content;
};

/// How replies are drawn. What is empty is left to the model's own default.
struct SamplingSettings {
    std::optional<double> temperature; ///< from 0 (always the likeliest token)
    std::optional<double> topP;        ///< the smallest set of tokens with this probability, in (0, 1]
    std::optional<int> topK;           ///< the likeliest tokens, from 1
    std::optional<double> minP;   ///< tokens with at least this share of the likeliest one's probability, in [0, 1]
    std::optional<int> maxTokens; ///< of a reply, from 1
    std::optional<std::uint64_t> seed; ///< reply i of a request is drawn with `seed` + i
    std::vector<std::string> stop;     ///< a reply ends before the first of these
};

struct ChatRequest {
    std::vector<ChatMessage> messages;
    SamplingSettings settings;
    int replies = 1;               ///< that are drawn independently; a model may read the messages once for all of them
    std::set<int> known;           ///< those of them that are there already: they are neither drawn nor told
    bool logProbabilities = false; ///< ask for those of the tokens; a model that does not tell them answers without
};

/// One reply that came to its end.
struct ChatReply {
    std::string text;
    enum class End {
        Stop,    ///< the model ended it, or a stop string did
        Length,  ///< it was cut off by `maxTokens` or the length of the model's context
        Refused, ///< the server's filter of contents ended it
    };
    End end = End::Stop;
    Usage usage;
    std::string model; ///< that answered, as it calls itself; empty when unknown
    /// Of each token of the reply, the natural logarithm of its probability, as the model tells it: a local one under
    /// the settings it was drawn with, most servers before temperature and cuts. Empty when unknown or not asked for.
    std::vector<float> logProbabilities;
};

/// Who asked. All are called on the thread that asked, from its event loop or from within ChatModel::ask().
struct ChatListener {
    std::function<void(int reply, const std::string& text)> partial; ///< what was added to reply 0, 1, …; may be empty
    /// Exactly once for each reply that is not known, in any order; nothing of that reply follows.
    std::function<void(int reply, base::Result<ChatReply> result)> replied;
    /// What was added to this reply so far is void, and it begins anew: its connection broke, say. May be empty.
    std::function<void(int reply)> restarted{};
    /// What has to come before a reply can begin, as a sentence: "The model smollm2 is being loaded". Told again while
    /// it lasts, and with an empty text once it is over. May be empty.
    std::function<void(const std::string& text)> waiting{};
};

/// Used on one thread with an event loop. Any number of questions may be on their way.
class ChatModel {
public:
    virtual ~ChatModel() = default;
    /// "endpoint: qwen3", "local: smollm2"; the origin that is stored with what it wrote.
    virtual std::string name() const = 0;
    /// Returns at once. Destroying the question takes it back: connections are closed, and the listener is told nothing
    /// more. Errors come through the listener: Unavailable where nobody answers, InvalidArgument where the settings are
    /// refused, LimitReached where the user's limit of tokens, money or time was reached.
    virtual std::unique_ptr<Question> ask(const ChatRequest& request, ChatListener listener) = 0;
};

} // namespace cudal1::policy
