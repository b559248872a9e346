// SPDX-License-Identifier: GPL-3.0-or-later
// StageOptions written and read.
#include "core/learning/stageoptionsjson.h"

#include "core/learning/stagesettings.h"
#include "core/models/fieldreader.h"

#include <string>

namespace cudal1::learning {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

namespace {

template<class Choice> void readChoice(models::FieldReader& reader, const std::string& name, Choice& out)
{
    const json* given = reader.found(name.c_str());
    if (given && !(given->is_string() && fromString(given->get<std::string>(), out)))
        reader.complain(name, "does not know " + given->dump());
}

} // namespace

void readSettings(models::FieldReader& reader, StageOptions& options)
{
    eachSetting(options, [&]<class Value>(const StageSetting& setting, Value& value) {
        if (!setting.belongsTo(options.stage))
            return;
        const std::string name = setting.field();
        if constexpr (std::is_enum_v<Value>)
            readChoice(reader, name, value);
        else if constexpr (std::is_same_v<Value, bool>)
            reader.flag(name.c_str(), value);
        else if constexpr (std::is_same_v<Value, std::string>)
            reader.text(name.c_str(), value);
        else if constexpr (std::is_integral_v<Value>)
            reader.whole(name.c_str(), value);
        else
            reader.number(name.c_str(), value);
    });
}

json toJson(const StageOptions& options)
{
    json out{{"stage", wordOf(options.stage)},
             {"model", options.model},
             {"out", options.out},
             {"seed", options.seed},
             {"precision", protocol::toString(options.precision)},
             {"preset", protocol::toString(options.preset)}};
    eachSetting(options, [&](const StageSetting& setting, const auto& value) {
        if (setting.belongsTo(options.stage))
            out[setting.field()] = settingJson(value);
    });
    return out;
}

base::Result<StageOptions> stageOptionsFrom(const json& from)
{
    const auto wrong = [](const std::string& why) {
        return Error{ErrorCode::Unreadable,
                     "These are no settings of a training: " + why,
                     {},
                     "Begin it anew in another folder"};
    };
    const std::string word = from.is_object() && from.contains("stage") && from["stage"].is_string()
                               ? from["stage"].get<std::string>()
                               : std::string();
    const auto stage = stageFromText(word);
    if (!stage)
        return wrong("they name no stage");
    StageOptions out;
    out.stage = *stage;
    models::FieldReader reader(from, {});
    reader.found("stage");
    reader.text("model", out.model);
    reader.text("out", out.out);
    reader.whole("seed", out.seed);
    readChoice(reader, "precision", out.precision);
    readChoice(reader, "preset", out.preset);
    readSettings(reader, out);
    if (const std::string problem = reader.wrong(); !problem.empty())
        return wrong(problem);
    return out;
}

} // namespace cudal1::learning
