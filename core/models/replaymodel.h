// SPDX-License-Identifier: GPL-3.0-or-later
// A language model that repeats what was recorded, without any network.
#pragma once

#include "core/policy/chattext.h"

#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace cudal1::models {

/// Replies are found by the text of the prompt and, where they were recorded with settings, by these. So samples of a
/// project fill it: record(sample.prompt, sample.settings, {sample.reply, …}) in the order of their ids. Each recorded
/// reply is given once, in the order of recording; reply i of a question is the next one at the time of asking.
/// NotFound where nothing, or nothing more, is recorded. Answers come from the event loop.
class ReplayModel : public policy::ChatModel {
public:
    /// Makes of the messages what was stored as the prompt.
    using PromptText = std::function<std::string(const std::vector<policy::ChatMessage>&)>;

    explicit ReplayModel(std::string name, PromptText promptText = &policy::messagesText);
    /// Of a file of JSON lines: {"prompt": …, "reply": …}, and where they are known "settings" (an object), "end"
    /// ("stop", "length", "refused"), "model", "prompt_tokens", "reply_tokens". Errors name the line.
    static base::Result<std::unique_ptr<ReplayModel>> read(const std::filesystem::path& file);

    /// `settings`: JSON with what policy::settingsText() writes, in any order and among other fields, as samples keep
    /// it; empty fits all questions.
    void record(const std::string& prompt, const std::string& settings, policy::ChatReply reply);
    std::size_t left() const; ///< recorded replies that were not given yet

    std::string name() const override { return m_name; } ///< as the constructor has it
    std::unique_ptr<policy::Question> ask(const policy::ChatRequest& request, policy::ChatListener listener) override;

private:
    /// Says how the prompt differs from the one that is most like it.
    base::Error notRecorded(const std::string& prompt) const;
    base::Result<policy::ChatReply> next(const std::string& prompt, const std::string& settings);

    std::string m_name;
    PromptText m_promptText;
    std::map<std::string, std::map<std::string, std::deque<policy::ChatReply>>> m_recorded; ///< by prompt and settings
};

} // namespace cudal1::models
