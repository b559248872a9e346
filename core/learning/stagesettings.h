// SPDX-License-Identifier: GPL-3.0-or-later
// The settings of a stage, listed once: options of the command line, fields of training.json and of an experiment's
// stages, and fields of the page all go through this list.
#pragma once

#include "core/learning/stageoptions.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <type_traits>

namespace cudal1::learning {

/// What is said of a setting besides its value. Texts live for ever.
struct StageSetting {
    enum Stages { Any, Judged, Third };

    const char* name;           ///< of the option of `cudal1 train`
    const char* label;          ///< on the page
    const char* what;           ///< a phrase of what it is
    const char* unit = "";      ///< how help names a value; empty for what is on or off
    Stages stages = Any;        ///< that have it
    bool mayChange = false;     ///< between two legs of one training
    double least = 0, most = 0; ///< of numbers, for a field to enter them; check() has the last word
    const char* words = "";     ///< of a text that is one of some: "cpu, cuda"; empty for any other text

    bool belongsTo(Stage stage) const
    {
        return stages == Any || stage == Stage::Contrastive || (stages == Judged && stage == Stage::SelfSupervised);
    }
    /// In files: "learning_rate".
    std::string field() const
    {
        std::string out = name;
        std::replace(out.begin(), out.end(), '-', '_');
        return out;
    }
};

/// Calls visit(setting, value) for each; values are int, double, bool, std::string and enumerations with toString() and
/// fromString().
template<class Options, class Visit> void eachSetting(Options& o, Visit&& visit)
{
    using S = StageSetting;
    constexpr double many = 10'000'000;
    visit(S{"steps", "Steps", "Batches in all", "N", S::Any, true, 1, many}, o.steps);
    visit(S{"batch", "Batch", "Examples of a batch; of self and contrastive: prompts", "N", S::Any, false, 1, 65'536},
          o.batch);
    visit(S{"learning-rate", "Learning rate", "The highest", "RATE", S::Any, false, 0, 1}, o.optimizer.learningRate);
    visit(S{"warmup", "Warm-up", "Steps over which the rate grows", "N", S::Any, false, 0, many},
          o.optimizer.warmupSteps);
    visit(S{"decay", "Decay", "How the rate falls over the steps", "KIND"}, o.optimizer.decay);
    visit(S{"weight-decay", "Weight decay", "Of matrices", "X", S::Any, false, 0, 1}, o.optimizer.weightDecay);
    visit(S{"lora", "LoRA rank", "Train adapters of this rank instead of all weights; 0 is all weights", "RANK", S::Any,
            false, 0, 1024},
          o.loraRank);
    visit(S{"train-device", "Train on", "Where the trainer computes", "DEVICE", S::Any, true, 0, 0, "cpu, cuda"},
          o.device);
    visit(S{"numbers", "Numbers", "Of the trainer; without a choice, what the device is fast at", "KIND", S::Any, false,
            0, 0, "float32, bfloat16"},
          o.numbers);
    visit(S{"threads", "Threads", "Of the trainer on the CPU; 0 is one for each core", "N", S::Any, true, 0, 1024},
          o.threads);
    visit(S{"pass-tokens", "Tokens per pass", "Packed into one pass forward and backward", "N", S::Any, true, 1, many},
          o.passTokens);
    visit(S{"recompute", "Recompute", "Compute layers once more in the backward pass: less memory, a third more work",
            "", S::Any, true},
          o.recomputes);
    visit(S{"sharding", "Sharding", "What several processes divide among themselves", "WHAT", S::Any, true},
          o.sharding);
    visit(S{"save-every", "Save every", "Batches between checkpoints", "N", S::Any, true, 1, many}, o.saveEvery);
    visit(S{"keep", "Keep", "Newest checkpoints that are kept", "N", S::Any, true, 1, 10'000}, o.keep);
    visit(S{"group", "Replies a prompt", "Replies to a prompt", "N", S::Judged, false, 1, 1024}, o.group);
    visit(S{"max-tokens", "Tokens of a reply", "Tokens at which a reply is cut off", "N", S::Judged, false, 1, many},
          o.maxTokens);
    visit(S{"temperature", "Temperature", "Of the replies", "T", S::Judged, false, 0.01, 10}, o.temperature);
    visit(S{"epochs", "Epochs", "How often a batch is gone through", "N", S::Judged, false, 1, 1000}, o.epochs);
    visit(S{"minibatches", "Minibatches", "Updates of a batch and epoch", "N", S::Judged, false, 1, 65'536},
          o.minibatches);
    visit(S{"judge-timeout", "Judge timeout",
            "Seconds after which judging a program is given up; while others are judged before it, they do not count",
            "S", S::Judged, true, 1, many},
          o.judgeLimit_s);
    visit(S{"overlap", "Overlap",
            "Draw a batch while the one before it is judged; its replies are then one update old. auto: on where the "
            "trainer and the judge have a device each",
            "WHEN", S::Third, true},
          o.overlap);
    visit(S{"exemplars", "Exemplars", "What stands in prompts; none is plain GRPO", "HOW", S::Third, false, 0, 0,
            "bucket, random, islands, none"},
          o.exemplars);
    visit(S{"own-exemplars", "Own exemplars", "Show only what this training has found, not all that the project has",
            "", S::Third},
          o.ownExemplars);
    visit(S{"plain-share", "Plain share",
            "Share of prompts without exemplars, by which a policy stays good at being asked without any", "X",
            S::Third, false, 0, 1},
          o.plainShare);
    visit(S{"beta", "KL weight β", "Weight of the divergence from the reference", "X", S::Third, false, 0, 10},
          o.grpo.beta);
    visit(S{"reference", "KL reference",
            "start, the weights that the stage begins with; or another model's folder, such as the checkpoint of "
            "stage 1",
            "MODEL", S::Third},
          o.reference);
    visit(S{"clip", "Clip ε", "How far a ratio of probabilities may be from 1", "X", S::Third, false, 0.001, 0.999},
          o.grpo.clipLow);
    visit(S{"clip-high", "Clip ε above 1", "The same above 1; 0 is as --clip", "X", S::Third, false, 0, 100},
          o.clipHigh);
    visit(S{"baseline", "Baseline", "What rewards are compared with", "KIND", S::Third}, o.grpo.baseline);
    visit(S{"mean", "Mean", "Over what losses of tokens are averaged", "KIND", S::Third}, o.grpo.mean);
    visit(S{"constant-length", "Constant length", "Tokens of a reply by which --mean constant divides", "N", S::Third,
            false, 1, many},
          o.grpo.constantLength);
    visit(S{"correction", "Correction", "Of ratios between trainer and sampler", "KIND", S::Third}, o.grpo.correction);
    visit(S{"ratio-limit", "Ratio limit", "Of the correction", "X", S::Third, false, 1, 1000}, o.grpo.ratioLimit);
    visit(S{"mask-cut", "Mask cut replies", "Leave replies that were cut off out of the loss", "", S::Third},
          o.grpo.masksCut);
}

/// A value as files have it.
template<class Value> nlohmann::json settingJson(const Value& value)
{
    if constexpr (std::is_enum_v<Value>)
        return toString(value);
    else
        return value;
}

/// All words of an enumeration whose values are 0 and the following: "none, optimizer, gradients, weights".
template<class Choice> std::string wordsOf(Choice)
{
    std::string out;
    for (int i = 0; !toString(Choice(i)).empty(); ++i)
        out += (i ? ", " : "") + std::string(toString(Choice(i)));
    return out;
}

} // namespace cudal1::learning
