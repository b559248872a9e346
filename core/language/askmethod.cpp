// SPDX-License-Identifier: GPL-3.0-or-later
// Methods by word and as JSON.
#include "core/language/askmethod.h"

#include "core/language/exemplarsampler.h"
#include "core/policy/chattext.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace cudal1::language {

using base::Error;
using base::ErrorCode;

namespace {

constexpr std::array<std::string_view, 4> words{"vanilla", "evolve", "contrastive", "multi-turn"};
/// A reply takes minutes and money; more at once is a slip of the finger.
constexpr int mostSamples = 1024, mostTurns = 64;

} // namespace

int AskMethod::exemplars() const
{
    return kind == Kind::Evolve ? 4 : kind == Kind::Contrastive ? 2 : 0;
}

std::string AskMethod::samplerName() const
{
    if (exemplars() == 0)
        return {};
    return !sampler.empty() ? sampler : kind == Kind::Evolve ? "islands" : "bucket";
}

std::set<PromptPart> AskMethod::leftOut() const
{
    std::set<PromptPart> out = without;
    if (exemplars() == 0)
        out.insert({PromptPart::Exemplars, PromptPart::Failures, PromptPart::Timeline});
    return out;
}

int AskMethod::furtherTurns() const
{
    return kind == Kind::MultiTurn ? turns - 1 : repair ? 1 : 0;
}

std::string_view wordOf(AskMethod::Kind kind)
{
    return words[static_cast<std::size_t>(kind)];
}

std::span<const std::string_view> methodWords()
{
    return words;
}

base::Result<AskMethod::Kind> kindFromText(const std::string& word)
{
    const auto found = std::find(words.begin(), words.end(), word);
    if (found == words.end())
        return Error{ErrorCode::InvalidArgument,
                     "There is no method \"" + word + "\"",
                     {},
                     "The methods are vanilla, evolve, contrastive and multi-turn"};
    return static_cast<AskMethod::Kind>(found - words.begin());
}

base::Status check(const AskMethod& method)
{
    if (method.samples < 1 || method.samples > mostSamples)
        return Error{ErrorCode::InvalidArgument,
                     "The number of samples is a whole number from 1 to " + std::to_string(mostSamples) + ", not " +
                         std::to_string(method.samples),
                     {},
                     {}};
    if (method.turns < 1 || method.turns > mostTurns)
        return Error{ErrorCode::InvalidArgument,
                     "The number of turns is a whole number from 1 to " + std::to_string(mostTurns) + ", not " +
                         std::to_string(method.turns),
                     {},
                     {}};
    if (!method.text.empty() && !policy::messagesOf(method.text))
        return Error{ErrorCode::InvalidArgument,
                     "The text is no prompt: its first line is no <|user|> or <|system|>",
                     {},
                     "`cudal1 prompt TASK` prints one, and `cudal1 samples show SAMPLE --prompt` that of a sample"};
    if (method.sampler.empty())
        return {};
    if (const auto known = makeSampler(method.sampler); !known)
        return known.error();
    if (method.exemplars() == 0)
        return Error{ErrorCode::InvalidArgument,
                     "The method " + std::string(wordOf(method.kind)) + " shows no exemplars, so it needs no sampler",
                     {},
                     "evolve and contrastive show exemplars"};
    return {};
}

std::string toJson(const AskMethod& method)
{
    nlohmann::json out{{"method", wordOf(method.kind)},
                       {"samples", method.samples},
                       {"turns", method.kind == AskMethod::Kind::MultiTurn ? method.turns : 1},
                       {"repair", method.kind != AskMethod::Kind::MultiTurn && method.repair},
                       {"sampler", method.samplerName()},
                       {"without", textOf(method.without)}};
    if (!method.text.empty())
        out["text"] = method.text;
    return out.dump();
}

base::Result<AskMethod> methodFromJson(const std::string& text)
{
    const nlohmann::json j = nlohmann::json::parse(text, nullptr, false);
    const Error unreadable{ErrorCode::Unreadable, "The method of a run cannot be read", text.substr(0, 200),
                           "Start a new run"};
    try {
        AskMethod method;
        const auto kind = kindFromText(j.at("method").get<std::string>());
        const auto without = partsFromText(j.at("without").get<std::string>());
        if (!kind || !without)
            return unreadable;
        method.kind = *kind;
        method.samples = j.at("samples").get<int>();
        method.turns = j.at("turns").get<int>();
        method.repair = j.at("repair").get<bool>();
        method.sampler = j.at("sampler").get<std::string>();
        method.without = *without;
        method.text = j.value("text", std::string());
        return check(method) ? base::Result<AskMethod>(method) : unreadable;
    } catch (const nlohmann::json::exception&) {
        return unreadable;
    }
}

} // namespace cudal1::language
