// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of messages and settings; the names of settings are those of OpenAI-compatible servers.
#include "core/policy/chattext.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <string_view>

namespace cudal1::policy {

namespace {

using base::wrong;
using nlohmann::json;

template<class T> void put(json& out, const char* name, const std::optional<T>& value)
{
    if (value)
        out[name] = *value;
}

/// A sentence when `value` does not fit what the setting holds; empty, and `out` filled, otherwise.
std::string take(const json& value, std::optional<double>& out)
{
    if (!value.is_number())
        return "is a number";
    out = value.get<double>();
    return {};
}

std::string take(const json& value, std::optional<int>& out)
{
    if (!value.is_number_integer() || value > std::numeric_limits<int>::max() || value < 0)
        return "is a whole number";
    out = value.get<int>();
    return {};
}

std::string take(const json& value, std::optional<std::uint64_t>& out)
{
    if (!value.is_number_unsigned())
        return "is a whole number from 0";
    out = value.get<std::uint64_t>();
    return {};
}

std::string take(const json& value, std::vector<std::string>& out)
{
    if (!value.is_array())
        return "is a list of texts";
    for (const json& text : value) {
        if (!text.is_string())
            return "is a list of texts";
        out.push_back(text.get<std::string>());
    }
    return {};
}

/// Backslashes, then "<|": what a line of content must not begin with as it is.
bool looksLikeHead(std::string_view line)
{
    const std::size_t at = line.find_first_not_of('\\');
    return at != std::string_view::npos && line.substr(at).starts_with("<|");
}

/// The role of "<|user|>"; empty for other lines.
std::string_view roleOf(std::string_view line)
{
    if (!line.starts_with("<|") || !line.ends_with("|>") || line.size() < 5)
        return {};
    return line.substr(2, line.size() - 4);
}

/// Calls `each(line)` for every piece between newlines; a text that ends with one has an empty last piece.
template<class Each> void forLines(std::string_view text, Each&& each)
{
    for (std::size_t at = 0;;) {
        const std::size_t end = text.find('\n', at);
        each(text.substr(at, end == std::string_view::npos ? end : end - at));
        if (end == std::string_view::npos)
            return;
        at = end + 1;
    }
}

} // namespace

std::string messagesText(const std::vector<ChatMessage>& messages)
{
    std::string out;
    for (const ChatMessage& message : messages) {
        out += "<|" + message.role + "|>\n";
        forLines(message.content, [&](std::string_view line) {
            out += looksLikeHead(line) ? "\\" : "";
            out += std::string(line) + "\n";
        });
    }
    return out;
}

std::optional<std::vector<ChatMessage>> messagesOf(const std::string& text)
{
    std::vector<ChatMessage> out;
    if (!text.ends_with('\n'))
        return {};
    bool good = true, isFirst = true; // line of its message
    forLines(std::string_view(text).substr(0, text.size() - 1), [&](std::string_view line) {
        if (const std::string_view role = roleOf(line); !role.empty()) {
            good = good && (out.empty() || !isFirst); // a message has a line at least
            out.push_back({std::string(role), {}});
            isFirst = true;
            return;
        }
        if (out.empty()) {
            good = false;
            return;
        }
        out.back().content += (isFirst ? "" : "\n") + std::string(looksLikeHead(line) ? line.substr(1) : line);
        isFirst = false;
    });
    if (!good || out.empty() || isFirst)
        return {};
    return out;
}

std::string settingsText(const SamplingSettings& settings)
{
    json out = json::object();
    put(out, "temperature", settings.temperature);
    put(out, "top_p", settings.topP);
    put(out, "top_k", settings.topK);
    put(out, "min_p", settings.minP);
    put(out, "max_tokens", settings.maxTokens);
    put(out, "seed", settings.seed);
    if (!settings.stop.empty())
        out["stop"] = settings.stop;
    return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

base::Result<SamplingSettings> settingsOf(const std::string& text)
{
    const json read = json::parse(text, nullptr, false);
    if (!read.is_object())
        return wrong("Sampling settings are an object of JSON");
    SamplingSettings out;
    for (const auto& [name, value] : read.items()) {
        std::string why = "is not known";
        if (name == "temperature")
            why = take(value, out.temperature);
        else if (name == "top_p")
            why = take(value, out.topP);
        else if (name == "top_k")
            why = take(value, out.topK);
        else if (name == "min_p")
            why = take(value, out.minP);
        else if (name == "max_tokens")
            why = take(value, out.maxTokens);
        else if (name == "seed")
            why = take(value, out.seed);
        else if (name == "stop")
            why = take(value, out.stop);
        if (!why.empty())
            return wrong("The sampling setting \"" + name + "\" " + why);
    }
    if (const auto good = checkSettings(out); !good)
        return good.error();
    return out;
}

base::Status checkSettings(const SamplingSettings& settings)
{
    const auto finite = [](const std::optional<double>& value) { return !value || std::isfinite(*value); };
    if (settings.temperature && (!finite(settings.temperature) || *settings.temperature < 0))
        return wrong("The temperature is a number from 0");
    if (settings.topP && !(*settings.topP > 0 && *settings.topP <= 1))
        return wrong("top-p is a number above 0 and up to 1");
    if (settings.topK && *settings.topK < 1)
        return wrong("top-k is a whole number from 1");
    if (settings.minP && !(*settings.minP >= 0 && *settings.minP <= 1))
        return wrong("min-p is a number from 0 to 1");
    if (settings.maxTokens && *settings.maxTokens < 1)
        return wrong("The limit of tokens of a reply is a whole number from 1");
    for (const std::string& text : settings.stop)
        if (text.empty())
            return wrong("A stop string must not be empty");
    return {};
}

std::string samplingText(const std::string& stored)
{
    const json read = json::parse(stored, nullptr, false);
    if (!read.is_object())
        return stored;
    json out = json::object();
    for (const char* name : {"temperature", "top_p", "top_k", "min_p", "max_tokens", "seed", "stop"})
        if (read.contains(name))
            out[name] = read[name];
    return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

SamplingSettings filled(SamplingSettings settings, const SamplingSettings& usual)
{
    const auto fill = [](auto& open, const auto& value) {
        if (!open)
            open = value;
    };
    fill(settings.temperature, usual.temperature);
    fill(settings.topP, usual.topP);
    fill(settings.topK, usual.topK);
    fill(settings.minP, usual.minP);
    fill(settings.maxTokens, usual.maxTokens);
    fill(settings.seed, usual.seed);
    if (settings.stop.empty())
        settings.stop = usual.stop;
    return settings;
}

} // namespace cudal1::policy
