// SPDX-License-Identifier: GPL-3.0-or-later
// JSON of the messages of the trainer.
#include "core/protocol/training.h"

#include "core/protocol/chatturnfields.h"

namespace cudal1::protocol {

namespace {

constexpr Words<RateDecay, 3> decayWords{{
    {RateDecay::Cosine, "cosine"},
    {RateDecay::Linear, "linear"},
    {RateDecay::None, "none"},
}};
constexpr Words<Sharding, 4> shardingWords{{
    {Sharding::None, "none"},
    {Sharding::Optimizer, "optimizer"},
    {Sharding::Gradients, "gradients"},
    {Sharding::Weights, "weights"},
}};
constexpr Words<RewardBaseline, 2> baselineWords{{
    {RewardBaseline::GroupMean, "group_mean"},
    {RewardBaseline::LeaveOneOut, "leave_one_out"},
}};
constexpr Words<LossMean, 3> meanWords{{
    {LossMean::Sequence, "sequence"},
    {LossMean::Token, "token"},
    {LossMean::Constant, "constant"},
}};
constexpr Words<SamplerCorrection, 3> correctionWords{{
    {SamplerCorrection::None, "none"},
    {SamplerCorrection::Truncated, "truncated"},
    {SamplerCorrection::Masked, "masked"},
}};

} // namespace

std::string_view toString(RateDecay decay)
{
    return wordOf(decayWords, decay);
}
bool fromString(std::string_view word, RateDecay& out)
{
    return valueOf(decayWords, word, out);
}
std::string_view toString(Sharding sharding)
{
    return wordOf(shardingWords, sharding);
}
bool fromString(std::string_view word, Sharding& out)
{
    return valueOf(shardingWords, word, out);
}
std::string_view toString(RewardBaseline baseline)
{
    return wordOf(baselineWords, baseline);
}
bool fromString(std::string_view word, RewardBaseline& out)
{
    return valueOf(baselineWords, word, out);
}
std::string_view toString(LossMean mean)
{
    return wordOf(meanWords, mean);
}
bool fromString(std::string_view word, LossMean& out)
{
    return valueOf(meanWords, word, out);
}
std::string_view toString(SamplerCorrection correction)
{
    return wordOf(correctionWords, correction);
}
bool fromString(std::string_view word, SamplerCorrection& out)
{
    return valueOf(correctionWords, word, out);
}

void fields(auto& io, Is<OptimizerSettings> auto& v)
{
    io("learning_rate", v.learningRate);
    io("warmup_steps", v.warmupSteps);
    io("total_steps", v.totalSteps);
    io("end_share", v.endShare);
    io.strict("decay", v.decay);
    io("beta1", v.beta1);
    io("beta2", v.beta2);
    io("epsilon", v.epsilon);
    io("weight_decay", v.weightDecay);
    io("clip_norm", v.clipNorm);
}

void fields(auto& io, Is<LoraChoice> auto& v)
{
    io("rank", v.rank);
    io("alpha", v.alpha);
    io("targets", v.targets, !v.targets.empty());
}

void fields(auto& io, Is<OpenTraining> auto& v)
{
    io.required("model", v.model);
    io("out", v.out);
    io("device", v.device);
    io("numbers", v.numbers);
    io("reference", v.reference);
    io("checkpoint", v.checkpoint, !v.checkpoint.empty());
    io("seed", v.seed);
    io("lora", v.lora);
    io("optimizer", v.optimizer);
    io("shares_prompts", v.sharesPrompts);
    io("recomputes", v.recomputes);
    io.strict("sharding", v.sharding);
    io("pass_tokens", v.passTokens);
    io("logit_mib", v.logitMib);
    io("save_every", v.saveEvery);
    io("keep", v.keep);
    io("sampler_replies", v.samplerReplies);
    io("sampler_cache_mib", v.samplerCacheMib);
    io("threads", v.threads);
}
CUDAL1_JSON(OpenTraining)

void fields(auto& io, Is<TrainingOpened> auto& v)
{
    io("step", v.step);
    io("batch", v.batch);
    io("checkpoint", v.checkpoint);
    io("family", v.family);
    io("device", v.device);
    io("numbers", v.numbers);
    io("parameters", v.parameters);
    io("trained", v.trained);
    io("context", v.context);
    io("vocabulary", v.vocabulary);
    io("processes", v.processes);
    io("device_bytes", v.deviceBytes);
}
CUDAL1_JSON(TrainingOpened)

namespace {

void add(Writer& io, const TrainingPrompt& v)
{
    if (!v.messages.empty())
        io.list("messages", v.messages);
    io("prompt", v.prompt, !v.prompt.empty());
    io("prompt_tokens", v.tokens, !v.tokens.empty());
}
void add(Reader& io, TrainingPrompt& v)
{
    nlohmann::json given;
    io("messages", given);
    if (!given.is_null())
        io.list("messages", v.messages);
    io("prompt", v.prompt);
    io("prompt_tokens", v.tokens);
}

} // namespace

void fields(auto& io, Is<TrainingReply> auto& v)
{
    io("reply", v.text, !v.text.empty());
    io("tokens", v.tokens, !v.tokens.empty());
    io("logprobs", v.logprobs, !v.logprobs.empty());
    io("reward", v.reward, v.reward != 0);
    io("is_cut", v.isCut, v.isCut);
}

void fields(auto& io, Is<SftRequest::Pair> auto& v)
{
    add(io, v.prompt);
    fields(io, v.reply);
}

void fields(auto& io, Is<SftRequest> auto& v)
{
    io.list("pairs", v.pairs);
    io("updates", v.updates);
    io("epochs", v.epochs);
    io("minibatches", v.minibatches);
}
CUDAL1_JSON(SftRequest)

void fields(auto& io, Is<GrpoSettings> auto& v)
{
    io("clip_low", v.clipLow);
    io("clip_high", v.clipHigh);
    io("beta", v.beta);
    io.strict("baseline", v.baseline);
    io("divides_by_deviation", v.dividesByDeviation);
    io.strict("mean", v.mean);
    io("constant_length", v.constantLength);
    io.strict("correction", v.correction);
    io("ratio_limit", v.ratioLimit);
    io("masks_cut", v.masksCut);
    io("epochs", v.epochs);
    io("minibatches", v.minibatches);
    io("temperature", v.temperature);
}

void fields(auto& io, Is<GrpoRequest::Group> auto& v)
{
    add(io, v.prompt);
    io.list("replies", v.replies);
}

void fields(auto& io, Is<GrpoRequest> auto& v)
{
    io.list("groups", v.groups);
    io("settings", v.settings);
}
CUDAL1_JSON(GrpoRequest)

void fields(auto& io, Is<TrainingStep::Seconds> auto& v)
{
    io("tokenize", v.tokenize);
    io("old", v.old);
    io("reference", v.reference);
    io("learn", v.learn);
    io("optimize", v.optimize);
    io("save", v.save);
}

void fields(auto& io, Is<TrainingStep> auto& v)
{
    io("stage", v.stage);
    io("step", v.step);
    io("batch", v.batch);
    io("is_last", v.isLast);
    io("skipped", v.skipped, !v.skipped.empty());
    io("loss", v.loss);
    io("entropy", v.entropy);
    io("gradient_norm", v.gradientNorm);
    io("learning_rate", v.learningRate);
    io("sequences", v.sequences);
    io("passes", v.passes);
    io("tokens", v.tokens);
    io("reply_tokens", v.replyTokens);
    io("computed_tokens", v.computedTokens);
    io("reply_length", v.replyLength);
    io("tokens_per_second", v.tokensPerSecond);
    io("peak_device_bytes", v.peakDeviceBytes);
    io("seconds", v.seconds);
    io("saved", v.saved, !v.saved.empty());
    const bool isGrpo = v.stage == "grpo";
    io("reward", v.reward, isGrpo);
    io("reward_deviation", v.rewardDeviation, isGrpo);
    io("divergence", v.divergence, isGrpo);
    io("ratio", v.ratio, isGrpo);
    io("clip_share", v.clipShare, isGrpo);
    io("zero_variance_share", v.zeroVarianceShare, isGrpo);
    io("groups", v.groups, isGrpo);
    io("skipped_groups", v.skippedGroups, isGrpo);
    io("mismatch", v.mismatch, isGrpo);
    io("largest_mismatch", v.largestMismatch, isGrpo);
    io("sampler_divergence", v.samplerDivergence, isGrpo);
    io("corrected_share", v.correctedShare, isGrpo);
}
CUDAL1_JSON(TrainingStep)

void fields(auto& io, Is<SaveRequest> auto& v)
{
    io("value", v.value, v.value.has_value());
    io("path", v.path, !v.path.empty());
}
CUDAL1_JSON(SaveRequest)

void fields(auto& io, Is<TrainingSaved> auto& v)
{
    io("path", v.path);
    io("step", v.step);
    io("is_best", v.isBest);
    io("bytes", v.bytes);
    io("seconds", v.seconds);
}
CUDAL1_JSON(TrainingSaved)

} // namespace cudal1::protocol
