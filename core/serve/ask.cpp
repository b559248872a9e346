// SPDX-License-Identifier: GPL-3.0-or-later
// Fields of a request, each checked.
#include "core/serve/ask.h"

#include "core/base/bytestext.h"
#include "core/language/replyparser.h"
#include "core/optimize/options.h"

#include <algorithm>
#include <utility>

namespace cudal1::serve {

using base::Error;
using base::ErrorCode;
using base::wrong;
using nlohmann::json;

namespace {

/// False where the field is missing or null.
bool has(const json& fields, const char* name)
{
    return fields.contains(name) && !fields[name].is_null();
}

base::Result<std::string> textField(const json& fields, const char* name)
{
    if (!fields[name].is_string())
        return wrong("\"" + std::string(name) + "\" is a text, not " + fields[name].type_name());
    const std::string& value = fields[name].get_ref<const std::string&>();
    if (value.size() > mostSourceBytes)
        return Error{ErrorCode::LimitReached,
                     "\"" + std::string(name) + "\" has " + base::bytesText(double(value.size())) + "; at most " +
                         base::bytesText(double(mostSourceBytes)) + " are taken",
                     {},
                     {}};
    return value;
}

template<class Word> base::Status word(const json& fields, const char* name, const char* words, Word& out)
{
    if (!has(fields, name))
        return {};
    const auto value = textField(fields, name);
    if (!value)
        return value.error();
    if (!protocol::fromString(*value, out))
        return wrong("\"" + std::string(name) + "\" is " + words + ", not \"" + value->substr(0, 100) + "\"");
    return {};
}

base::Status device(const json& fields, const ServiceDefaults& served, std::string& out)
{
    if (!has(fields, "device"))
        return {};
    const auto value = textField(fields, "device");
    if (!value)
        return value.error();
    out = optimize::deviceName(*value);
    const auto& devices = served.devices;
    if (std::any_of(devices.begin(), devices.end(), [&](const auto& one) { return one.name == out; }))
        return {};
    std::string names;
    for (const auto& one : devices)
        names += (names.empty() ? "" : ", ") + one.name;
    return wrong("Nothing is judged on \"" + value->substr(0, 100) + "\" here", "This judge has " + names);
}

} // namespace

base::Result<store::TaskRecord> readTask(const json& fields, const TaskBook& book)
{
    if (!fields.is_object())
        return wrong("A request is a JSON object, not " + std::string(fields.type_name()));
    const bool named = has(fields, "task"), given = has(fields, "reference");
    if (named == given)
        return wrong(named ? "\"task\" and \"reference\" are two ways to say the same" : "There is no task",
                     "Give one of \"task\" (LEVEL/ID, such as \"1/12\") and \"reference\" (the text of a module)");
    const auto value = textField(fields, named ? "task" : "reference");
    if (!value)
        return value.error();
    return named ? book.named(*value) : book.ofText(*value);
}

base::Result<std::string> readSource(const json& fields)
{
    const bool plain = has(fields, "source"), reply = has(fields, "reply");
    if (plain == reply)
        return wrong(
            plain ? "\"source\" and \"reply\" are two ways to say the same" : "There is no candidate",
            "Give one of \"source\" (Python that defines ModelNew) and \"reply\" (a text with that in a block)");
    const auto value = textField(fields, plain ? "source" : "reply");
    if (!value)
        return value.error();
    if (value->find_first_not_of(" \t\r\n") == std::string::npos)
        return wrong(std::string("\"") + (plain ? "source" : "reply") + "\" is empty");
    if (plain)
        return value;
    language::ParsedReply parsed = language::parseReply(*value, false);
    // Nobody says here whether the reply came to its end, and a block that is not closed may be half a program.
    if (parsed.usable() && !language::parseReply(*value, true).usable())
        return wrong("The reply ends within a block of code", "It was probably cut off: allow more tokens");
    if (!parsed.usable())
        return wrong(parsed.why, "Put the whole module that defines ModelNew into a block between ```python and ```");
    return std::move(parsed.source);
}

base::Status readSettings(const json& fields, const ServiceDefaults& served, Ask& out)
{
    out.device = served.device;
    out.precision = served.precision;
    out.preset = served.preset;
    out.seed = served.seed;
    if (const auto status = device(fields, served, out.device); !status)
        return status;
    if (const auto status = word(fields, "precision", "kernelbench, ieee or tf32", out.precision); !status)
        return status;
    if (const auto status = word(fields, "preset", "quick, standard or paper", out.preset); !status)
        return status;
    if (has(fields, "seed")) {
        const json& seed = fields["seed"];
        // Whole numbers up to 2^53 - 1 are exact in every JSON reader.
        const bool good = seed.is_number_integer() && seed.get<double>() >= 0 &&
                          seed.get<double>() < 9007199254740992.0;
        if (!good)
            return wrong("\"seed\" is a whole number from 0 (drawn) to 2^53 - 1");
        out.seed = seed.get<std::uint64_t>();
    }
    if (has(fields, "cached")) {
        if (!fields["cached"].is_boolean())
            return wrong("\"cached\" is true or false");
        out.cached = fields["cached"].get<bool>();
    }
    if (has(fields, "parent")) {
        const json& parent = fields["parent"];
        if (!parent.is_number_integer() || parent.get<std::int64_t>() <= 0)
            return wrong("\"parent\" is the number of a variant");
        out.parent = {parent.get<std::int64_t>()};
    }
    return {};
}

base::Result<Ask> readAsk(const json& fields, const TaskBook& book, const ServiceDefaults& served,
                          const std::string& client)
{
    auto task = readTask(fields, book);
    if (!task)
        return task.error();
    auto source = readSource(fields);
    if (!source)
        return source.error();
    Ask out;
    if (const auto status = readSettings(fields, served, out); !status)
        return status.error();
    out.task = std::move(*task);
    out.source = std::move(*source);
    out.client = client;
    return out;
}

} // namespace cudal1::serve
