// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes and seconds of a stage.
#include "core/learning/trainingforecast.h"

#include "core/base/bytestext.h"
#include "core/modelfiles/decoderconfig.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <cstdio>

namespace cudal1::learning {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

namespace {

// Where nothing was measured. A core does a multiple of this in float32 with vectors of 8 in the best case; of a GPU it
// is a fifth of an H100's dense peak in bfloat16 (989 TFLOP/s), and about a third of its peak in float32.
constexpr double coreFlops = 12e9, gpuFlops = 200e12, gpuFloatFlops = 20e12;
constexpr double cpuBytes = 10e9, gpuBytes = 1.5e12; ///< a second, of weights read for each token that is drawn
constexpr double promptTokens = 2000;
constexpr double judge_s = 20;       ///< a program, with the preset quick
constexpr int drawnAtOnce = 64;      ///< protocol::OpenTraining::samplerReplies
constexpr double logitBytes = 256e6; ///< protocol::OpenTraining::logitMib

bool isFloat(const StageOptions& options)
{
    return options.numbers == "float32" || (options.numbers.empty() && options.device == "cpu");
}

std::string number(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

/// FLOPs that a token costs in all updates of a batch.
double flopsOfToken(const ModelShape& shape, const StageOptions& options)
{
    double passes = options.recomputes ? 8 : 6;
    if (options.stage != Stage::Supervised)
        passes *= options.epochs;
    if (options.stage == Stage::Contrastive) {
        const int updates = options.epochs * options.minibatches;
        passes += options.grpo.beta > 0 ? 2 : 0;
        passes += updates > 1 ? 2 : 0;
    }
    return passes * double(shape.computing());
}

void addMemory(const ModelShape& shape, const StageOptions& options, TrainingForecast& out)
{
    const double all = double(shape.parameters()), width = isFloat(options) ? 4 : 2;
    const double trained = options.loraRank > 0 ? double(shape.adapter(options.loraRank)) : all;
    const double each = isFloat(options) ? 16 : 18;
    out.weights = options.loraRank > 0 ? width * all + each * trained : each * all;
    out.how.push_back(number(all) + " parameters by the model's own description. " +
                      (options.loraRank > 0 ? number(width) + " bytes for each of them, and " + number(each) +
                                                  " for each of the " + number(trained) + " numbers of the adapters."
                                            : number(each) + " bytes for each: " +
                                                  (isFloat(options) ? "weight, gradient and two moments in float32."
                                                                    : "the weight in bfloat16, and master, gradient "
                                                                      "and two moments in float32.")));
    if (options.stage == Stage::Contrastive && options.grpo.beta > 0 &&
        (options.loraRank == 0 || options.reference != "start")) {
        out.reference = width * all;
        out.how.push_back("The reference, from which the divergence is measured: " + number(width) +
                          " bytes a parameter.");
    }
    const double layer = 8 * double(shape.hidden) +
                         width * double(2 * shape.hidden + (2 * shape.heads + 2 * shape.keyHeads) * shape.headSize +
                                        3 * shape.inner);
    const double kept = options.recomputes ? 4 * double(shape.hidden) * double(shape.layers) + layer
                                           : layer * double(shape.layers);
    out.activations = kept * options.passTokens;
    out.how.push_back("Activations: " + std::to_string(options.passTokens) + " tokens of a pass, " +
                      base::bytesText(kept) + " each" +
                      (options.recomputes ? "; layers are computed once more in the backward pass." : "."));
    out.logits = std::min(logitBytes, 4.0 * double(shape.vocabulary) * options.passTokens);
    if (options.stage == Stage::Supervised)
        return;
    const int replies = std::min(drawnAtOnce, options.batch * options.group);
    out.cache = 2.0 * double(shape.layers * shape.keyHeads * shape.headSize) * width * replies *
                (promptTokens + options.maxTokens);
    out.how.push_back("Keys and values of " + std::to_string(replies) + " replies that are drawn at once, with " +
                      number(promptTokens + options.maxTokens) + " tokens each, prompts included.");
}

void addDrawing(const ModelShape& shape, const StageOptions& options, const std::optional<MeasuredRates>& measured,
                double replyTokens, double flops, TrainingForecast& out)
{
    const int replies = options.batch * options.group;
    if (measured && measured->draw_s > 0) {
        out.draw_s = measured->draw_s * replyTokens * replies;
        out.judge_s = measured->judge_s * replies;
        out.how.push_back("Drawing and judging: as in the steps that were made.");
        return;
    }
    const double width = isFloat(options) ? 4 : 2;
    const double turns = double(replies + drawnAtOnce - 1) / drawnAtOnce * replyTokens; // each reads all weights
    const double bytes = options.device == "cpu" ? cpuBytes : gpuBytes;
    const double reading = turns * width * double(shape.computing()) / bytes;
    const double computing = 2.0 * double(shape.computing()) * replyTokens * replies / flops;
    out.draw_s = std::max(reading, computing);
    // Equal programs are judged once, and what does not build costs little; so this is an upper bound.
    out.judge_s = judge_s * replies;
    out.how.push_back("Drawing: " + std::to_string(replies) + " replies of " + number(replyTokens) +
                      " tokens, half of the limit; the slower of 2 FLOPs for each parameter and token, and of reading "
                      "the weights at " +
                      base::rateText(bytes) + ".");
    out.how.push_back("Judging: at most " + number(judge_s) + " s a reply; equal programs are judged once.");
}

base::Result<modelfiles::DecoderConfig> configIn(const std::string& modelPath)
{
    if (QFileInfo(QString::fromStdString(modelPath)).isFile()) {
        const auto file = modelfiles::GgufFile::open(modelPath);
        return file ? configOf(*file) : base::Result<modelfiles::DecoderConfig>(file.error());
    }
    QFile file(QDir(QString::fromStdString(modelPath)).filePath(QStringLiteral("config.json")));
    if (!file.open(QIODevice::ReadOnly))
        return Error{ErrorCode::Unreadable, "The folder has no config.json of a model", modelPath,
                     "Choose a Hugging Face folder of the Llama, Qwen2 or Qwen3 family, or a GGUF file"};
    const QByteArray bytes = file.readAll();
    const json read = json::parse(bytes.begin(), bytes.end(), nullptr, false);
    return modelfiles::configOf(read.is_object() ? read : json::object(), json::object());
}

} // namespace

std::int64_t ModelShape::parameters() const
{
    const std::int64_t attention = hidden * heads * headSize * 2 + hidden * keyHeads * headSize * 2;
    const std::int64_t extra = family == "qwen2" ? (heads + 2 * keyHeads) * headSize
                             : family == "qwen3" ? 2 * headSize
                                                 : 0;
    return vocabulary * hidden * (tied ? 1 : 2) + layers * (attention + 3 * hidden * inner + 2 * hidden + extra) +
           hidden;
}

std::int64_t ModelShape::computing() const
{
    return parameters() - (tied ? 0 : vocabulary * hidden);
}

std::int64_t ModelShape::adapter(int rank) const
{
    const std::int64_t wide = heads * headSize, keys = keyHeads * headSize;
    return layers * rank * (2 * (hidden + wide) + 2 * (hidden + keys) + 3 * (hidden + inner));
}

base::Result<ModelShape> shapeOf(const std::string& modelPath)
{
    const auto config = configIn(modelPath);
    if (!config)
        return config.error();
    const auto whole = [](std::size_t number) { return std::int64_t(number); };
    ModelShape out;
    out.family = config->family;
    out.layers = whole(config->layers);
    out.hidden = whole(config->hidden);
    out.inner = whole(config->intermediate);
    out.heads = whole(config->heads);
    out.keyHeads = whole(config->keyValueHeads);
    out.headSize = whole(config->headSize);
    out.vocabulary = whole(config->vocabulary);
    out.tied = config->tiesEmbeddings;
    return out;
}

std::optional<MeasuredRates> measuredIn(const LoggedSteps& log, const ModelShape& shape, const StageOptions& options)
{
    MeasuredRates out;
    double seconds = 0, tokens = 0, sequences = 0, replies = 0, drawn = 0, drawing = 0, judging = 0;
    for (const json& step : log.steps) {
        const double rate = numberOf(step, "tokens_per_second").value_or(0), own = numberOf(step, "tokens").value_or(0);
        if (rate <= 0 || own <= 0)
            continue;
        tokens += own;
        seconds += own / rate;
        sequences += numberOf(step, "sequences").value_or(0);
        if (const auto some = numberOf(step, "replies")) {
            replies += *some;
            drawn += *some * numberOf(step, "reply_length").value_or(0);
            drawing += numberOf(step, "draw_seconds").value_or(0);
            judging += numberOf(step, "judge_seconds").value_or(0);
        }
    }
    if (tokens <= 0)
        return {};
    out.flops = tokens / seconds * flopsOfToken(shape, options);
    out.tokens = sequences > 0 ? tokens / sequences : 0;
    out.replyTokens = replies > 0 ? drawn / replies : 0;
    out.draw_s = drawn > 0 ? drawing / drawn : 0;
    out.judge_s = replies > 0 ? judging / replies : 0;
    return out;
}

TrainingForecast forecastOf(const ModelShape& shape, const StageOptions& options,
                            const std::optional<MeasuredRates>& measured, int cores, double exampleTokens)
{
    TrainingForecast out;
    addMemory(shape, options, out);
    const int threads = options.threads > 0 ? options.threads : std::max(1, cores);
    const double assumed = options.device == "cpu" ? coreFlops * threads : isFloat(options) ? gpuFloatFlops : gpuFlops;
    const double flops = measured && measured->flops > 0 ? measured->flops : assumed;
    const bool drawing = options.stage != Stage::Supervised;
    const double replyTokens = measured && measured->replyTokens > 0 ? measured->replyTokens : options.maxTokens / 2.0;
    const double each = measured && measured->tokens > 0 ? measured->tokens
                      : drawing                          ? replyTokens + promptTokens / std::max(1, options.group)
                      : exampleTokens > 0                ? exampleTokens
                                                         : promptTokens + 500;
    const double tokens = each * options.batch * (drawing ? options.group : 1);
    out.learn_s = tokens * flopsOfToken(shape, options) / flops;
    out.how.push_back("Learning: " + number(tokens) + " tokens a step, " +
                      number(flopsOfToken(shape, options) / double(shape.computing())) +
                      " FLOPs for each parameter and token, at " + number(flops / 1e9) + " GFLOP/s, " +
                      (flops != assumed ? "as measured in the steps that were made."
                                        : "which is assumed until steps were made here."));
    if (drawing)
        addDrawing(shape, options, measured, replyTokens, flops, out);
    return out;
}

} // namespace cudal1::learning
