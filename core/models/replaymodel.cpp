// SPDX-License-Identifier: GPL-3.0-or-later
// Recorded replies by prompt and settings.
#include "core/models/replaymodel.h"

#include <nlohmann/json.hpp>

#include <QFile>
#include <QObject>
#include <QPointer>
#include <QTimer>

#include <algorithm>
#include <utility>

namespace cudal1::models {

namespace {

using base::Error;
using base::ErrorCode;
using nlohmann::json;
using policy::ChatReply;

std::string firstLines(const std::string& prompt)
{
    constexpr std::size_t most = 120;
    std::string out = prompt.substr(0, most);
    for (char& c : out)
        if (c == '\n')
            c = ' ';
    return "the prompt begins with: " + out + (prompt.size() > most ? " …" : "");
}

/// From the beginning of the line in which two prompts part, shortened.
std::string lineFrom(const std::string& prompt, std::size_t parting)
{
    constexpr std::size_t most = 160;
    const std::size_t begin = parting == 0 ? 0 : prompt.rfind('\n', parting - 1) + 1; // npos + 1 is 0
    std::string out = prompt.substr(begin, std::min(prompt.find('\n', parting), begin + most) - begin);
    return out.empty() ? "(an empty line)" : out;
}

class ReplayQuestion : public policy::Question {
public:
    ReplayQuestion(policy::ChatListener listener, std::vector<base::Result<ChatReply>> replies,
                   const std::set<int>& known)
        : m_listener(std::make_shared<policy::ChatListener>(std::move(listener)))
    {
        for (std::size_t i = 0; i < replies.size(); ++i) {
            if (known.contains(int(i)))
                continue;
            QTimer::singleShot(0, &m_context,
                               [listener = m_listener, i, reply = std::move(replies[i]), this]() mutable {
                                   const QPointer<QObject> here(&m_context);
                                   if (reply && listener->partial && !reply->text.empty())
                                       listener->partial(int(i), reply->text);
                                   if (here)
                                       listener->replied(int(i), std::move(reply));
                               });
        }
    }

private:
    QObject m_context; ///< what the answers on their way end with
    std::shared_ptr<policy::ChatListener> m_listener;
};

base::Result<ChatReply> replyOfJson(const json& object)
{
    ChatReply out;
    out.text = object["reply"].get<std::string>();
    const auto word = [&](const char* name) { return object.contains(name) ? object[name] : json(); };
    if (const json end = word("end"); end == "length")
        out.end = ChatReply::End::Length;
    else if (end == "refused")
        out.end = ChatReply::End::Refused;
    else if (!end.is_null() && end != "stop")
        return Error{ErrorCode::InvalidArgument, "The end of a reply is stop, length or refused", {}, {}};
    if (const json model = word("model"); model.is_string())
        out.model = model.get<std::string>();
    if (const json tokens = word("prompt_tokens"); tokens.is_number_unsigned())
        out.usage.promptTokens = tokens.get<std::int64_t>();
    if (const json tokens = word("reply_tokens"); tokens.is_number_unsigned())
        out.usage.replyTokens = tokens.get<std::int64_t>();
    return out;
}

} // namespace

ReplayModel::ReplayModel(std::string name, PromptText promptText)
    : m_name(std::move(name)), m_promptText(std::move(promptText))
{
}

base::Result<std::unique_ptr<ReplayModel>> ReplayModel::read(const std::filesystem::path& path)
{
    QFile file(QString::fromStdString(path.string()));
    if (!file.open(QIODevice::ReadOnly))
        return Error{file.exists() ? ErrorCode::Unreadable : ErrorCode::NotFound,
                     "The recorded replies cannot be read: " + file.errorString().toStdString(), path.string(),
                     "Check the path"};
    auto out = std::make_unique<ReplayModel>("replay: " + path.filename().string());
    for (int line = 1; !file.atEnd(); ++line) {
        const QByteArray text = file.readLine().trimmed();
        if (text.isEmpty())
            continue;
        const std::string at = path.string() + ":" + std::to_string(line);
        const json object = json::parse(text.begin(), text.end(), nullptr, false);
        if (!object.is_object() || !object.contains("prompt") || !object["prompt"].is_string() ||
            !object.contains("reply") || !object["reply"].is_string())
            return Error{ErrorCode::Unreadable, "A line is no recorded reply", at,
                         "Each line is an object of JSON with the texts \"prompt\" and \"reply\""};
        auto reply = replyOfJson(object);
        if (!reply)
            return Error{reply.error().code, reply.error().message, at, {}};
        out->record(object["prompt"].get<std::string>(), object.contains("settings") ? object["settings"].dump() : "",
                    std::move(*reply));
    }
    return out;
}

void ReplayModel::record(const std::string& prompt, const std::string& settings, ChatReply reply)
{
    m_recorded[prompt][settings.empty() ? settings : policy::samplingText(settings)].push_back(std::move(reply));
}

std::size_t ReplayModel::left() const
{
    std::size_t out = 0;
    for (const auto& [prompt, bySettings] : m_recorded)
        for (const auto& [settings, replies] : bySettings)
            out += replies.size();
    return out;
}

base::Error ReplayModel::notRecorded(const std::string& prompt) const
{
    Error out{ErrorCode::NotFound, "Nothing is recorded for this prompt", firstLines(prompt),
              "Record it with the model itself, or replay the project that asked this"};
    std::size_t most = 0;
    const std::string* nearest = nullptr;
    for (const auto& [recorded, bySettings] : m_recorded) {
        const auto parting = std::size_t(std::ranges::mismatch(recorded, prompt).in1 - recorded.begin());
        if (parting > most) {
            most = parting;
            nearest = &recorded;
        }
    }
    if (!nearest)
        return out;
    out.context = "the recorded prompt that is most like it has \"" + lineFrom(*nearest, most) +
                  "\" where this one has \"" + lineFrom(prompt, most) + '"';
    out.hint =
        "The task, its device, what was judged before, the seed or the wording of prompts differ; give those with "
        "which it was recorded, or record it anew with the model itself";
    return out;
}

base::Result<ChatReply> ReplayModel::next(const std::string& prompt, const std::string& settings)
{
    const auto known = m_recorded.find(prompt);
    if (known == m_recorded.end())
        return notRecorded(prompt);
    bool given = false;
    for (const std::string& key : {settings, std::string()}) {
        const auto found = known->second.find(key);
        if (found == known->second.end())
            continue;
        given = true;
        if (found->second.empty())
            continue;
        ChatReply out = std::move(found->second.front());
        found->second.pop_front();
        return out;
    }
    if (given)
        return Error{ErrorCode::NotFound, "All recorded replies to this prompt have been given", firstLines(prompt),
                     "Ask for fewer, or record more with the model itself"};
    return Error{ErrorCode::NotFound,
                 "This prompt is recorded with other settings: " + known->second.begin()->first + " and not " +
                     settings,
                 firstLines(prompt), "Ask with those settings"};
}

std::unique_ptr<policy::Question> ReplayModel::ask(const policy::ChatRequest& request, policy::ChatListener listener)
{
    const std::string prompt = m_promptText(request.messages), settings = policy::settingsText(request.settings);
    std::vector<base::Result<ChatReply>> replies;
    replies.reserve(std::size_t(std::max(0, request.replies)));
    for (int i = 0; i < request.replies; ++i)
        replies.push_back(next(prompt, settings));
    return std::make_unique<ReplayQuestion>(std::move(listener), std::move(replies), request.known);
}

} // namespace cudal1::models
