// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the settings of a stage, field by field.
#include "core/learning/stagejson.h"

#include "core/learning/stageoptionsjson.h"
#include "core/models/fieldreader.h"

#include <nlohmann/json.hpp>

namespace cudal1::learning {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

namespace {

Error wrongStage(const std::string& message)
{
    return {ErrorCode::InvalidArgument, message, "the settings of a stage", "docs/training.md lists what a stage has"};
}

} // namespace

base::Result<StageText> stageOf(const std::string& text)
{
    const json object = json::parse(text, nullptr, false);
    if (!object.is_object() || !object.contains("stage") || !object["stage"].is_string())
        return wrongStage("A stage is an object with \"stage\": sft, self or contrastive");
    const auto stage = stageFromText(object["stage"].get<std::string>());
    if (!stage)
        return wrongStage("There is no stage " + object["stage"].dump() + "; the stages are sft, self and contrastive");
    StageText out;
    StageOptions& options = out.options;
    options.stage = *stage;
    models::FieldReader reader(object, {});
    reader.found("stage");
    if (*stage == Stage::Supervised)
        reader.text("data", out.data);
    else
        reader.text("tasks", out.tasks);
    readSettings(reader, options);
    if (const std::string name = reader.unknown(); !name.empty())
        return wrongStage("The stage " + std::string(wordOf(*stage)) + " has no field \"" + name + "\"; it has " +
                          reader.knownNames());
    if (const std::string problem = reader.wrong(); !problem.empty())
        return wrongStage(problem);
    if (*stage == Stage::Supervised && out.data.empty())
        return wrongStage("The stage sft needs \"data\", a file that `cudal1 collect` wrote");
    StageOptions whole = options;
    whole.model = whole.out = "/"; // which are known later
    if (const auto status = check(whole); !status)
        return status.error();
    return out;
}

} // namespace cudal1::learning
