// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of a model as JSON that a person can read and write.
#include "core/models/endpointsettings.h"

#include "core/models/fieldreader.h"
#include "core/policy/chattext.h"

#include <nlohmann/json.hpp>

namespace cudal1::models {

namespace {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

json patienceJson(const Patience& patience)
{
    const Patience usual;
    json out = json::object();
    if (patience.connect_s != usual.connect_s)
        out["connect_s"] = patience.connect_s;
    if (patience.silence_s != usual.silence_s)
        out["silence_s"] = patience.silence_s;
    if (patience.reply_s != usual.reply_s)
        out["reply_s"] = patience.reply_s;
    if (patience.retries != usual.retries)
        out["retries"] = patience.retries;
    return out;
}

std::string readPrice(const json& object, TokenPrice& out)
{
    FieldReader reader(object, "price");
    reader.number("prompt", out.prompt);
    reader.number("reply", out.reply);
    reader.text("unit", out.unit);
    return reader.wrong();
}

std::string readPatience(const json& object, Patience& out)
{
    FieldReader reader(object, "patience");
    reader.number("connect_s", out.connect_s);
    reader.number("silence_s", out.silence_s);
    reader.number("reply_s", out.reply_s);
    reader.whole("retries", out.retries);
    return reader.wrong();
}

std::string readKeyPlace(const json& object, EndpointSettings& out)
{
    FieldReader reader(object, "key");
    reader.text("variable", out.keyVariable);
    reader.flag("keyring", out.keyInKeyring);
    return reader.wrong();
}

} // namespace

json limitsJson(const RunLimits& limits)
{
    json out = json::object();
    if (limits.seconds)
        out["seconds"] = *limits.seconds;
    if (limits.tokens)
        out["tokens"] = *limits.tokens;
    if (limits.cost)
        out["cost"] = *limits.cost;
    return out;
}

std::string readLimits(const json& object, RunLimits& out)
{
    FieldReader reader(object, "limits");
    reader.number("seconds", out.seconds);
    reader.whole("tokens", out.tokens);
    reader.number("cost", out.cost);
    return reader.wrong();
}

json toJson(const EndpointSettings& settings)
{
    json out{{"name", settings.name}, {"url", settings.url}, {"model", settings.model}};
    if (json sampling = json::parse(policy::settingsText(settings.sampling)); !sampling.empty())
        out["sampling"] = std::move(sampling);
    if (settings.price)
        out["price"] = {
            {"prompt", settings.price->prompt}, {"reply", settings.price->reply}, {"unit", settings.price->unit}};
    if (json limits = limitsJson(settings.limits); !limits.empty())
        out["limits"] = std::move(limits);
    if (json patience = patienceJson(settings.patience); !patience.empty())
        out["patience"] = std::move(patience);
    if (settings.parallel != EndpointSettings().parallel)
        out["parallel"] = settings.parallel;
    if (!settings.keyVariable.empty())
        out["key"] = {{"variable", settings.keyVariable}};
    else if (settings.keyInKeyring)
        out["key"] = {{"keyring", true}};
    return out;
}

base::Result<EndpointSettings> endpointOf(const json& object)
{
    EndpointSettings out;
    FieldReader reader(object, {});
    reader.text("name", out.name);
    reader.text("url", out.url);
    reader.text("model", out.model);
    reader.whole("parallel", out.parallel);
    std::string wrong;
    const auto part = [&](const char* name, auto read) {
        if (const json* value = reader.found(name); value && wrong.empty())
            wrong = read(*value);
    };
    part("sampling", [&](const json& value) {
        auto sampling = policy::settingsOf(value.dump(-1, ' ', false, json::error_handler_t::replace));
        if (sampling)
            out.sampling = std::move(*sampling);
        return sampling ? std::string() : sampling.error().message;
    });
    part("price", [&](const json& value) { return readPrice(value, out.price.emplace()); });
    part("limits", [&](const json& value) { return readLimits(value, out.limits); });
    part("patience", [&](const json& value) { return readPatience(value, out.patience); });
    part("key", [&](const json& value) { return readKeyPlace(value, out); });
    if (out.price)
        out.limits.costUnit = out.price->unit;
    if (const std::string own = reader.wrong(); !own.empty())
        wrong = own;
    if (!wrong.empty())
        return Error{ErrorCode::InvalidArgument, wrong, {}, {}};
    if (const auto good = check(out); !good)
        return good.error();
    return out;
}

} // namespace cudal1::models
