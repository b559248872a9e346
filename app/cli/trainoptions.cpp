// SPDX-License-Identifier: GPL-3.0-or-later
// Options of `cudal1 train`, read.
#include "app/cli/trainoptions.h"

#include "app/cli/context.h"
#include "app/cli/modelfolder.h"
#include "app/cli/numberoptions.h"

#include <filesystem>
#include <type_traits>

namespace cudal1::cli {

using base::Error;
using base::ErrorCode;
using learning::Stage;

namespace {

namespace fs = std::filesystem;

template<class Choice> base::Status readChoice(const QCommandLineParser& parser, const char* name, Choice& out)
{
    if (parser.isSet(name) && !fromString(parser.value(name).toStdString(), out))
        return Error{ErrorCode::InvalidArgument,
                     "--" + std::string(name) + " does not know \"" + parser.value(name).toStdString() + "\"",
                     {},
                     "`cudal1 train --help` lists the words"};
    return {};
}

base::Status readContrastive(const QCommandLineParser& parser, learning::StageOptions& out)
{
    if (parser.isSet("exemplars"))
        out.exemplars = parser.value("exemplars").toStdString();
    out.ownExemplars = parser.isSet("own-exemplars");
    if (const auto status = readChoice(parser, "baseline", out.grpo.baseline); !status)
        return status;
    return readChoice(parser, "mean", out.grpo.mean);
}

} // namespace

QList<QCommandLineOption> trainOptions()
{
    return {
        {"example", "All three stages with a tiny model on small tasks of its own; needs no model."},
        {"model", "Hugging Face folder, or the name of a model of this machine.", "PATH"},
        {"out", "Folder for checkpoints; a training that is there goes on.", "DIR"},
        {"data", "sft: the file that `cudal1 collect` wrote.", "FILE"},
        {"tasks", "self, contrastive: LEVEL/ID, files or folders, with commas between (default: the training split).",
         "TASKS"},
        {"level", "Of these, only tasks of level N.", "N"},
        {"steps", "Batches in all (default 100).", "N"},
        {"batch", "Examples of a batch; of self and contrastive: prompts (default 8).", "N"},
        {"learning-rate", "The highest (default 1e-5).", "RATE"},
        {"warmup", "Steps over which the rate grows (default 0).", "N"},
        {"decay", "How the rate falls over the steps: cosine (default), linear, none.", "KIND"},
        {"weight-decay", "Of matrices (default 0.1).", "X"},
        {"lora", "Train adapters of this rank instead of all weights.", "RANK"},
        {"train-device", "Where the trainer computes: cpu (default) or cuda.", "DEVICE"},
        {"numbers", "float32 or bfloat16 (default: what the device is fast at).", "KIND"},
        {"threads", "Of the trainer on the CPU (default: one for each core).", "N"},
        {"pass-tokens", "Tokens of one pass forward and backward (default 8192).", "N"},
        {"recompute", "Keep less memory for a third more work."},
        {"save-every", "Batches between checkpoints (default 10).", "N"},
        {"keep", "Newest checkpoints that are kept (default 2).", "N"},
        {"from", "Go back to the checkpoint of this step; later ones are kept in DIR/undone.", "STEP"},
        {"group", "self, contrastive: replies to a prompt (default 8).", "N"},
        {"max-tokens", "self, contrastive: tokens of a reply (default 2048).", "N"},
        {"temperature", "self, contrastive: of the replies (default 1).", "T"},
        {"judge-timeout", "Seconds after which judging a program is given up (default 900).", "S"},
        {"exemplars", "contrastive: bucket (default), random, islands; none is plain GRPO.", "HOW"},
        {"own-exemplars", "contrastive: show only what this training has found, not all that the project has."},
        {"beta", "contrastive: weight of the divergence from the first weights (default 0.04).", "X"},
        {"clip", "contrastive: how far a ratio may be from 1 (default 0.2).", "X"},
        {"clip-high", "contrastive: the same above 1 (default: as --clip).", "X"},
        {"baseline", "contrastive: group_mean (default) or leave_one_out.", "KIND"},
        {"mean", "contrastive: sequence (default), token or constant.", "KIND"},
        {"epochs", "contrastive: how often a batch is gone through (default 1).", "N"},
        {"minibatches", "contrastive: updates of a batch and epoch (default 1).", "N"},
    };
}

base::Result<learning::StageOptions> readStage(const Context& context, const QCommandLineParser& parser, Stage stage)
{
    learning::StageOptions out;
    out.stage = stage;
    auto model = modelFolder(parser.value("model").toStdString());
    if (!model)
        return model.error();
    out.model = *model;
    std::error_code ignored;
    if (parser.isSet("out"))
        out.out = fs::absolute(parser.value("out").toStdString(), ignored).lexically_normal().string();
    NumberOptions numbers(parser);
    learning::eachNumber(out, [&numbers](const char* name, auto& number) {
        if constexpr (std::is_integral_v<std::remove_reference_t<decltype(number)>>)
            numbers.readWhole(name, number);
        else
            numbers.read(name, number);
    });
    if (numbers.wrong())
        return *numbers.wrong();
    if (const auto status = readChoice(parser, "decay", out.optimizer.decay); !status)
        return status.error();
    out.device = parser.isSet("train-device") ? parser.value("train-device").toStdString() : out.device;
    out.numbers = parser.value("numbers").toStdString();
    out.recomputes = parser.isSet("recompute");
    out.seed = context.settings().seed ? context.settings().seed : out.seed;
    out.precision = context.settings().precision;
    out.preset = parser.isSet("preset") ? context.settings().preset : protocol::Preset::Quick;
    if (out.preset == protocol::Preset::Paper)
        return Error{ErrorCode::InvalidArgument,
                     "The preset paper takes 20 minutes a program, which is too slow to learn from",
                     {},
                     "Give --preset quick or standard"};
    if (const auto status = readContrastive(parser, out); !status)
        return status.error();
    if (const auto status = learning::check(out); !status)
        return status.error();
    return out;
}

} // namespace cudal1::cli
