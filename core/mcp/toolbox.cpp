// SPDX-License-Identifier: GPL-3.0-or-later
// The part of JSON Schema that tools use.
#include "core/mcp/toolbox.h"

#include <algorithm>

namespace cudal1::mcp {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

namespace {

bool fits(const json& value, const std::string& type)
{
    if (type == "string")
        return value.is_string();
    if (type == "boolean")
        return value.is_boolean();
    // A whole number that arrives as 3.0 is one in JSON Schema.
    if (type == "integer")
        return value.is_number_integer() ||
               (value.is_number_float() && value.get<double>() == double(std::int64_t(value.get<double>())));
    return type == "number" && value.is_number();
}

std::string wordsText(const json& words)
{
    std::string out;
    for (const json& word : words)
        out += (out.empty() ? "" : word == words.back() ? " or " : ", ") + word.get<std::string>();
    return out;
}

std::string article(const std::string& type)
{
    return (type == "integer" ? "a whole number" : type == "boolean" ? "true or false" : "a " + type);
}

/// What a value has to be, where it is not; empty when it is.
std::string problemOf(const json& schema, const json& value)
{
    const std::string type = schema.at("type").get<std::string>();
    if (!fits(value, type))
        return article(type == "string" ? "text" : type);
    if (schema.contains("enum")) {
        const json& words = schema["enum"];
        if (std::find(words.begin(), words.end(), value) == words.end())
            return wordsText(words);
    }
    const auto number = [&](const char* name) { return schema[name].get<std::int64_t>(); };
    if (schema.contains("minimum") && value.get<double>() < double(number("minimum")))
        return "at least " + std::to_string(number("minimum"));
    if (schema.contains("maximum") && value.get<double>() > double(number("maximum")))
        return "at most " + std::to_string(number("maximum"));
    return {};
}

} // namespace

const json* toolNamed(const json& tools, const std::string& name)
{
    for (const json& tool : tools)
        if (tool["name"] == name)
            return &tool;
    return nullptr;
}

base::Status checkArguments(const json& tool, const json& arguments)
{
    const std::string name = tool["name"].get<std::string>();
    const auto wrong = [&](const std::string& message, const std::string& hint = {}) {
        return Error{ErrorCode::InvalidArgument, name + ": " + message, {}, hint};
    };
    if (!arguments.is_object())
        return wrong("arguments are a JSON object, not " + std::string(arguments.type_name()));
    const json& schema = tool["inputSchema"];
    const json& fields = schema["properties"];
    std::string known;
    for (const auto& [field, unused] : fields.items())
        known += (known.empty() ? "" : ", ") + field;
    for (const auto& [field, value] : arguments.items()) {
        if (!fields.contains(field))
            return wrong("there is no argument \"" + field.substr(0, 100) + "\"", "It takes " + known);
        if (const std::string problem = problemOf(fields[field], value); !problem.empty())
            return wrong("\"" + field + "\" is " + problem + ", not " +
                         value.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 100));
    }
    for (const json& field : schema.value("required", json::array()))
        if (!arguments.contains(field.get_ref<const std::string&>()))
            return wrong("\"" + field.get<std::string>() + "\" is missing", "It takes " + known);
    return {};
}

} // namespace cudal1::mcp
