// SPDX-License-Identifier: GPL-3.0-or-later
// Forecasts what a stage of a training will take, in memory and in time: from the size of the model, and from what
// steps of this training have taken, where some were made already.
#pragma once

#include "core/base/result.h"
#include "core/learning/stageoptions.h"
#include "core/learning/steplog.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::learning {

/// What a model's config.json, or its GGUF file, says of its size.
struct ModelShape {
    std::string family; ///< "llama", "qwen2", "qwen3"
    std::int64_t layers = 0;
    std::int64_t hidden = 0, inner = 0; ///< widths of the residual stream and of the feed-forward part
    std::int64_t heads = 0, keyHeads = 0, headSize = 0;
    std::int64_t vocabulary = 0;
    bool tied = false; ///< the head uses the embedding's weights

    std::int64_t parameters() const; ///< how many numbers all weights have
    /// How many of them each token is multiplied with: all but those of an embedding that the head does not use.
    std::int64_t computing() const;
    /// How many numbers LoRA's matrices A and B of this rank have, for all seven matrices of each layer.
    std::int64_t adapter(int rank) const;
};
/// Reads the shape of a Hugging Face folder or a GGUF file. Unreadable where neither is there, InvalidArgument for a
/// model of a kind that cannot be trained here.
base::Result<ModelShape> shapeOf(const std::string& modelPath);

/// What the steps of a training have taken so far. A number is 0 where no step says anything about it.
struct MeasuredRates {
    double flops = 0;       ///< FLOP/s while learning
    double draw_s = 0;      ///< seconds to draw one token of a reply
    double judge_s = 0;     ///< seconds for one reply, from when all were drawn until all were judged
    double replyTokens = 0; ///< how many tokens a reply has, in the mean
    double tokens = 0;      ///< how many tokens are computed for a sequence that is learnt from, its prompt included
};

/// From a log and the settings that its steps were made with; empty where no step has learnt anything.
std::optional<MeasuredRates> measuredIn(const LoggedSteps& log, const ModelShape& shape, const StageOptions& options);

/// Memory in bytes, and the seconds that one step takes. What a stage has no use for is 0.
struct TrainingForecast {
    double weights = 0;     ///< weights, gradients and the optimizer's state
    double reference = 0;   ///< weights from which the divergence is measured (stage 3)
    double activations = 0; ///< what a pass keeps for its way back
    double logits = 0;      ///< those that are held at once
    double cache = 0;       ///< keys and values of the replies that are drawn at once (stages 2 and 3)
    double learn_s = 0, draw_s = 0, judge_s = 0;

    double bytes() const { return weights + reference + activations + logits + cache; }
    double step_s() const { return learn_s + draw_s + judge_s; }
    std::vector<std::string> how; ///< for a person: a sentence for each part, which says how it was worked out
};

/// `cores` is the number of this machine's cores. `exampleTokens`, for stage 1, is the number of tokens of an example
/// with its prompt; 0 where it is not known.
TrainingForecast forecastOf(const ModelShape& shape, const StageOptions& options,
                            const std::optional<MeasuredRates>& measured, int cores, double exampleTokens = 0);

} // namespace cudal1::learning
