// SPDX-License-Identifier: GPL-3.0-or-later
// What a stage will take: memory and time, from the model's size, and from what earlier steps took where there are any.
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
    std::int64_t layers = 0, hidden = 0, inner = 0, heads = 0, keyHeads = 0, headSize = 0, vocabulary = 0;
    bool tied = false; ///< the head has the weights of the embedding

    std::int64_t parameters() const;
    std::int64_t computing() const; ///< those that each token is multiplied with: all but an embedding that is no head
    std::int64_t adapter(int rank) const; ///< numbers of LoRA's A and B of all seven matrices
};
/// Of a folder or a GGUF file. Unreadable where neither is there, InvalidArgument for a model that is not trained.
base::Result<ModelShape> shapeOf(const std::string& modelPath);

/// What steps that were made have taken.
struct MeasuredRates {
    double flops = 0;       ///< a second, of learning
    double draw_s = 0;      ///< a token of a reply
    double judge_s = 0;     ///< a reply, of what judging took beyond drawing
    double replyTokens = 0; ///< of a reply, mean
    double tokens = 0;      ///< that are learnt from, of a sequence with its prompt
};
/// None of a log without a step that has learnt something.
std::optional<MeasuredRates> measuredIn(const LoggedSteps& log, const ModelShape& shape, const StageOptions& options);

struct TrainingForecast {
    double weights = 0, reference = 0, activations = 0, logits = 0, cache = 0; ///< bytes; cache: of drawing
    double learn_s = 0, draw_s = 0, judge_s = 0;                               ///< a step
    double bytes() const { return weights + reference + activations + logits + cache; }
    double step_s() const { return learn_s + draw_s + judge_s; }
    std::vector<std::string> how; ///< sentences: how each part was worked out
};
/// `cores`: of this machine. `exampleTokens`: of an example with its prompt, as far as it is known (stage 1).
TrainingForecast forecastOf(const ModelShape& shape, const StageOptions& options,
                            const std::optional<MeasuredRates>& measured, int cores, double exampleTokens = 0);

} // namespace cudal1::learning
