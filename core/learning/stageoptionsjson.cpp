// SPDX-License-Identifier: GPL-3.0-or-later
// StageOptions written and read.
#include "core/learning/stageoptionsjson.h"

#include <string>

namespace cudal1::learning {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

json toJson(const StageOptions& options)
{
    // The lists of fields of these two belong to the messages that have them.
    protocol::OpenTraining open;
    open.optimizer = options.optimizer;
    protocol::GrpoRequest grpo;
    grpo.settings = options.grpo;
    return {{"stage", wordOf(options.stage)},
            {"model", options.model},
            {"out", options.out},
            {"steps", options.steps},
            {"batch", options.batch},
            {"seed", options.seed},
            {"device", options.device},
            {"numbers", options.numbers},
            {"threads", options.threads},
            {"pass_tokens", options.passTokens},
            {"recomputes", options.recomputes},
            {"optimizer", json(open)["optimizer"]},
            {"lora_rank", options.loraRank},
            {"save_every", options.saveEvery},
            {"keep", options.keep},
            {"group", options.group},
            {"max_tokens", options.maxTokens},
            {"temperature", options.temperature},
            {"judge_limit_s", options.judgeLimit_s},
            {"precision", protocol::toString(options.precision)},
            {"preset", protocol::toString(options.preset)},
            {"exemplars", options.exemplars},
            {"own_exemplars", options.ownExemplars},
            {"grpo", json(grpo)["settings"]}};
}

base::Result<StageOptions> stageOptionsFrom(const json& from)
{
    const Error wrong{
        ErrorCode::Unreadable, "These are no settings of a training", {}, "Begin it anew in another folder"};
    if (!from.is_object())
        return wrong;
    try {
        StageOptions out;
        const auto stage = stageFromText(from.value("stage", ""));
        if (!stage)
            return wrong;
        out.stage = *stage;
        const auto read = [&from](const char* key, auto& value) { value = from.value(key, value); };
        read("model", out.model);
        read("out", out.out);
        read("steps", out.steps);
        read("batch", out.batch);
        read("seed", out.seed);
        read("device", out.device);
        read("numbers", out.numbers);
        read("threads", out.threads);
        read("pass_tokens", out.passTokens);
        read("recomputes", out.recomputes);
        read("lora_rank", out.loraRank);
        read("save_every", out.saveEvery);
        read("keep", out.keep);
        read("group", out.group);
        read("max_tokens", out.maxTokens);
        read("temperature", out.temperature);
        read("judge_limit_s", out.judgeLimit_s);
        read("exemplars", out.exemplars);
        read("own_exemplars", out.ownExemplars);
        if (!protocol::fromString(from.value("precision", std::string(protocol::toString(out.precision))),
                                  out.precision) ||
            !protocol::fromString(from.value("preset", std::string(protocol::toString(out.preset))), out.preset))
            return wrong;
        if (from.contains("optimizer"))
            out.optimizer =
                json{{"model", ""}, {"optimizer", from["optimizer"]}}.get<protocol::OpenTraining>().optimizer;
        if (from.contains("grpo"))
            out.grpo =
                json{{"groups", json::array()}, {"settings", from["grpo"]}}.get<protocol::GrpoRequest>().settings;
        return out;
    } catch (const std::exception& failure) {
        Error out = wrong;
        out.context = failure.what();
        return out;
    }
}

} // namespace cudal1::learning
