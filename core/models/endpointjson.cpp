// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of a model as JSON that a person can read and write.
#include "core/models/endpointsettings.h"

#include "core/policy/chattext.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <vector>

namespace cudal1::models {

namespace {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

/// Reads the fields of one object; the first that is wrong stays. Values are never quoted: somebody may have written a
/// key into the file.
class Reader {
public:
    Reader(const json& object, std::string where) : m_object(object), m_where(std::move(where))
    {
        if (!m_object.is_object())
            complain({}, "is an object");
    }

    void text(const char* name, std::string& out)
    {
        if (const json* value = found(name)) {
            if (value->is_string())
                out = value->get<std::string>();
            else
                complain(name, "is a text");
        }
    }
    void number(const char* name, double& out)
    {
        if (const json* value = found(name)) {
            if (value->is_number())
                out = value->get<double>();
            else
                complain(name, "is a number");
        }
    }
    void number(const char* name, std::optional<double>& out)
    {
        if (m_object.contains(name))
            number(name, out.emplace());
    }
    template<class T> void whole(const char* name, T& out)
    {
        if (const json* value = found(name)) {
            if (value->is_number_integer() && *value >= 0 && *value <= std::numeric_limits<T>::max())
                out = value->get<T>();
            else
                complain(name, "is a whole number from 0");
        }
    }
    void whole(const char* name, std::optional<std::int64_t>& out)
    {
        if (m_object.contains(name))
            whole(name, out.emplace());
    }
    void flag(const char* name, bool& out)
    {
        if (const json* value = found(name)) {
            if (value->is_boolean())
                out = value->get<bool>();
            else
                complain(name, "is true or false");
        }
    }
    /// Null where there is no such field.
    const json* found(const char* name)
    {
        m_known.push_back(name);
        return m_object.is_object() && m_object.contains(name) ? &m_object[name] : nullptr;
    }
    void complain(const std::string& name, const std::string& what)
    {
        const std::string where = m_where + (m_where.empty() || name.empty() ? "" : ".") + name;
        if (m_wrong.empty())
            m_wrong = (where.empty() ? "A model" : "\"" + where + "\" of a model") + " " + what;
    }
    /// Why the object is not good; empty when it is. To be asked when all fields have been read.
    std::string wrong()
    {
        if (m_object.is_object())
            for (const auto& [name, value] : m_object.items())
                if (std::find(m_known.begin(), m_known.end(), name) == m_known.end())
                    complain({}, "has a field that is not known; the known ones are " + knownNames());
        return m_wrong;
    }

private:
    std::string knownNames() const
    {
        std::string out;
        for (const std::string& name : m_known)
            out += (out.empty() ? "" : ", ") + name;
        return out;
    }

    const json& m_object;
    std::string m_where, m_wrong;
    std::vector<std::string> m_known;
};

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
    Reader reader(object, "price");
    reader.number("prompt", out.prompt);
    reader.number("reply", out.reply);
    reader.text("unit", out.unit);
    return reader.wrong();
}

std::string readLimits(const json& object, RunLimits& out)
{
    Reader reader(object, "limits");
    reader.number("seconds", out.seconds);
    reader.whole("tokens", out.tokens);
    reader.number("cost", out.cost);
    return reader.wrong();
}

std::string readPatience(const json& object, Patience& out)
{
    Reader reader(object, "patience");
    reader.number("connect_s", out.connect_s);
    reader.number("silence_s", out.silence_s);
    reader.number("reply_s", out.reply_s);
    reader.whole("retries", out.retries);
    return reader.wrong();
}

std::string readKeyPlace(const json& object, EndpointSettings& out)
{
    Reader reader(object, "key");
    reader.text("variable", out.keyVariable);
    reader.flag("keyring", out.keyInKeyring);
    return reader.wrong();
}

} // namespace

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
    Reader reader(object, {});
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
