// SPDX-License-Identifier: GPL-3.0-or-later
// A sampler beside a model in training.
#include "core/training/livesampler.h"

#include <poll.h>

namespace cudal1::training {

base::Result<std::unique_ptr<LiveSampler>> LiveSampler::make(const TrainingModel& model, const Options& options,
                                                             const decoder::Tokenizer& tokenizer,
                                                             decoder::ReplyListener& listener)
{
    decoder::ModelOptions chosen;
    chosen.path = options.path;
    chosen.device = model.settings().device;
    chosen.numbers = model.settings().numbers == "float64" ? "float32" : model.settings().numbers;
    chosen.engine = "torch";
    chosen.threads = options.threads;
    chosen.cacheBytes = options.cacheBytes;
    chosen.maxReplies = options.replies;
    auto loaded = decoder::loadModel(chosen);
    if (!loaded)
        return loaded.error();
    std::unique_ptr<LiveSampler> out(new LiveSampler);
    out->m_model = std::move(*loaded);
    out->m_engine = std::make_unique<decoder::ReplyEngine>(*out->m_model, tokenizer, listener);
    return out;
}

void LiveSampler::waitUntilIdle() const
{
    constexpr int again_ms = 1;
    while (!m_engine->idle())
        ::poll(nullptr, 0, again_ms);
}

void LiveSampler::refresh(TrainingModel& model)
{
    waitUntilIdle();
    model.give(static_cast<decoder::TorchDecoder&>(*m_model->runner)); // what loadModel() makes with the engine "torch"
}

} // namespace cudal1::training
