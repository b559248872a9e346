// SPDX-License-Identifier: GPL-3.0-or-later
// Arrived replies as JSON.
#include "core/language/arrivedreply.h"

#include <nlohmann/json.hpp>

namespace cudal1::language {

using nlohmann::json;

namespace {

template<class Value> json orNull(const std::optional<Value>& value)
{
    return value ? json(*value) : json();
}

template<class Value> std::optional<Value> optionalOf(const json& value)
{
    return value.is_null() ? std::nullopt : std::optional(value.get<Value>());
}

} // namespace

std::string toJson(const ArrivedReply& arrived)
{
    json shown = json::array();
    for (const base::VariantId variant : arrived.shown)
        shown.push_back(variant.value);
    const policy::Usage& usage = arrived.reply.usage;
    return json{{"policy", arrived.policy},
                {"parent", arrived.parent.value},
                {"seed", arrived.seed},
                {"place", arrived.place},
                {"prompt", arrived.prompt},
                {"shown", std::move(shown)},
                {"text", arrived.reply.text},
                {"end", int(arrived.reply.end)},
                {"model", arrived.reply.model},
                {"prompt_tokens", orNull(usage.promptTokens)},
                {"reply_tokens", orNull(usage.replyTokens)},
                {"cost", orNull(usage.cost)},
                {"cost_unit", usage.costUnit}}
        .dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<ArrivedReply> arrivedFromJson(const std::string& text)
{
    const json given = json::parse(text, nullptr, false);
    ArrivedReply out;
    try {
        out.policy = given.at("policy").get<std::string>();
        out.parent.value = given.at("parent").get<std::int64_t>();
        out.seed = given.at("seed").get<std::uint64_t>();
        out.place = given.at("place").get<int>();
        out.prompt = given.at("prompt").get<std::string>();
        for (const json& one : given.at("shown"))
            out.shown.push_back({one.get<std::int64_t>()});
        out.reply.text = given.at("text").get<std::string>();
        out.reply.end = policy::ChatReply::End(given.at("end").get<int>());
        out.reply.model = given.at("model").get<std::string>();
        out.reply.usage.promptTokens = optionalOf<std::int64_t>(given.at("prompt_tokens"));
        out.reply.usage.replyTokens = optionalOf<std::int64_t>(given.at("reply_tokens"));
        out.reply.usage.cost = optionalOf<double>(given.at("cost"));
        out.reply.usage.costUnit = given.at("cost_unit").get<std::string>();
    } catch (const json::exception&) {
        return {};
    }
    return out;
}

} // namespace cudal1::language
