// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of a stage's settings, and what they come to for the trainer.
#include "core/learning/stageoptions.h"

#include "core/collect/collector.h"
#include "core/learning/stagesettings.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace cudal1::learning {

using base::wrong;

namespace {

constexpr std::array<std::string_view, 3> stageWords{"sft", "self", "contrastive"};
constexpr std::array<std::string_view, 3> overlapWords{"auto", "on", "off"};

base::Status checkSampling(const StageOptions& options)
{
    if (options.group < 1 || options.group > 1024)
        return wrong("--group is the number of replies to a prompt, from 1 to 1024");
    if (options.maxTokens < 1)
        return wrong("--max-tokens is a number of tokens from 1");
    if (!std::isfinite(options.temperature) || options.temperature <= 0)
        return wrong("--temperature is above 0, since a policy learns from replies that differ");
    if (!(options.judgeLimit_s > 0))
        return wrong("--judge-timeout is a number of seconds above 0");
    if (options.epochs < 1 || options.minibatches < 1)
        return wrong("--epochs and --minibatches are numbers from 1");
    if (options.stage != Stage::Contrastive)
        return {};
    if (options.group < 2)
        return wrong("--group is 2 or more for contrastive learning: one reply has nothing to be compared with");
    if (options.exemplars != "none" && options.exemplars != "bucket" && options.exemplars != "random" &&
        options.exemplars != "islands")
        return wrong("--exemplars is one of bucket, random, islands and none, not \"" + options.exemplars + "\"");
    if (!(options.plainShare >= 0 && options.plainShare <= 1))
        return wrong("--plain-share is a share, from 0 to 1");
    if (!(options.grpo.clipLow > 0 && options.grpo.clipLow < 1))
        return wrong("--clip is above 0 and below 1");
    if (!(options.clipHigh >= 0))
        return wrong("--clip-high is 0 or more");
    if (!(options.grpo.beta >= 0))
        return wrong("--beta is 0 or more");
    if (options.reference.empty())
        return wrong("--reference is start, or the folder of a model");
    if (!(options.grpo.constantLength > 0) || !(options.grpo.ratioLimit >= 1))
        return wrong("--constant-length is above 0, and --ratio-limit is 1 or more");
    return {};
}

} // namespace

std::string_view toString(Overlap overlap)
{
    const auto at = std::size_t(overlap);
    return at < overlapWords.size() ? overlapWords[at] : std::string_view();
}

bool fromString(std::string_view word, Overlap& out)
{
    const auto found = std::find(overlapWords.begin(), overlapWords.end(), word);
    if (found == overlapWords.end())
        return false;
    out = Overlap(found - overlapWords.begin());
    return true;
}

std::string_view wordOf(Stage stage)
{
    return stageWords[std::size_t(stage)];
}

std::optional<Stage> stageFromText(std::string_view word)
{
    for (std::size_t i = 0; i < stageWords.size(); ++i)
        if (stageWords[i] == word)
            return Stage(i);
    return {};
}

base::Status check(const StageOptions& options)
{
    if (options.model.empty())
        return wrong("The model to train is missing", "Name a Hugging Face folder, or a model of `cudal1 models`, with "
                                                      "--model");
    if (options.out.empty())
        return wrong("The folder for checkpoints is missing", "Name it with --out DIR");
    if (options.steps < 1 || options.steps > 10'000'000)
        return wrong("--steps is a number from 1 to 10000000");
    if (options.from < 0)
        return wrong("--from is the number of a checkpoint's step, from 1");
    if (options.batch < 1 || options.batch > 65536)
        return wrong("--batch is a number from 1 to 65536");
    if (!std::isfinite(options.optimizer.learningRate) || options.optimizer.learningRate <= 0)
        return wrong("--learning-rate is a number above 0");
    return options.stage == Stage::Supervised ? base::Status() : checkSampling(options);
}

nlohmann::json identityOf(const StageOptions& options)
{
    nlohmann::json out{{"stage", wordOf(options.stage)}, {"model", options.model}, {"seed", options.seed}};
    out["rate_steps"] = openOf(options).optimizer.totalSteps; // over which the rate falls
    if (options.stage != Stage::Supervised) {
        out["precision"] = protocol::toString(options.precision);
        out["preset"] = protocol::toString(options.preset);
    }
    eachSetting(options, [&](const StageSetting& setting, const auto& value) {
        if (!setting.mayChange && setting.belongsTo(options.stage))
            out[setting.field()] = settingJson(value);
    });
    return out;
}

protocol::OpenTraining openOf(const StageOptions& options)
{
    protocol::OpenTraining out;
    out.model = options.model;
    out.out = options.out;
    out.device = options.device;
    out.numbers = options.numbers;
    out.reference = options.stage == Stage::Contrastive && options.grpo.beta > 0 ? options.reference : "";
    out.seed = options.seed;
    out.lora.rank = options.loraRank;
    out.optimizer = options.optimizer;
    if (out.optimizer.decay != protocol::RateDecay::None && out.optimizer.totalSteps == 0) {
        const bool many = options.stage != Stage::Supervised;
        out.optimizer.totalSteps = options.steps * (many ? options.epochs * options.minibatches : 1);
    }
    out.recomputes = options.recomputes;
    out.sharding = options.sharding;
    out.passTokens = options.passTokens;
    out.saveEvery = options.saveEvery;
    out.keep = options.keep;
    out.threads = options.threads;
    if (options.from > 0) {
        std::string number = std::to_string(options.from);
        number.insert(0, number.size() < 6 ? 6 - number.size() : 0, '0');
        out.checkpoint = "step-" + number;
    }
    return out;
}

protocol::GrpoSettings grpoOf(const StageOptions& options)
{
    protocol::GrpoSettings out = options.grpo;
    out.clipHigh = options.clipHigh > 0 ? options.clipHigh : options.grpo.clipLow;
    out.temperature = options.temperature;
    out.epochs = options.epochs;
    out.minibatches = options.minibatches;
    return out;
}

bool shareDevice(std::string_view trainer, std::string_view judges)
{
    const auto device = [](std::string_view name) { return name == "cuda" ? std::string_view("cuda:0") : name; };
    while (!judges.empty()) {
        const std::size_t end = std::min(judges.find(','), judges.size());
        if (device(trainer) == device(judges.substr(0, end)))
            return true;
        judges.remove_prefix(std::min(end + 1, judges.size()));
    }
    return false;
}

bool overlaps(const StageOptions& options, std::string_view judges)
{
    return options.stage == Stage::Contrastive &&
           (options.overlap == Overlap::On ||
            (options.overlap == Overlap::Auto && !shareDevice(options.device, judges)));
}

language::AskMethod askMethodOf(const StageOptions& options)
{
    language::AskMethod method = collect::oneShot(options.group);
    if (options.stage != Stage::Contrastive || options.exemplars == "none")
        return method;
    method.kind = language::AskMethod::Kind::Contrastive;
    method.sampler = options.exemplars;
    method.without.erase(language::PromptPart::Exemplars);
    return method;
}

} // namespace cudal1::learning
