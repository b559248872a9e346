// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the settings of a stage, field by field.
#include "core/learning/stagejson.h"

#include "core/models/fieldreader.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <type_traits>

namespace cudal1::learning {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

namespace {

Error wrongStage(const std::string& message)
{
    return {ErrorCode::InvalidArgument, message, "the settings of a stage", "docs/training.md lists what a stage has"};
}

base::Status checkNames(const json& object, Stage stage)
{
    std::set<std::string> known{"stage", "steps",       "batch",     "learning_rate", "warmup",
                                "decay", "numbers",     "threads",   "weight_decay",  "train_device",
                                "lora",  "pass_tokens", "recompute", "save_every",    "keep"};
    if (stage == Stage::Supervised)
        known.insert("data");
    else
        known.insert({"group", "max_tokens", "temperature", "judge_timeout", "tasks"});
    if (stage == Stage::Contrastive)
        known.insert({"exemplars", "beta", "clip", "clip_high", "baseline", "mean", "epochs", "minibatches"});
    std::string all;
    for (const std::string& one : known)
        all += (all.empty() ? "" : ", ") + one;
    for (const auto& [name, value] : object.items())
        if (!known.contains(name))
            return wrongStage("The stage " + std::string(wordOf(stage)) + " has no field \"" + name + "\"; it has " +
                              all);
    return {};
}

template<class Choice> base::Status readWord(const json& object, const char* name, Choice& out)
{
    if (!object.contains(name))
        return {};
    const json& value = object.at(name);
    if (!value.is_string() || !fromString(value.get<std::string>(), out))
        return wrongStage("\"" + std::string(name) + "\" does not know " + value.dump());
    return {};
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
    if (const auto status = checkNames(object, *stage); !status)
        return status.error();
    StageText out;
    StageOptions& options = out.options;
    options.stage = *stage;
    models::FieldReader reader(object, {});
    for (const char* word : {"stage", "decay", "baseline", "mean"})
        reader.found(word); // read below
    reader.flag("recompute", options.recomputes);
    reader.text("data", out.data);
    reader.text("tasks", out.tasks);
    reader.text("train_device", options.device);
    reader.text("numbers", options.numbers);
    reader.text("exemplars", options.exemplars);
    eachNumber(options, [&reader](std::string name, auto& number) {
        std::replace(name.begin(), name.end(), '-', '_');
        if constexpr (std::is_integral_v<std::remove_reference_t<decltype(number)>>)
            reader.whole(name.c_str(), number);
        else
            reader.number(name.c_str(), number);
    });
    if (const std::string problem = reader.wrong(); !problem.empty())
        return wrongStage(problem);
    for (const auto& status :
         {readWord(object, "decay", options.optimizer.decay), readWord(object, "baseline", options.grpo.baseline),
          readWord(object, "mean", options.grpo.mean)})
        if (!status)
            return status.error();
    if (*stage == Stage::Supervised && out.data.empty())
        return wrongStage("The stage sft needs \"data\", a file that `cudal1 collect` wrote");
    StageOptions whole = options;
    whole.model = whole.out = "/"; // which are known later
    if (const auto status = check(whole); !status)
        return status.error();
    return out;
}

} // namespace cudal1::learning
